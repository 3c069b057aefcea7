import process from 'node:process';
import * as vscode from 'vscode';
import { digestOfServer } from '../../agents/mcp/mcpServers.ts';
import { defined } from '../../base/defined.ts';
import { isRemote, type McpServer, placeholdersOf } from '../../contract/mcpServers.ts';
import type { OfferedServer } from '../api.ts';
import type { AgentServers, AgreedServer } from './agentServers.ts';

/**
 * Resolves to the servers that the agents of a task may be given: those of the settings, and those that the files of its
 * repository declare, unless the user has refused them. Servers at an address are the chat's alone, as the editor talks
 * to them. `folder` is undefined if the repository is not in this window.
 */
export async function serversForTasks(agreed: AgentServers, folder: string | undefined): Promise<OfferedServer[]> {
	const declared = await agreed.declared(folder !== undefined && vscode.workspace.isTrusted ? [folder] : []);
	// Tasks get servers only in a sandbox.
	const servers = declared
		.flatMap(each => each.servers)
		.flatMap(server => (isRemote(server) || agreed.decision(server, true) === false ? [] : [server]));
	return servers
		.filter((server, index) => servers.findIndex(({ name }) => name === server.name) === index)
		.map(server => offered(agreed, server));
}

function offered(agreed: AgentServers, server: McpServer & AgreedServer): OfferedServer {
	const { name, file, folder, ...declaration } = server;
	return {
		name,
		digest: digestOfServer(server),
		isAllowed: agreed.decision(server, true) === true,
		reach: `${filesText(server)}, ${hostsText(server)}`,
		ask: async () => void (await agreed.ask(server, true)),
		async handOver() {
			const inputs = await agreed.inputsOf(server, new AbortController().signal);
			const { variables } = placeholdersOf(server);
			return {
				name,
				declaration,
				inputs: Object.fromEntries(inputs),
				variables: Object.fromEntries(variables.map(variable => [variable, process.env[variable] ?? ''])),
				packages: agreed.packages,
				...defined({ tools: agreed.toolsOf(server) }),
			};
		},
	};
}

function filesText({ files }: McpServer): string {
	switch (files) {
		case 'none':
			return vscode.l10n.t('Sees no files');
		case 'read':
			return vscode.l10n.t('Reads files');
		case 'write':
			return vscode.l10n.t('Changes files');
	}
}

function hostsText({ hosts }: McpServer): string {
	return hosts.length === 0 ? vscode.l10n.t('no network') : vscode.l10n.t('reaches {0}', hosts.join(', '));
}
