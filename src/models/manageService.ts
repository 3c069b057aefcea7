// The list that changes, tests and removes one service, until it is left. Each change is made at once.
import * as vscode from 'vscode';
import { placeOf } from '../base/hostname.ts';
import { escapeIcons } from '../base/plainText.ts';
import type { FoundServer } from '../contract/foundServers.ts';
import { LOCAL_CONNECTION_NAME, localConnection } from '../contract/localConnection.ts';
import { findModel } from '../contract/modelIdentifier.ts';
import { type Action, action, leaving, runActions, staying, toCommand, toSetting } from '../platform/actionList.ts';
import { commands } from '../platform/ids.ts';
import { askModal } from '../platform/notify.ts';
import { separator, shownText } from '../platform/pick.ts';
import { withProgressNotice } from '../platform/progressNotice.ts';
import { clearSetting, readSetting } from '../platform/settings.ts';
import { ConnectionFields } from './connectionFields.ts';
import { askAddress } from './hosts/askAddress.ts';
import { askHost, type HostContext, type HostQuestion } from './hosts/askHost.ts';
import { answerText, hostProblem, ownerText, upstreamProblemText } from './hosts/messages.ts';
import { keyRow } from './keys/keyRow.ts';
import { serverKeyUse } from './keys/keyUse.ts';
import type { ServiceKey } from './keys/serviceKey.ts';
import { KEY_KINDS, serverKey } from './model/keyFormat.ts';
import {
	changeEntry,
	describeConnection,
	type ManageEnd,
	type OwnServer,
	openConnectionSettings,
	ownServer,
	type Services,
	saveEntry,
	use,
} from './services.ts';

type Row = Action<ManageEnd>;

/** Changes a connection of the settings, which need not be usable. */
export async function manageConnection(
	name: string,
	services: Services,
	hint = vscode.l10n.t('Select what to change'),
): Promise<ManageEnd | undefined> {
	const fields = new ConnectionFields(name, services);
	const { keys, diagnose } = services;
	return runActions<ManageEnd>({
		title: vscode.l10n.t('Connection {0}', shownText(name)),
		name,
		placeHolder() {
			const described = describeConnection(name);
			return 'sentence' in described
				? vscode.l10n.t('Couldn’t use it: {0}. Select what to change', described.problem)
				: hint;
		},
		async rows() {
			const connection = fields.connection();
			const isActive = readSetting('errand.connection') === name;
			const switchTo = leaving(() => use(name, keys));
			const report = leaving(() => diagnose(name));
			const own = connection ? KEY_KINDS.map(kind => keys.of(connection, kind)) : [];
			return [
				...(connection && !isActive ? [action('check', vscode.l10n.t('Switch to It'), switchTo)] : []),
				...(connection ? [action('pulse', vscode.l10n.t('Diagnose'), report)] : []),
				...fields.hostRows(),
				...(await keyRows(own.filter(({ origins }) => origins !== ''))),
				...fields.offerRows(),
				...fields.serviceRows(),
				separator(''),
				action(
					'gear',
					vscode.l10n.t('Edit in Settings'),
					leaving(openConnectionSettings),
					vscode.l10n.t('including prices, kinds of models, providers, prefixes, aliases and routing policies'),
				),
				removeRow(name, async () => {
					await changeEntry('connection', name, () => undefined);
					await keys.removeAll(name);
					if (readSetting('errand.connection') === name) {
						await use(LOCAL_CONNECTION_NAME, keys);
					}
				}),
			];
		},
	});
}

