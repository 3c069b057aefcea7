import process from 'node:process';
import * as vscode from 'vscode';
import { digestOfServer } from '../../agents/mcp/mcpServers.ts';
import { signInAhead } from '../../agents/mcp/remoteServer.ts';
import { defined } from '../../base/defined.ts';
import {
	headersWithValues,
	isOutside,
	isRemote,
	type McpServer,
	placeholdersOf,
	type RemoteServer,
	type TaskServer,
} from '../../contract/mcpServers.ts';
import type { OfferedServer } from '../api.ts';
import type { AgentServers, AgreedServer } from './agentServers.ts';

/** A token that ends within this time is renewed before a task gets it. */
const TASK_MS = 60 * 60_000;

/**
 * Resolves to the servers that the agents of a task may be given: those of the settings, and those that the files of its
 * repository declare, unless the user has refused them. `folder` is undefined if the repository is not in this window.
 */
export async function serversForTasks(agreed: AgentServers, folder: string | undefined): Promise<OfferedServer[]> {
	const declared = await agreed.declared(folder !== undefined && vscode.workspace.isTrusted ? [folder] : []);
	// Tasks get servers only in a sandbox.
	const servers = declared
		.flatMap(each => each.servers)
		.filter(server => !isOutside(server) && agreed.decision(server, true) !== false);
	return servers
		.filter((server, index) => servers.findIndex(({ name }) => name === server.name) === index)
		.map(server => offered(agreed, server));
}

function offered(agreed: AgentServers, server: AgreedServer): OfferedServer {
	const { name, file, folder, ...declaration } = server;
	return {
		name,
		digest: digestOfServer(server),
		isAllowed: agreed.decision(server, true) === true,
		reach: isRemote(server)
			? vscode.l10n.t('Runs at {0}', new URL(server.url).host)
			: `${filesTexts[server.files]}, ${hostsText(server)}`,
		ask: async () => void (await agreed.ask(server, true)),
		async handOver() {
			const { signal } = new AbortController();
			const inputs = Object.fromEntries(await agreed.inputsOf(server, signal));
			const named = placeholdersOf(server).variables.map(variable => [variable, process.env[variable] ?? '']);
			const variables: Record<string, string> = Object.fromEntries(named);
			return {
				...{ name, declaration, inputs, variables },
				...defined({
					file,
					token: isRemote(server) ? await tokenOf(agreed, server, { inputs, variables }) : undefined,
				}),
				packages: agreed.packages,
				...defined({ tools: agreed.toolsOf(server) }),
			};
		},
	};
}

/**
 * Resolves with the token of a sign-in, after a question if there is none that the server accepts. It is to last for the
 * task, which can get no other one. Rejects with a UserFacingError after a no.
 */
async function tokenOf(
	agreed: AgentServers,
	server: AgreedServer & RemoteServer,
	{ inputs, variables }: Pick<TaskServer, 'inputs' | 'variables'>,
): Promise<string | undefined> {
	const { signal } = new AbortController();
	const headers = headersWithValues(server, {
		input: name => inputs[name] ?? '',
		variable: name => variables[name] ?? '',
	});
	const authorization = agreed.signIns.at(server);
	await signInAhead(server, { headers, authorization }, signal);
	return authorization.token(signal, TASK_MS);
}

const filesTexts: Record<McpServer['files'], string> = {
	none: vscode.l10n.t('Sees no files'),
	read: vscode.l10n.t('Reads files'),
	write: vscode.l10n.t('Changes files'),
};

function hostsText({ hosts }: McpServer): string {
	return hosts.length === 0 ? vscode.l10n.t('no network') : vscode.l10n.t('reaches {0}', hosts.join(', '));
}
