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
	/** Holds everything the editor writes: `server`, `extensions`, `service`, the token and the key. */
	dataFolder: string;
	/** 0 chooses a free one. */
	port?: number;
	flags?: string[];
	/** Puts windows far from their extensions: what they tell each other is so long under way, each way. */
	delayMs?: number;
	environment?: Record<string, string>;
}

export interface Editor {
	port: number;
	token: string;
	pid: number;
	/** The mark that every process of this editor carries. */
	mark: string;
	/** Where the local service of this editor's windows keeps its state. */
	stateFolder: string;
	/** What the server has printed. */
	output(): string;
	/** The page of a folder, with the token that opens it. */
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
		// No calls to an extension gallery.
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
		// A group of its own: Ctrl+C at a terminal is for the launcher, which then ends everything in order.
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
	// A run that dies leaves no editor behind.
	const onExit = () => killGroup(pid);
	process.once('exit', onExit);
	let front: Front | undefined;
	let stopping: Promise<void> | undefined;
	const stop = () => {
		stopping ??= (async () => {
			await Promise.all([front?.close(), endFamily(pid, mark.value)]);
			// Last: until then a window could have started it again.
			await endService(stateFolder);
			process.removeListener('exit', onExit);
			// Processes that were killed late can hold the other ends.
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

/** The editor's port, once it listens. */
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
		// It has ended.
	}
}

/** Kept between runs, so that an open page or a bookmark stays good. */
function tokenIn(file: string): string {
	if (!fs.existsSync(file)) {
		fs.writeFileSync(file, randomBytes(24).toString('hex'), { mode: 0o600 });
	}
	return fs.readFileSync(file, 'utf8').trim();
}

/** The user's environment, without what npm, or an editor that we were started from, put into it. */
function cleanEnvironment(): Record<string, string> {
	const entries = Object.entries(process.env).filter(
		([name]) => !/^(VSCODE_|ELECTRON_|npm_|INIT_CWD$|NODE$|NODE_(OPTIONS|CHANNEL.*)$)/.test(name),
	);
	const searchPath = (process.env['PATH'] ?? '')
		.split(path.delimiter)
		.filter(folder => !folder.includes('node_modules'));
	return { ...(Object.fromEntries(entries) as Record<string, string>), PATH: searchPath.join(path.delimiter) };
}
