// The keys of the user's model servers, for a list of all keys.
import * as vscode from 'vscode';
import { escapeIcons } from '../base/plainText.ts';
import { action, leaving } from '../platform/actionList.ts';
import { executeCommand } from '../platform/commands.ts';
import { commands } from '../platform/ids.ts';
import { choose } from '../platform/pick.ts';
import { changeServerKey } from './askServiceKey.ts';
import type { HostContext } from './hosts/askHost.ts';
import type { KeyStore } from './keys/keyStore.ts';
import type { ServerKey } from './keys/manageKeys.ts';
import { serverKey } from './model/keyFormat.ts';
import { type OwnServer, readOwnServers, unusableRows } from './ownServers.ts';

const STATE_ICONS = { missing: 'circle-outline', unconfirmed: 'warning', set: 'key' } as const;

export async function readServerKeys(context: HostContext, store: KeyStore): Promise<ServerKey[]> {
	const own = await readOwnServers(store);
	return [
		...own.map(server => {
			const { origin } = new URL(server.setting.url);
			return action(
				STATE_ICONS[server.keyState],
				escapeIcons(server.label),
				leaving(() => manageKey(context, store, server)),
				server.keyText,
				vscode.l10n.t('Sent only to {0}, {1}', origin, vscode.l10n.t('for its models')),
			);
		}),
		...unusableRows(),
	];
}

/** Asks for another key for the server of that name. If it is not in the settings, opens the list of services. */
export async function changeKeyOf(slug: unknown, context: HostContext, store: KeyStore): Promise<void> {
	const server = (await readOwnServers(store)).find(candidate => candidate.slug === slug);
	await (server ? changeServerKey(context, store, server) : executeCommand(commands.switchConnection));
}

async function manageKey(context: HostContext, store: KeyStore, server: OwnServer): Promise<void> {
	const action =
		server.keyState === 'missing'
			? 'replace'
			: await choose<'replace' | 'remove'>(vscode.l10n.t('Key of {0}', server.label), [
					{ label: `$(edit) ${vscode.l10n.t('Replace…')}`, value: 'replace' },
					{ label: `$(trash) ${vscode.l10n.t('Remove the Key')}`, value: 'remove' },
				]);
	if (action === 'remove') {
		await store.remove(serverKey(server.slug, server.setting.url));
	} else if (action === 'replace') {
		await changeServerKey(context, store, server);
	}
}
