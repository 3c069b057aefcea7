// The sign-ins at MCP servers at addresses, for a list of all keys.
import path from 'node:path';
import * as vscode from 'vscode';
import { escapeIcons } from '../../base/plainText.ts';
import { placeOfSignIn } from '../../contract/mcpServers.ts';
import { askModal } from '../../platform/notify.ts';
import type { ServerKey } from './manageKeys.ts';

export async function readMcpSignIns(secrets: Pick<vscode.SecretStorage, 'keys' | 'delete'>): Promise<ServerKey[]> {
	return (await secrets.keys()).flatMap(key => {
		const place = placeOfSignIn(key);
		if (place === undefined) {
			return [];
		}
		const { folder, url } = place;
		return {
			label: escapeIcons(url.host),
			description: vscode.l10n.t('signed in'),
			detail: escapeIcons(
				folder === ''
					? vscode.l10n.t('Sent only to {0}, for your settings', url.href)
					: vscode.l10n.t('Sent only to {0}, for the folder {1}', url.href, path.basename(folder)),
			),
			iconPath: new vscode.ThemeIcon('account'),
			manage: () => signOut(secrets, key, url),
		};
	});
}

async function signOut(secrets: Pick<vscode.SecretStorage, 'delete'>, key: string, { host }: URL): Promise<void> {
	const out = vscode.l10n.t('Sign Out');
	const chosen = await askModal(
		vscode.l10n.t('Sign out of the MCP server at {0}?', host),
		vscode.l10n.t(
			'Agents in the chat can’t use it until you sign in again. Tasks that have started keep their access until it ends. To end it everywhere, remove Errand in your account at the server.',
		),
		out,
	);
	if (chosen === out) {
		await secrets.delete(key);
	}
}
