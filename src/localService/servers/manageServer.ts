// Changing, testing and removing a server that the user has.
import * as vscode from 'vscode';
import { placeOf } from '../../base/hostname.ts';
import type { FoundAnswer, FoundServer } from '../../contract/foundServers.ts';
import { choose } from '../../platform/pick.ts';
import { withProgressNotice } from '../../platform/progressNotice.ts';
import { openSetting } from '../../platform/settings.ts';
import type { UpstreamKeyStore } from '../model/upstreamKeyStore.ts';
import { askAddress } from './askAddress.ts';
import { askServer } from './askServer.ts';
import { changeServerKey } from './askServerKey.ts';
import type { OwnServer } from './ownServers.ts';
import { forgetMissingDefault, removeServer, type ServiceForServers, updateAddress } from './saveServer.ts';
import type { AskContext, StepEnd } from './serverDraft.ts';
import { ownerText, serverProblem } from './serverMessages.ts';

export interface ManageOptions {
	context: AskContext;
	keys: UpstreamKeyStore;
	service: ServiceForServers & { answerFound(answer: FoundAnswer): Promise<void> };
	askModal(message: string, detail: string, ...buttons: string[]): PromiseLike<string | undefined>;
	/** Shows what an action has led to in the list of servers. */
	report(text: string): void;
}

type Action = 'model' | 'test' | 'address' | 'key' | 'remove-key' | 'remove' | 'settings';

/** Resolves with `model` where a model is to be chosen, and otherwise leads back to the list of servers. */
export async function manageServer(own: OwnServer, options: ManageOptions): Promise<'model' | StepEnd> {
	const { slug, label, setting, hasKey } = own;
	const { context, keys, report } = options;
	const { url } = setting;
	const action = await choose<Action>(label, [
		{ label: `$(comment) ${vscode.l10n.t('Choose a Model…')}`, value: 'model' },
		{ label: `$(pulse) ${vscode.l10n.t('Test')}`, value: 'test' },
		{ label: `$(link) ${vscode.l10n.t('Change the Address…')}`, description: url, value: 'address' },
		{
			label: `$(key) ${hasKey ? vscode.l10n.t('Replace the Key…') : vscode.l10n.t('Enter the Key…')}`,
			description: own.keyText,
			value: 'key',
		},
		...(hasKey ? [{ label: `$(discard) ${vscode.l10n.t('Remove the Key')}`, value: 'remove-key' as const }] : []),
		{ label: `$(trash) ${vscode.l10n.t('Remove the Server…')}`, value: 'remove' },
		{ label: `$(gear) ${vscode.l10n.t('Change It in the Settings')}`, description: slug, value: 'settings' },
	]);
	switch (action) {
		case undefined:
			return 'back';
		case 'model':
			return 'model';
		case 'test':
			report(await test(context, url, await keys.usable(slug, url)));
			return 'back';
		case 'address':
			return changeAddress(own, options);
		case 'key':
			await changeServerKey(context, keys, own);
			return 'back';
		case 'remove-key':
			await keys.remove(slug);
			return 'back';
		case 'remove':
			await remove(own, options);
			return 'back';
		case 'settings':
			await openSetting('errand.local.upstreams');
			return undefined;
	}
}

/** The same for a found server that is used. Its address is the machine's own, and it has no key. */
export async function manageFound(found: FoundServer, options: ManageOptions): Promise<'model' | StepEnd> {
	const { label, url, owner } = found;
	const { context, service, report } = options;
	const action = await choose<'model' | 'test' | 'leave'>(
		label,
		[
			{ label: `$(comment) ${vscode.l10n.t('Choose a Model…')}`, value: 'model' },
			{ label: `$(pulse) ${vscode.l10n.t('Test')}`, value: 'test' },
			{ label: `$(trash) ${vscode.l10n.t('Don’t Use It Any More')}`, value: 'leave' },
		],
		{ placeHolder: ownerText(owner) },
	);
	if (action === 'test') {
		report(await test(context, url, undefined));
	} else if (action === 'leave') {
		await service.answerFound({ url, user: owner.user, use: false });
		await forgetMissingDefault(await service.offer());
	}
	return action === 'model' ? 'model' : 'back';
}

async function test(context: AskContext, url: string, key: string | undefined): Promise<string> {
	const title = vscode.l10n.t('Asking {0} for its models…', placeOf(url));
	const answer = await withProgressNotice(title, signal =>
		askServer({ url, key }, { ...context, signal }).catch(() => undefined),
	);
	if (answer === undefined) {
		return vscode.l10n.t('The test was stopped.');
	}
	if ('error' in answer) {
		const { cause, step } = serverProblem(answer.error, answer.url, key !== undefined);
		return `${cause} ${step}`;
	}
	return answer.models.length === 1
		? vscode.l10n.t('It works: it lists one model.')
		: vscode.l10n.t('It works: it lists {0} models.', answer.models.length);
}

/** The key of a server that moves to another origin is not sent there until it is entered again. */
async function changeAddress({ slug, label, setting }: OwnServer, options: ManageOptions): Promise<StepEnd> {
	const title = vscode.l10n.t('Address of {0}', label);
	const chosen = await askAddress(options.context, { title, value: setting.url });
	if (chosen === undefined || chosen === 'back') {
		return chosen;
	}
	await updateAddress(options.keys, slug, chosen);
	return 'back';
}

async function remove({ slug, label, setting, hasKey }: OwnServer, options: ManageOptions): Promise<void> {
	const { keys, service, askModal } = options;
	const yes = vscode.l10n.t('Remove');
	const question = vscode.l10n.t('Remove the model server {0} at {1}?', label, placeOf(setting.url));
	const detail = hasKey
		? vscode.l10n.t('Its entry in the settings and its key are removed.')
		: vscode.l10n.t('Its entry in the settings is removed.');
	if ((await askModal(question, detail, yes)) === yes) {
		await removeServer(keys, slug);
		await forgetMissingDefault(await service.offer());
	}
}