export async function manageServer(
	{ slug, label, setting }: OwnServer,
	services: Services,
): Promise<ManageEnd | undefined> {
	const { keys, local } = services;
	const problem = local.described().upstreamProblems.find(candidate => candidate.slug === slug);
	/** The local service's message about the server, then the result of the latest test, until the address is changed. */
	let result = problem && upstreamProblemText(problem, setting.url);
	return runActions<ManageEnd>({
		title: label,
		name: label,
		placeHolder: () => vscode.l10n.t('Select what to change'),
		async rows() {
			const own = ownServer(slug);
			if (own === undefined) {
				return [];
			}
			const { url, kind: form } = own.setting;
			const slot = serverKey(slug, url);
			const move = staying(async () => {
				await changeAddress(own, services);
				result = undefined;
			});
			return [
				modelRow(slug),
				testRow(result, async () => {
					const { key } = await keys.store.usable(slot);
					result = await test(keys.host, { url, form, key });
				}),
				action('link', vscode.l10n.t('Change the Address…'), move, url),
				...(await keyRows([keys.for(serverKeyUse(own))])),
				separator(''),
				action('gear', vscode.l10n.t('Edit in Settings'), toSetting('errand.local.upstreams'), slug),
				removeRow(label, async () => {
					await changeEntry('server', slug, () => undefined);
					await keys.store.remove(slot);
					await forgetMissingDefault(services);
				}),
			];
		},
	});
}

/** The same for a found server that is in use. Its address is on this machine, and it has no key. */
export async function manageFoundServer(
	{ slug, label, url, owner }: FoundServer,
	services: Services,
): Promise<ManageEnd | undefined> {
	const { keys, local } = services;
	let tested: string | undefined;
	return runActions<ManageEnd>({
		title: label,
		name: label,
		placeHolder: () => ownerText(owner),
		rows: async () => [
			modelRow(slug),
			testRow(tested, async () => {
				tested = await test(keys.host, { url });
			}),
			action('trash', vscode.l10n.t('Stop Using It'), async () => {
				await local.answerFoundServer({ url, user: owner.user, use: false });
				await forgetMissingDefault(services);
				return 'removed' as const;
			}),
		],
	});
}

async function keyRows(keys: readonly ServiceKey[]): Promise<Row[]> {
	return [separator(vscode.l10n.t('Keys')), ...(await Promise.all(keys.map(key => keyRow(key))))];
}

function modelRow(slug: string): Row {
	return action('comment', vscode.l10n.t('Select a Model…'), toCommand(commands.addService, slug));
}

function testRow(result: string | undefined, run: () => Promise<void>): Row {
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

/** The key of a server that moves to another origin is not sent there until it is confirmed or entered again. */
async function changeAddress({ slug, label, setting }: OwnServer, { keys }: Services): Promise<void> {
	const chosen = await askAddress(
		{
			kind: 'server',
			form: setting.kind,
			title: vscode.l10n.t('Address of {0}', label),
			placeholder: vscode.l10n.t('The address including the version, such as http://192.168.1.20:8000/v1'),
			value: setting.url,
		},
		keys.host,
	);
	if (typeof chosen === 'object' && chosen.url !== undefined) {
		const { url, key } = chosen;
		const { store } = keys;
		await saveEntry('server', slug, before => ({ ...before, url }), { store, slot: serverKey(slug, url), key });
	}
}

function removeRow(label: string, remove: () => Promise<void>): Row {
	return action('trash', vscode.l10n.t('Remove…'), async () => {
		const yes = vscode.l10n.t('Remove');
		const question = vscode.l10n.t('Remove {0}?', label);
		const detail = vscode.l10n.t(
			'Its entry in the settings and its keys are removed. Conversations that used it are kept.',
		);
		if ((await askModal(question, detail, yes)) !== yes) {
			return undefined;
		}
		await remove();
		return 'removed' as const;
	});
}

/**
 * Removes the default model from the settings if the service no longer offers it. It stays if it may belong to a server
 * whose models are not known now.
 */
async function forgetMissingDefault({ local }: Services): Promise<void> {
	const offer = await local.offer();
	if (offer.upstreamProblems.length > 0) {
		return;
	}
	const name = readSetting('errand.chat.model');
	const isLocal = readSetting('errand.connection') === LOCAL_CONNECTION_NAME;
	if (isLocal && name !== '' && findModel({ ...localConnection, ...offer }, name) === undefined) {
		await clearSetting('errand.chat.model');
	}
}
