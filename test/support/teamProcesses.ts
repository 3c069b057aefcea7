// The service for a team as its operator starts it: processes of its own program, and a database.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { workFolderOf } from '../../src/service/stateFolder.ts';
import { TEAM_PROGRAM } from './programs.ts';

const STOP_LIMIT_MS = 20_000;

/** A process that serves or works. */
export interface TeamProcess {
	readonly child: ChildProcess;
	/** Where a front end listens. */
	readonly address: string;
	/** What it has logged so far. */
	log(): string;
	stop(): Promise<void>;
}

/** Starts the program with one database, one configuration and one key for all of its processes. */
export class TeamProcesses {
	private readonly folder: string;
	private readonly environment: Record<string, string | undefined>;
	private readonly program: string;
	private readonly running: TeamProcess[] = [];

	private constructor(folder: string, environment: Record<string, string | undefined>, program: string) {
		this.folder = folder;
		this.environment = environment;
		this.program = program;
	}

	/** Prepares the schema of an empty database. `environment` has the variables that the configuration names. */
	static async create(
		databaseUrl: string,
		configuration: object,
		environment: Record<string, string> = {},
		program = TEAM_PROGRAM,
	): Promise<TeamProcesses> {
		const folder = await mkdtemp(path.join(os.tmpdir(), 'errand-team-'));
		await writeFile(path.join(folder, 'errand.json'), JSON.stringify(configuration));
		const team = new TeamProcesses(
			folder,
			{
				...process.env,
				...environment,
				DATABASE_URL: databaseUrl,
				ERRAND_SERVICE_KEYS: randomBytes(32).toString('base64'),
			},
			program,
		);
		await team.run(['migrate']);
		return team;
	}

	/** Puts a new key before the others, for the programs that are started from now on. */
	addKey(key: string): void {
		this.environment['ERRAND_SERVICE_KEYS'] = `${key},${this.environment['ERRAND_SERVICE_KEYS']}`;
	}

	/** Runs a command to its end, and returns what it has printed. */
	async run(args: readonly string[], input = ''): Promise<string> {
		const child = this.spawn(args);
		child.stdin?.end(input);
		const [output, errors] = await Promise.all([text(child.stdout as never), text(child.stderr as never)]);
		if (child.exitCode === null) {
			await once(child, 'exit');
		}
		if (child.exitCode !== 0) {
			throw new Error(errors);
		}
		return output.trim();
	}

	serve(...options: string[]): Promise<TeamProcess> {
		return this.start(['serve', '--config', this.configuration, '--listen', '127.0.0.1:0', ...options]);
	}

	/** Starts a worker with a folder of its own. */
	work(...options: string[]): Promise<TeamProcess> {
		const data = path.join(this.folder, `worker-${this.running.length}`);
		return this.start(['work', '--config', this.configuration, '--data', data, ...options]);
	}

	get configuration(): string {
		return path.join(this.folder, 'errand.json');
	}

	/** All that its processes have logged. */
	logs(): string {
		return this.running.map(one => one.log()).join('');
	}

	async stop(): Promise<void> {
		await Promise.all(this.running.map(one => one.stop()));
		for (let index = 0; index < this.running.length; index++) {
			await rm(workFolderOf(path.join(this.folder, `worker-${index}`)), { recursive: true, force: true });
		}
		await rm(this.folder, { recursive: true, force: true });
	}

	private spawn(args: readonly string[]): ChildProcess {
		return spawn(process.execPath, ['--disable-warning=ExperimentalWarning', this.program, ...args], {
			stdio: ['pipe', 'pipe', 'pipe'],
			env: this.environment as NodeJS.ProcessEnv,
		});
	}

	private async start(args: readonly string[]): Promise<TeamProcess> {
		const child = this.spawn(args);
		let log = '';
		child.stderr?.setEncoding('utf8').on('data', (piece: string) => {
			log += piece;
		});
		const ended = once(child, 'exit');
		const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
		const line = await Promise.race([
			once(lines, 'line').then(([first]) => String(first)),
			ended.then(() => undefined),
		]);
		if (line === undefined) {
			throw new Error(`The program did not start: ${log}`);
		}
		child.stdout?.resume();
		const one: TeamProcess = {
			child,
			address: JSON.parse(line).address ?? '',
			log: () => log,
			async stop() {
				if (child.exitCode === null && child.signalCode === null) {
					child.kill('SIGTERM');
					const timer = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
					await ended;
					clearTimeout(timer);
				}
			},
		};
		this.running.push(one);
		return one;
	}
}
