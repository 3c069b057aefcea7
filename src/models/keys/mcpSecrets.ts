// The sign-ins at MCP servers at addresses, and the values that the user has entered for MCP servers, for a list of all
// keys.
import path from 'node:path';
import * as vscode from 'vscode';
import { type SignOutSecrets, signOut } from '../../agents/mcp/signOut.ts';
import { escapeIcons } from '../../base/plainText.ts';
import { placeOfInput, placeOfSignIn } from '../../contract/mcpServers.ts';
import { type Action, action, staying } from '../../platform/actionList.ts';
import { askModal, showMessage } from '../../platform/notify.ts';

type Row = Action<'leave'>;

export async function readMcpSecrets(secrets: SignOutSecrets): Promise<Row[]> {
	const keys = await secrets.keys();
	return [...signIns(secrets, keys), ...inputs(secrets, keys)];
}

const signIns = (secrets: SignOutSecrets, keys: readonly string[]): Row[] =>
	keys.flatMap(key => {
		const place = placeOfSignIn(key);
		if (place === undefined) {
			return [];
		}
		const { folder, url } = place;
		return action(
			'account',
			escapeIcons(url.host),
			staying(() => askToSignOut(secrets, key, url)),
			vscode.l10n.t('signed in'),
			folder === ''
				? vscode.l10n.t('Sent only to {0}, for your settings', url.href)
				: vscode.l10n.t('Sent only to {0}, for the folder {1}', url.href, path.basename(folder)),
		);
	});

async function askToSignOut(secrets: SignOutSecrets, key: string, { host }: URL): Promise<void> {
	const out = vscode.l10n.t('Sign Out');
	const chosen = await askModal(
		vscode.l10n.t('Sign out of the MCP server at {0}?', host),
		vscode.l10n.t(
			'Agents can’t use it until you sign in again. The server is asked to end the access; until it does, tasks that have started keep theirs.',
		),
		out,
	);
	if (chosen === out && !(await signOut(key, secrets))) {
		void showMessage(
			'information',
			vscode.l10n.t(
				'You are signed out of the MCP server at {0} here. It has not said that the access has ended: to end it everywhere, remove Errand in your account there.',
				host,
			),
		);
	}
}

/** Returns one row for each value, with those that were entered for earlier declarations of the server. */
function inputs(secrets: SignOutSecrets, keys: readonly string[]): Row[] {
	const places = keys.map(key => ({ key, place: placeOfInput(key) })).filter(({ place }) => place !== undefined);
	const groups = Map.groupBy(places, ({ place }) => JSON.stringify(place));
	return [...groups.values()].flatMap(kept => {
		const [{ place } = {}] = kept;
		if (place === undefined) {
			return [];
		}
		const { folder, server, input } = place;
		const names = kept.map(({ key }) => key);
		return action(
			'key',
			escapeIcons(input),
			staying(() => removeInput(secrets, names, place)),
			vscode.l10n.t('set'),
			folder === ''
				? vscode.l10n.t('Given only to {0}, for your settings', server)
				: vscode.l10n.t('Given only to {0}, for the folder {1}', server, path.basename(folder)),
		);
	});
}

async function removeInput(
	secrets: SignOutSecrets,
	keys: readonly string[],
	{ server, input }: { server: string; input: string },
): Promise<void> {
	const remove = vscode.l10n.t('Remove');
	const chosen = await askModal(
		vscode.l10n.t('Remove the value {0} of the MCP server “{1}”?', input, server),
		vscode.l10n.t(
			'You’re asked for it when the server is used again. Tasks that have started keep it. It stays valid until you delete it where you got it.',
		),
		remove,
	);
	if (chosen === remove) {
		await Promise.all(keys.map(key => secrets.delete(key)));
	}
}
