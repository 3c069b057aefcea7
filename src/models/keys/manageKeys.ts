import process from 'node:process';
import * as vscode from 'vscode';
import { escapeIcons } from '../../base/plainText.ts';
import type { Connection } from '../../contract/connection.ts';
import { LOCAL_CONNECTION_NAME } from '../../contract/localConnection.ts';
import { type Action, action, leaving, runActions, staying, toCommand } from '../../platform/actionList.ts';
import { hasMovedToEditor } from '../../platform/editorUse.ts';
import { commands } from '../../platform/ids.ts';
import { askModal } from '../../platform/notify.ts';
import { choose, input, separator } from '../../platform/pick.ts';
import { isKeyRefusal, type KeyCheck } from '../model/keyCheck.ts';
import { KEY_KINDS, keyEnding } from '../model/keyFormat.ts';
import { ConnectionKey, type KeysContext } from './connectionKey.ts';
import { type StoredKey, stateOf } from './keyStore.ts';
import { answerWord, connectionLabel, dateText, kindLabel, kindPurpose } from './messages.ts';

const STATUS_MS = 5000;

/**
 * The key of a model server behind the local connection, or a secret of an MCP server. Its action lets the user enter,
 * replace or remove it, or sign out.
 */
export type ServerKey = Action<'leave'>;

/**
 * Shows the keys of a connection and their states, and lets the user set, check, replace, rotate, confirm and remove
 * them. After a check, the list is shown again with the result.
 */
export async function manageKeys(
	context: KeysContext,
	connection: Connection,
	servers: { model: readonly ServerKey[]; mcp: readonly ServerKey[] },
): Promise<void> {
	const isLocal = connection.name === LOCAL_CONNECTION_NAME;
	const keys = isLocal ? [] : KEY_KINDS.map(kind => new ConnectionKey(context, connection, kind));
	const label = connectionLabel(connection);
	await runActions<'leave'>({
		title: vscode.l10n.t('Keys of {0}', label),
		name: label,
		placeHolder: () =>
			isLocal
				? vscode.l10n.t('The local connection doesn’t need a key: its service runs on this machine.')
				: vscode.l10n.t('Select a key to set, check, replace or remove'),
		async rows() {
			const importing = leaving(() => importKey(keys));
			const importRow = action('symbol-variable', vscode.l10n.t('Import from Environment Variable…'), importing);
			return [
				...(await Promise.all(keys.map(keyRow))),
				...(isLocal ? [] : [separator<ServerKey['value']>(''), importRow]),
				separator(vscode.l10n.t('Model servers')),
				...servers.model,
				action('add', vscode.l10n.t('Add Service…'), toCommand(commands.addService)),
				...(servers.mcp.length > 0 ? [separator<ServerKey['value']>(vscode.l10n.t('MCP servers'))] : []),
				...servers.mcp,
			];
		},
	});
}

async function keyRow(key: ConnectionKey): Promise<Action<'leave'>> {
	const label = kindLabel(key.kind);
	const purpose = kindPurpose(key.kind);
	if (key.origins === '') {
		const nothing = staying(async () => {});
		const detail = vscode.l10n.t('The connection has no address {0}.', purpose);
		return action('circle-slash', label, nothing, vscode.l10n.t('not available'), detail);
	}
	const destination = vscode.l10n.t('Sent only to {0}, {1}', key.origins, purpose);
	const stored = await key.read();
	if (!stored) {
		const set = leaving(() => key.set());
		return action('circle-outline', label, set, vscode.l10n.t('not set'), destination);
	}
	const isConfirmed = stateOf(stored, key.slot) === 'set';
	return action(
		isConfirmed ? iconOf(stored) : 'warning',
		label,
		() => chooseAction(key, stored, isConfirmed),
		stateText(stored),
		isConfirmed
			? `${datesText(stored)} ${destination}`
			: vscode.l10n.t('Not sent: the addresses have changed since it was saved. Now: {0}', key.origins),
	);
}

function stateText({ key, check }: StoredKey): string {
	const ending = keyEnding(key);
	const set = ending === '' ? vscode.l10n.t('set') : vscode.l10n.t('set, ends in {0}', ending);
	return `${set} · ${check ? answerWord(check) : vscode.l10n.t('not checked yet')}`;
}

function datesText({ savedAt, check }: StoredKey): string {
	return check
		? vscode.l10n.t('Saved {0}, checked {1}.', dateText(savedAt), dateText(check.at))
		: vscode.l10n.t('Saved {0}.', dateText(savedAt));
}

