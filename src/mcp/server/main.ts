// Errand's MCP server, a separate program that serves one client on its standard input and output.
import os from 'node:os';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { describeError } from '../../base/errors.ts';
import { proxyExceptions } from '../../base/loopback.ts';
import { programVersion } from '../../base/programVersion.ts';
import { stateFolderOf } from '../../contract/control.ts';
import { PIPE_VARIABLES } from '../../contract/pipeVariables.ts';
import { createEditorAccess } from './editorAccess.ts';
import { createLocalAccess } from './localAccess.ts';
import { createServer } from './server.ts';

/** The maximum size of a client's message in bytes. A longer one ends the connection. */
const MAXIMUM_MESSAGE = 16 * 1024 * 1024;

const HELP = `Errand's MCP server. It speaks the Model Context Protocol on its standard input and output.

node mcp.js [--data <folder>]

Started by the editor, it works on the connection of its window. Otherwise it works with the local service that
runs for this user.

  --data <folder>  the data folder of the local service, where it is not the usual one
  --help           this text
`;

function main(): void {
	let options: { data?: string | undefined; help?: boolean | undefined };
	try {
		options = parseArgs({ options: { data: { type: 'string' }, help: { type: 'boolean' } } }).values;
	} catch (error) {
		process.stderr.write(`${describeError(error)}\n\n${HELP}`);
		process.exitCode = 2;
		return;
	}
	if (options.help) {
		process.stdout.write(HELP);
		return;
	}
	const address = process.env[PIPE_VARIABLES.address];
	const token = process.env[PIPE_VARIABLES.token];
	// The token of a service on this machine must not go through a proxy. Both names of the variable are read.
	for (const name of ['no_proxy', 'NO_PROXY']) {
		const given = process.env[name];
		process.env[name] = proxyExceptions(given === undefined ? [] : [given]);
	}
	// A program that this one starts must not reach the editor.
	delete process.env[PIPE_VARIABLES.token];
	const access =
		address && token
			? createEditorAccess({ address, token })
			: createLocalAccess(options.data ?? stateFolderOf(process.env, process.platform, os.homedir()));
	const version = programVersion(fileURLToPath(import.meta.url));
	serveStdio(() => createServer(access, version), {
		transport: new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize: MAXIMUM_MESSAGE }),
		onerror: error => process.stderr.write(`${describeError(error)}\n`),
	});
	// A call may still wait for the service, but its answer is no longer read.
	process.stdin.once('close', () => process.exit());
}

main();
