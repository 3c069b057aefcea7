import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { endFamily, endService, newMark } from '../processes.ts';
import { type Front, startFront } from './front.ts';

export interface EditorOptions {
	/** The installed editor. */
	editor: string;
	/** The folder for everything that the editor writes: `server`, `extensions`, `service`, the token and the key. */
	dataFolder: string;
	/** 0 chooses a free port. */
	port?: number;
	flags?: string[];
	/** The delay of messages between windows and their extensions, in milliseconds for each direction. */
	delayMs?: number;
	environment?: Record<string, string>;
}

export interface Editor {
	port: number;
	token: string;
	pid: number;
	/** The mark that every process of this editor carries. */
	mark: string;
	/** The state folder of the local service of this editor's windows. */
	stateFolder: string;
	/** The output of the server. */
	output(): string;
	/** Returns the address of a folder's page, with the token that opens it. */
	address(folder: string): string;
	/** Resolves when the server has ended by itself. */
	ended: Promise<void>;
	stop(): Promise<void>;
}

const startLimitMs = 60_000;

/** Serves the editor on 127.0.0.1, behind a token. */
export async function startEditorServer(options: EditorOptions): Promise<Editor> {
	const { editor, dataFolder } = options;
	const stateFolder = path.join(dataFolder, 'service');
	fs.mkdirSync(path.join(dataFolder, 'extensions'), { recursive: true });
	fs.mkdirSync(stateFolder, { recursive: true, mode: 0o700 });
	const tokenFile = path.join(dataFolder, 'token');
	const token = tokenIn(tokenFile);
	const mark = newMark();
	const environment = {
		...cleanEnvironment(),
		// This prevents calls to an extension gallery.
		EXTENSIONS_GALLERY: '{"serviceUrl":""}',
		ERRAND_STATE_HOME: stateFolder,
		...options.environment,
		...mark.environment,
	};
	const server = spawn(
		process.execPath,
		[
			path.join(editor, 'out', 'server-main.js'),
			...['--host', '127.0.0.1', '--port', '0', '--connection-token-file', tokenFile],
			...['--server-data-dir', path.join(dataFolder, 'server')],
			...['--extensions-dir', path.join(dataFolder, 'extensions')],
			...['--accept-server-license-terms', '--disable-telemetry', '--disable-experiments', '--disable-update-check'],
			'--disable-getting-started-override',
			...(options.flags ?? []),
		],
		// The server has its own process group: Ctrl+C at a terminal is for the launcher, which ends everything in order.
		{ stdio: ['ignore', 'pipe', 'pipe'], env: environment, detached: process.platform !== 'win32' },
	);
	const pid = server.pid ?? 0;
	let output = '';
	for (const stream of [server.stdout, server.stderr]) {
		stream.on('data', chunk => {
			output = (output + chunk).slice(-100_000);
		});
	}
	const ended = new Promise<void>(resolve => server.once('exit', () => resolve()));
	// The server is killed at exit, so that a crashed run leaves no editor behind.
	const onExit = () => killGroup(pid);
	process.once('exit', onExit);
	let front: Front | undefined;
	let stopping: Promise<void> | undefined;
	const stop = () => {
		stopping ??= (async () => {
			await Promise.all([front?.close(), endFamily(pid, mark.value)]);
			// The service is ended last: until then, a window could have started it again.
			await endService(stateFolder);
			process.removeListener('exit', onExit);
			// Processes that were killed late may still hold the pipes open.
			server.stdout.destroy();
			server.stderr.destroy();
		})();
		return stopping;
	};
	try {
		const editorPort = await portOf(server, () => output);
		const keyFile = path.join(dataFolder, 'mint-key');
		const { port = 0, delayMs } = options;
		front = await startFront({ port, editorPort, token, keyFile, ...(delayMs === undefined ? {} : { delayMs }) });
	} catch (error) {
		await stop();
		throw error;
	}
	const { port } = front;
	return {
		port,
		token,
		pid,
		mark: mark.value,
		stateFolder,
		output: () => output,
		address: folder => {
			const kind = folder.endsWith('.code-workspace') ? 'workspace' : 'folder';
			return `http://127.0.0.1:${port}/?tkn=${token}&${kind}=${encodeURIComponent(folder)}`;
		},
		ended,
		stop,
	};
}

/** Resolves with the editor's port once it listens. */
function portOf(server: ChildProcess, output: () => string): Promise<number> {
	return new Promise((resolve, reject) => {
		const timer = setTimeout(() => fail(`did not start within ${startLimitMs / 1000} s`), startLimitMs);
		const fail = (what: string) => {
			clearTimeout(timer);
			reject(new Error(`The editor's server ${what}. What it printed:\n${output().slice(-2_000)}`));
		};
		server.once('error', error => fail(`could not be started: ${error.message}`));
		server.once('exit', code => fail(`ended with exit code ${code}`));
		server.stdout?.on('data', () => {
			const port = /Extension host agent listening on (\d+)/.exec(output())?.[1];
			if (port !== undefined) {
				clearTimeout(timer);
				resolve(Number(port));
			}
		});
	});
}

function killGroup(pid: number): void {
	try {
		process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
	} catch {
		// The process has already ended.
	}
}

/** The token is kept between runs, so that an open page or a bookmark remains valid. */
function tokenIn(file: string): string {
	if (!fs.existsSync(file)) {
		fs.writeFileSync(file, randomBytes(24).toString('hex'), { mode: 0o600 });
	}
	return fs.readFileSync(file, 'utf8').trim();
}

/** Returns the user's environment without the variables of npm or of an editor from which we were started. */
function cleanEnvironment(): Record<string, string> {
	const entries = Object.entries(process.env).filter(
		([name]) => !/^(VSCODE_|ELECTRON_|npm_|INIT_CWD$|NODE$|NODE_(OPTIONS|CHANNEL.*)$)/.test(name),
	);
	const searchPath = (process.env['PATH'] ?? '')
		.split(path.delimiter)
		.filter(folder => !folder.includes('node_modules'));
	return { ...(Object.fromEntries(entries) as Record<string, string>), PATH: searchPath.join(path.delimiter) };
}
