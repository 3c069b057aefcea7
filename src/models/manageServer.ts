// Changes, tests and removes the user's model servers.
import * as vscode from 'vscode';
import { placeOf } from '../base/hostname.ts';
import { escapeIcons } from '../base/plainText.ts';
import type { FoundServer } from '../contract/foundServers.ts';
import { type Action, action, runActions, staying, toCommand, toSetting } from '../platform/actionList.ts';
import { commands } from '../platform/ids.ts';
import { askModal } from '../platform/notify.ts';
import { withProgressNotice } from '../platform/progressNotice.ts';
import { askAddress } from './hosts/askAddress.ts';
import { askHost, type HostContext, type HostQuestion } from './hosts/askHost.ts';
import { answerText, hostProblem, ownerText, upstreamProblemText } from './hosts/messages.ts';
import { keyRow } from './keys/keyRow.ts';
import { serverKeyUse } from './keys/keyUse.ts';
import { serverKey } from './model/keyFormat.ts';
import { type OwnServer, readOwnServers } from './ownServers.ts';
import { forgetMissingDefault, removeServer, updateAddress } from './saveServer.ts';
import type { ManageEnd, Services } from './services.ts';

/** Lets the user change a server of the settings until the list is left. Each change is made at once. */
export async function manageServer(
	{ slug, label, setting }: OwnServer,
	services: Services,
): Promise<ManageEnd | undefined> {
	const { context, keys, store, local } = services;
	const problem = local.described().upstreamProblems.find(candidate => candidate.slug === slug);
	/** The local service's message about the server, then the result of the latest test, until something is changed. */
	let result = problem && upstreamProblemText(problem, setting.url);
	const changing = (run: () => Promise<void>) =>
		staying(async () => {
			await run();
			result = undefined;
		});
	return runActions<ManageEnd>({
		title: label,
		name: label,
		placeHolder: () => vscode.l10n.t('Select what to change'),
		async rows() {
			const own = (await readOwnServers(store)).find(server => server.slug === slug);
			if (own === undefined) {
				return [];
			}
			const { url } = own.setting;
			const move = changing(() => changeAddress(own, services));
			return [
				modelRow(slug),
				testRow(result, async () => {
					const { key } = await store.usable(serverKey(slug, url));
					result = await test(context, { url, form: own.setting.kind, key });
				}),
				action('link', vscode.l10n.t('Change the Address…'), move, url),
				await keyRow(keys.for(serverKeyUse(own))),
				action('gear', vscode.l10n.t('Edit in Settings'), toSetting('errand.local.upstreams'), slug),
				action('trash', vscode.l10n.t('Remove…'), () => remove(own, services)),
			];
		},
	});
}

/** The same for a found server that is in use. Its address is on this machine, and it has no key. */
export async function manageFoundServer(
	{ slug, label, url, owner }: FoundServer,
	{ context, local }: Services,
): Promise<ManageEnd | undefined> {
	let tested: string | undefined;
	return runActions<ManageEnd>({
		title: label,
		name: label,
		placeHolder: () => ownerText(owner),
		rows: async () => [
			modelRow(slug),
			testRow(tested, async () => {
				tested = await test(context, { url });
			}),
			action('trash', vscode.l10n.t('Stop Using It'), async () => {
				await local.answerFoundServer({ url, user: owner.user, use: false });
				await forgetMissingDefault(await local.offer());
				return 'removed' as const;
			}),
		],
	});
}

function modelRow(slug: string): Action<ManageEnd> {
	const choose = toCommand(commands.addService, slug);
	return action('comment', vscode.l10n.t('Select a Model…'), choose);
}

function testRow(result: string | undefined, run: () => Promise<void>): Action<ManageEnd> {
	return { ...action('pulse', vscode.l10n.t('Test'), staying(run)), detail: escapeIcons(result ?? '') };
}

async function test(context: HostContext, { url, form, key }: Omit<HostQuestion, 'kind'>): Promise<string> {
	const title = vscode.l10n.t('Getting models from {0}…', placeOf(url));
	const answer = await withProgressNotice(title, signal =>
		askHost({ kind: 'server', url, form, key }, { ...context, signal }).catch(() => undefined),
	);
	if (answer === undefined) {
		return vscode.l10n.t('The test was stopped.');
	}
	const error = answer.state === 'failed' || answer.state === 'wants-key' ? answer.error : undefined;
	if (error !== undefined) {
		const { cause, step } = hostProblem(error, answer.url, 'server', key !== undefined);
		return `${cause} ${step}`;
	}
	return answer.state === 'failed' ? '' : vscode.l10n.t('It works. {0}', answerText(answer, 'server'));
}

/** The key of a server that moves to another origin is not sent there until it is entered again. */
async function changeAddress({ slug, label, setting }: OwnServer, { context, store }: Services): Promise<void> {
	const chosen = await askAddress(
		{
			kind: 'server',
			form: setting.kind,
			title: vscode.l10n.t('Address of {0}', label),
			placeholder: vscode.l10n.t('The address including the version, such as http://192.168.1.20:8000/v1'),
			value: setting.url,
		},
		context,
	);
	if (typeof chosen === 'object' && chosen.url !== undefined) {
		await updateAddress(store, slug, { url: chosen.url, key: chosen.key });
	}
}

async function remove(
	{ slug, label, setting, keyState }: OwnServer,
	{ store, local }: Services,
): Promise<'removed' | undefined> {
	const yes = vscode.l10n.t('Remove');
	const question = vscode.l10n.t('Remove the model server {0} at {1}?', label, placeOf(setting.url));
	const detail =
		keyState === 'missing'
			? vscode.l10n.t('Its entry in the settings is removed.')
			: vscode.l10n.t('Its entry in the settings and its key are removed.');
	if ((await askModal(question, detail, yes)) !== yes) {
		return undefined;
	}
	await removeServer(store, slug, setting.url);
	await forgetMissingDefault(await local.offer());
	return 'removed';
}
