// The list of all keys: those of the connection in use, of the model servers behind the local one, and of MCP servers.
import process from 'node:process';
import * as vscode from 'vscode';
import type { SignOutSecrets } from '../agents/mcp/signOut.ts';
import { escapeIcons } from '../base/plainText.ts';
import { LOCAL_CONNECTION_NAME } from '../contract/localConnection.ts';
import { type Action, action, runActions, staying, toCommand } from '../platform/actionList.ts';
import { commands } from '../platform/ids.ts';
import { choose, input, separator } from '../platform/pick.ts';
import { checkVisibly, keyRow } from './keys/keyRow.ts';
import { serverKeyUse } from './keys/keyUse.ts';
import { readMcpSecrets } from './keys/mcpSecrets.ts';
import { keyProblem, keyTitle, kindLabel, kindPurpose } from './keys/messages.ts';
import type { ServiceKey } from './keys/serviceKey.ts';
import { KEY_KINDS } from './model/keyFormat.ts';
import { namedConnection, readOwnServers, type Services, unusableRows } from './services.ts';

type Row = Action<'leave'>;

/** Shows the keys with their states, and lets the user change them. */
export async function showKeys({ keys }: Pick<Services, 'keys'>, secrets: SignOutSecrets): Promise<void> {
	const connection = namedConnection();
	const { name, label = name } = connection;
	const isLocal = name === LOCAL_CONNECTION_NAME;
	const own = isLocal ? [] : KEY_KINDS.map(kind => keys.of(connection, kind));
	await runActions<'leave'>({
		title: vscode.l10n.t('Keys of {0}', label),
		name: label,
		placeHolder: () =>
			isLocal
				? vscode.l10n.t('The local connection doesn’t need a key: its service runs on this machine.')
				: vscode.l10n.t('Select a key to set, check, replace or remove'),
		async rows() {
			const importing = staying(() => importKey(own));
			const importRow = action('symbol-variable', vscode.l10n.t('Import from Environment Variable…'), importing);
			const servers = readOwnServers();
			const mcp = await readMcpSecrets(secrets);
			return [
				...(await Promise.all(own.map(key => keyRow(key)))),
				...(isLocal ? [] : [separator<Row['value']>(''), importRow]),
				separator(vscode.l10n.t('Model servers')),
				...(await Promise.all(
					servers.map(server => keyRow(keys.for(serverKeyUse(server)), escapeIcons(server.label))),
				)),
				...unusableRows(),
				action('add', vscode.l10n.t('Add Service…'), toCommand(commands.addService)),
				...(mcp.length > 0 ? [separator<Row['value']>(vscode.l10n.t('MCP servers'))] : []),
				...mcp,
			];
		},
	});
}

/** Imports a key from an environment variable of the extension host. Its value is never shown. */
async function importKey(keys: readonly ServiceKey[]): Promise<void> {
	const possible = keys.filter(({ origins }) => origins !== '');
	const rows = possible.map(value => ({
		label: kindLabel(value.use.kind),
		description: kindPurpose(value.use.kind),
		value,
	}));
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
	const name = await input(keyTitle(key.use), prompt, '', text => variableProblem(text.trim(), key));
	const secret = name === undefined ? undefined : variable(name.trim());
	if (secret !== undefined) {
		const check = await checkVisibly(() => key.check(secret));
		await key.save(secret, check);
		void key.tell(check);
	}
}

function variable(name: string): string | undefined {
	return process.env[name]?.trim();
}

function variableProblem(name: string, { use }: ServiceKey): string | undefined {
	if (name === '') {
		return vscode.l10n.t('Enter the name of the variable.');
	}
	const value = variable(name);
	if (value === undefined || value === '') {
		return vscode.l10n.t(
			'This variable isn’t set where the editor runs its extensions. Set it before you start the editor.',
		);
	}
	const problem = keyProblem(use, value);
	return problem && vscode.l10n.t('The variable doesn’t contain this kind of key. {0}', problem);
}
