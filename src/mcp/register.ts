import * as vscode from 'vscode';
import { onFirstUse } from '../base/async.ts';
import { type Disposable, DisposableStore } from '../base/disposable.ts';
import { PIPE_VARIABLES } from '../contract/pipeVariables.ts';
import { EXTENSION_ID, MCP_PROVIDER } from '../platform/ids.ts';
import type { McpDependencies } from './mcpOffer.ts';

/**
 * Offers the MCP server to the editor's own agents. Nothing is loaded until the editor starts the server, which then
 * receives the address of this window's pipe.
 */
export function registerMcp(extensionUri: vscode.Uri, dependencies: McpDependencies): Disposable {
	const version: unknown = vscode.extensions.getExtension(EXTENSION_ID)?.packageJSON.version;
	const store = new DisposableStore();
	const offer = onFirstUse(async () => store.add(new (await import('./mcpOffer.ts')).McpOffer(dependencies)));
	const program = vscode.Uri.joinPath(extensionUri, 'dist', 'mcp.js').fsPath;
	store.add(
		vscode.lm.registerMcpServerDefinitionProvider(MCP_PROVIDER, {
			provideMcpServerDefinitions: () => [
				new vscode.McpStdioServerDefinition('Errand', process.execPath, [program], environment(), String(version)),
			],
			async resolveMcpServerDefinition(server: vscode.McpStdioServerDefinition) {
				const { address, token } = await (await offer()).pipe();
				server.env = { ...environment(), [PIPE_VARIABLES.address]: address, [PIPE_VARIABLES.token]: token };
				return server;
			},
		}),
	);
	return store;
}

/** The editor's own Node runs the server. */
const environment = () => ({ ELECTRON_RUN_AS_NODE: '1' });