function iconOf({ check }: StoredKey): string {
	return check && isKeyRefusal(check) ? 'error' : check?.answer === 'accepted' ? 'pass' : 'key';
}

async function chooseAction(key: ConnectionKey, stored: StoredKey, isConfirmed: boolean): Promise<'leave' | undefined> {
	const row = (icon: string, label: string, detail: string, run: () => Promise<void>) =>
		action(icon, label, leaving(run), '', detail);
	const check = () => checkAndShow(key, stored.key);
	const isFree = vscode.l10n.t('Check whether the service accepts the key. Free of charge.');
	const use = vscode.l10n.t('Use this key for {0}', key.origins);
	const rotation = key.connection.dashboardUrl
		? vscode.l10n.t('Create a key in the dashboard, check it, then replace this one.')
		: vscode.l10n.t('Check a new key, then replace this one. The connection has no dashboard to open.');
	const validity = vscode.l10n.t('It stays valid until you delete it at the service.');
	const chosen = await choose(
		key.title,
		[
			// A key that still needs confirmation is not sent anywhere, not even for a check.
			isConfirmed
				? action('check', vscode.l10n.t('Check'), check, '', isFree)
				: row('check', vscode.l10n.t('Confirm'), use, () => key.save(stored.key)),
			row('edit', vscode.l10n.t('Replace…'), '', () => key.set()),
			row('sync', vscode.l10n.t('Rotate…'), rotation, () => key.rotate(stored.key)),
			row('trash', vscode.l10n.t('Remove…'), validity, () => remove(key)),
		],
		{ placeHolder: stored.check ? key.sentenceOf(stored.check) : '' },
	);
	return chosen === undefined ? 'leave' : chosen();
}

/**
 * The list comes back with the result. If the user has moved to an editor meanwhile, a notification shows it instead, as
 * a list would take the keyboard focus from the editor.
 */
async function checkAndShow(key: ConnectionKey, secret: string): Promise<'leave' | undefined> {
	let check: KeyCheck | undefined;
	const hasGone = await hasMovedToEditor(async () => {
		check = await key.checkVisibly(() => key.checkSaved(secret));
	});
	if (hasGone && check) {
		key.tell(check);
	}
	return hasGone ? 'leave' : undefined;
}

async function remove(key: ConnectionKey): Promise<void> {
	const yes = vscode.l10n.t('Remove');
	const question = vscode.l10n.t('Remove the {0} of {1}?', kindLabel(key.kind), key.service);
	if ((await askModal(question, vscode.l10n.t('Errand can’t show or restore it afterward.'), yes)) === yes) {
		await key.remove();
		const removed = vscode.l10n.t('{0} removed from {1}', kindLabel(key.kind), key.service);
		vscode.window.setStatusBarMessage(escapeIcons(removed), STATUS_MS);
	}
}

/** Imports a key from an environment variable of the extension host. Its value is never shown. */
async function importKey(keys: readonly ConnectionKey[]): Promise<void> {
	const possible = keys.filter(({ origins }) => origins !== '');
	const rows = possible.map(key => ({ label: kindLabel(key.kind), description: kindPurpose(key.kind), value: key }));
	const key = await choose(vscode.l10n.t('Import from Environment Variable'), rows, {
		placeHolder: vscode.l10n.t('Select the kind of key in the variable'),
	});
	if (key === undefined) {
		return;
	}
	const prompt = vscode.l10n.t(
		'The name of the environment variable. Its value isn’t shown; it’s saved in the editor’s secret storage and sent only to {0}.',
		key.origins,
	);
	const name = await input(key.title, prompt, '', text => variableProblem(text.trim(), key));
	const secret = name === undefined ? undefined : variable(name.trim());
	if (secret !== undefined) {
		await key.saveAndTell(secret);
	}
}

function variable(name: string): string | undefined {
	return process.env[name]?.trim();
}

function variableProblem(name: string, key: ConnectionKey): string | undefined {
	if (name === '') {
		return vscode.l10n.t('Enter the name of the variable.');
	}
	const value = variable(name);
	if (value === undefined || value === '') {
		return vscode.l10n.t(
			'This variable isn’t set where the editor runs its extensions. Set it before you start the editor.',
		);
	}
	const problem = key.problemOf(value);
	return problem && vscode.l10n.t('The variable doesn’t contain this kind of key. {0}', problem);
}
