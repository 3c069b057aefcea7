// The keys of the user's model servers, for a list of all keys.
import * as vscode from 'vscode';
import { escapeIcons } from '../../base/plainText.ts';
import { executeCommand } from '../../platform/commands.ts';
import { internalCommands } from '../../platform/ids.ts';
import { choose } from '../../platform/pick.ts';
import { settingIssueText } from '../../platform/settingIssue.ts';
import { openSetting, readSetting } from '../../platform/settings.ts';
import type { UpstreamKeyStore } from '../model/upstreamKeyStore.ts';
import { readUpstreamSettings } from '../model/upstreamSettings.ts';
import { changeServerKey } from './askServerKey.ts';
import { type OwnServer, readOwnServers } from './ownServers.ts';
import type { AskContext } from './serverDraft.ts';

/** The key of a model server in a list of keys. */
export interface ServerKey extends vscode.QuickPickItem {
	/** Lets the user enter, replace or remove it. */
	manage(): Promise<void>;
}

export async function readServerKeys(context: AskContext, keys: UpstreamKeyStore): Promise<ServerKey[]> {
	const { problems } = readUpstreamSettings(readSetting('errand.local.upstreams'));
	const own = await readOwnServers(keys);
	return [
		...own.map(server => ({
			label: escapeIcons(server.label),
			description: server.keyText,
			detail: vscode.l10n.t(
				'Sent to {0} only, {1}',
				new URL(server.setting.url).origin,
				vscode.l10n.t('for its models'),
			),
			iconPath: new vscode.ThemeIcon(server.hasKey ? 'key' : 'circle-outline'),
			manage: () => manageKey(context, keys, server),
		})),
		...problems.map(({ slug, issue, entry }) => ({
			label: slug,
			description: vscode.l10n.t('cannot be used'),
			detail:
				issue === undefined
					? vscode.l10n.t('the name is taken, or is not in lowercase letters and digits')
					: settingIssueText(issue, entry),
			iconPath: new vscode.ThemeIcon('warning'),
			manage: () => openSetting('errand.local.upstreams'),
		})),
	];
}

/** Asks for another key of the server of that name. The list of servers helps with one that is not in the settings. */
export async function changeKeyOf(slug: unknown, context: AskContext, keys: UpstreamKeyStore): Promise<void> {
	const server = (await readOwnServers(keys)).find(candidate => candidate.slug === slug);
	await (server ? changeServerKey(context, keys, server) : executeCommand(internalCommands.addModelServer));
}

async function manageKey(context: AskContext, keys: UpstreamKeyStore, server: OwnServer): Promise<void> {
	const action = server.hasKey
		? await choose<'replace' | 'remove'>(vscode.l10n.t('Key of {0}', server.label), [
				{ label: `$(edit) ${vscode.l10n.t('Replace…')}`, value: 'replace' },
				{ label: `$(trash) ${vscode.l10n.t('Remove the Key')}`, value: 'remove' },
			])
		: 'replace';
	if (action === 'remove') {
		await keys.remove(server.slug);
	} else if (action === 'replace') {
		await changeServerKey(context, keys, server);
	}
}
