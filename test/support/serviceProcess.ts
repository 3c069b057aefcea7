import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { DISCOVERY_FILE, discoverySchema, type StartLine, startLineSchema } from '../../src/contract/control.ts';
import type { UpstreamHandoverInput } from '../../src/contract/upstreams.ts';
import { workFolderOf } from '../../src/service/stateFolder.ts';
import { SERVICE_PROGRAM } from './programs.ts';

const BUNDLE = path.resolve('dist/service.js');
const START_TIMEOUT_MS = 60_000;

export interface ServiceProcessOptions {
	/** The state folder; by default, a new folder that is removed at the end. */
	stateFolder?: string;
	idleSeconds?: number;
	/** The number of tasks that run at the same time. */
	runningTasks?: number;
	environment?: Record<string, string>;
	/**
	 * The upstreams for the service. By default, there are none, so that no test meets the model servers of the machine
	 * on which it runs.
	 */
	handover?: UpstreamHandoverInput;
	/** True to start the output of `npm run build` instead of the source. */
	bundle?: boolean;
}

/** The first line, the errors and the exit code of a service that ended instead of serving. */
export interface EndedStart {
	line: StartLine | undefined;
	stderr: string;
	code: number | null;
}

/** The real service in a separate process. Every test that starts one must call `stop`. */
export class ServiceProcess {
	readonly address: string;
	readonly token: string;
	readonly pid: number;
	readonly stateFolder: string;
	readonly child: ChildProcess;
	/** What it has written to its standard error so far. */
	readonly log: () => string;
	private readonly ownsFolder: boolean;

	private constructor(
		child: ChildProcess,
		log: () => string,
		{ address, token, stateFolder }: Pick<ServiceProcess, 'address' | 'token' | 'stateFolder'>,
		ownsFolder: boolean,
	) {
		this.child = child;
		this.log = log;
		this.address = address;
		this.token = token;
		this.pid = child.pid ?? 0;
		this.stateFolder = stateFolder;
		this.ownsFolder = ownsFolder;
	}

	static async start(options: ServiceProcessOptions = {}): Promise<ServiceProcess> {
		const stateFolder = options.stateFolder ?? (await mkdtemp(path.join(os.tmpdir(), 'errand-service-')));
		const args = ['--data', stateFolder, '--idle-seconds', String(options.idleSeconds ?? 60), '--upstreams-from-stdin'];
		if (options.runningTasks !== undefined) {
			args.push('--running-tasks', String(options.runningTasks));
		}
		const child = spawnService(args, options);
		child.stdin?.end(`${JSON.stringify(options.handover ?? { upstreams: [], findOllama: false })}\n`);
		let stderr = '';
		child.stderr?.setEncoding('utf8').on('data', (text: string) => {
			stderr += text;
		});
		const line = await firstLine(child);
		if (!line?.ready) {
			child.kill('SIGKILL');
			throw new Error(`The service did not start: ${line?.message ?? stderr}`);
		}
		const discovery = discoverySchema.parse(JSON.parse(await readFile(path.join(stateFolder, DISCOVERY_FILE), 'utf8')));
		const facts = { address: line.address, token: discovery.token, stateFolder };
		return new ServiceProcess(child, () => stderr, facts, options.stateFolder === undefined);
	}

	/** Starts a service that is expected to end at once. */
	static async startToEnd(args: string[], options: ServiceProcessOptions = {}): Promise<EndedStart> {
		const child = spawnService(args, options);
		let stderr = '';
		child.stderr?.setEncoding('utf8').on('data', (text: string) => {
			stderr += text;
		});
		const closed = once(child, 'close');
		const line = await firstLine(child);
		const timer = setTimeout(() => child.kill('SIGKILL'), START_TIMEOUT_MS);
		const [code] = (await closed) as [number | null];
		clearTimeout(timer);
		return { line, stderr, code };
	}

	get hasEnded(): boolean {
		return this.child.exitCode !== null || this.child.signalCode !== null;
	}

	fetch(target: string, init: RequestInit & { json?: unknown } = {}): Promise<Response> {
		const { json, ...rest } = init;
		return fetch(`${this.address}${target}`, {
			...rest,
			...(json === undefined ? {} : { method: init.method ?? 'POST', body: JSON.stringify(json) }),
			headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json', ...init.headers },
		});
	}

	/** Resolves with the exit code, which is `null` after a signal. */
	async ended(): Promise<number | null> {
		if (!this.hasEnded) {
			await once(this.child, 'exit');
		}
		return this.child.exitCode;
	}

	/** Kills the process without warning, like a crash. */
	async crash(): Promise<void> {
		this.child.kill('SIGKILL');
		await this.ended();
	}

	async stop(): Promise<void> {
		if (!this.hasEnded) {
			this.child.kill('SIGTERM');
			const timer = setTimeout(() => this.child.kill('SIGKILL'), 10_000);
			await this.ended();
			clearTimeout(timer);
		}
		if (this.ownsFolder) {
			await rm(this.stateFolder, { recursive: true, force: true });
			await rm(workFolderOf(this.stateFolder), { recursive: true, force: true });
		}
	}
}

function spawnService(args: string[], { environment, bundle }: ServiceProcessOptions): ChildProcess {
	const program = bundle ? BUNDLE : SERVICE_PROGRAM;
	if (!existsSync(program)) {
		throw new Error(`${program} is not there. Build it first.`);
	}
	return spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, ...args], {
		stdio: ['pipe', 'pipe', 'pipe'],
		env: { ...process.env, ...environment },
	});
}

async function firstLine(child: ChildProcess): Promise<StartLine | undefined> {
	if (child.stdout === null) {
		throw new Error('The service has no standard output.');
	}
	const timer = setTimeout(() => child.kill('SIGKILL'), START_TIMEOUT_MS);
	try {
		for await (const line of createInterface({ input: child.stdout })) {
			return startLineSchema.parse(JSON.parse(line));
		}
		return undefined;
	} finally {
		clearTimeout(timer);
		// The rest of the output is read, so that the pipe never fills.
		child.stdout.resume();
	}
}
