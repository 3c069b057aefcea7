import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Writable } from 'node:stream';
import { promisify } from 'node:util';
import type { Context } from 'mocha';
import { prepareFolders } from '../../src/agents/sandbox/folders.ts';
import type { SandboxLimits } from '../../src/agents/sandbox/limits.ts';
import { packageFolders } from '../../src/agents/sandbox/packageFolders.ts';
import { insidePlaces } from '../../src/agents/sandbox/places.ts';
import { trySandbox } from '../../src/agents/sandbox/probe.ts';
import { toolchains } from '../../src/agents/sandbox/toolchains.ts';
import { type LentFolder, type SandboxRelay, type SandboxRequest, wrap } from '../../src/agents/sandbox/wrap.ts';

/** Nothing on this machine contains this text, except where a test puts it for the agent to find. */
export const SECRET = 'the-secret-of-the-host-5b1f';

/** Skips a suite in a hook if there is no sandbox, because without one, an agent would work on this machine. */
export async function skipWithoutSandbox(hook: Context): Promise<void> {
	if (!(await trySandbox()).works) {
		hook.skip();
	}
}

/**
 * Returns whether a folder for temporary files contains our own Node, as in a clone of the project inside it. Then the
 * folder is a small file system in memory instead of a folder of the agent's home.
 */
export const holdsOurNode = (folder: string): boolean => process.execPath.startsWith(`${folder}/`);

/** The program that serves the relay inside, as source. */
export const INSIDE_PROGRAM = path.resolve(import.meta.dirname, '../../src/agents/sandbox/inside.ts');

export interface Outcome {
	code: number | null;
	signal: NodeJS.Signals | null;
	stdout: string;
	/** Both outputs, in order of arrival. */
	output: string;
}

export interface ScriptOptions {
	env?: Record<string, string>;
	limits?: SandboxLimits;
	/** The relay's socket. */
	socket?: string;
	readOnly?: string[];
	lent?: LentFolder[];
}

/** A real sandbox with folders of its own, in which shell scripts run. */
export class TestSandbox {
	/** Contains the other folders and anything that must not be visible inside. It is closed to other users. */
	readonly folder: string;
	readonly tree: string;
	readonly home: string;
	readonly inside = insidePlaces('repository');
	private readonly running = new Set<ChildProcess>();

	private constructor(folder: string) {
		this.folder = folder;
		this.tree = path.join(folder, 'tree');
		this.home = path.join(folder, 'home');
	}

	/** Creates its own folder in `parent`. */
	static async create(parent = os.tmpdir()): Promise<TestSandbox> {
		const sandbox = new TestSandbox(await mkdtemp(path.join(parent, 'errand-sandbox-test-')));
		await mkdir(sandbox.tree);
		await mkdir(sandbox.home);
		return sandbox;
	}

	/** Ends all running scripts and removes all folders. */
	async remove(): Promise<void> {
		for (const child of this.running) {
			child.kill('SIGKILL');
		}
		// Node cannot remove folders nested deeper than the longest path.
		await promisify(execFile)('rm', ['-rf', '--', this.folder]);
	}

	/** Returns the request that runs a shell script. */
	async request(
		script: string,
		{ env, limits, socket, readOnly = [], lent }: ScriptOptions = {},
	): Promise<SandboxRequest> {
		const hidden = [this.folder];
		const tools = toolchains(hidden);
		const node = await packageFolders(process.execPath, os.homedir(), hidden);
		const relay: SandboxRelay | undefined = socket
			? { socket, node: node.command, program: INSIDE_PROGRAM }
			: undefined;
		return {
			command: '/bin/sh',
			args: ['-c', script],
			env: {
				...{ PATH: `${path.dirname(node.command)}:${tools.path}`, HOME: this.inside.home, LANG: 'C.UTF-8' },
				...tools.variables,
				...env,
			},
			tree: this.tree,
			home: this.home,
			name: 'repository',
			readOnly: [...tools.readOnly, ...node.readOnly, ...readOnly],
			...(relay && { relay }),
			...(limits && { limits }),
			...(lent && { lent }),
		};
	}

	/** Returns the names that may be visible at the top of the file system inside. */
	async namesAtTop(): Promise<Set<string>> {
		const names = new Set([
			'bin',
			'dev',
			'etc',
			'home',
			'lib',
			'lib32',
			'lib64',
			'libx32',
			'proc',
			'sbin',
			'tmp',
			'usr',
		]);
		const { readOnly } = await this.request('');
		for (const folder of ['/var/tmp', this.inside.tree, ...readOnly]) {
			names.add(folder.split('/')[1] ?? '');
		}
		return names;
	}

	/** Starts a script. Its standard input is a pipe, like an agent's. */
	async start(script: string, options: ScriptOptions = {}): Promise<ChildProcess> {
		const { signal } = new AbortController();
		await prepareFolders({
			tree: this.tree,
			home: this.home,
			signal,
			...(options.socket && { socket: options.socket }),
		});
		return this.startRequest(await this.request(script, options));
	}

	/** Starts a request whose folders are ready. */
	startRequest(request: SandboxRequest): ChildProcess {
		const { command, args, env, furtherInput } = wrap(request);
		const child = spawn(command, args, { env, stdio: ['pipe', 'pipe', 'pipe', 'pipe'] });
		(child.stdio[3] as Writable).on('error', () => {}).end(furtherInput);
		this.running.add(child);
		child.once('exit', () => this.running.delete(child));
		return child;
	}

	/** Runs commands, each of which must fail, and returns their output. */
	async refuses(...commands: string[]): Promise<string> {
		const attempts = commands.map((command, index) => `if ${command}; then echo "${index} has succeeded"; fi`);
		const { output, code } = await this.run([...attempts, 'echo all were tried'].join('\n'));
		assert.match(output, /all were tried/, `it ended with ${code}: ${output}`);
		for (const [index, command] of commands.entries()) {
			assert.doesNotMatch(output, new RegExp(`^${index} has succeeded`, 'm'), `${command}\n${output}`);
		}
		return output;
	}

	/** Runs a script to its end. */
	async run(script: string, options: ScriptOptions = {}): Promise<Outcome> {
		return outcomeOf(await this.start(script, options));
	}
}

/** Collects the output of a child until it ends. */
export function outcomeOf(child: ChildProcess): Promise<Outcome> {
	let stdout = '';
	let output = '';
	child.stdout?.setEncoding('utf8').on('data', (text: string) => {
		stdout += text;
		output += text;
	});
	child.stderr?.setEncoding('utf8').on('data', (text: string) => {
		output += text;
	});
	return new Promise((resolve, reject) => {
		child.once('error', reject);
		child.once('close', (code, signal) => resolve({ code, signal, stdout, output }));
	});
}
