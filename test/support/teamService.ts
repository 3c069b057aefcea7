// The service for a team at work: a PostgreSQL, front ends and workers, of which any may end and be replaced.
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, readlink, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Pool } from 'pg';
import type { Postgres } from '../../scripts/postgres.ts';
import { defined } from '../../src/base/defined.ts';
import { nullLogger } from '../../src/base/logger.ts';
import { createClient } from '../../src/client/client.ts';
import type { Transport } from '../../src/client/core/transport.ts';
import { createUndiciTransport } from '../../src/client/core/undiciTransport.ts';
import type { Client } from '../../src/client/types.ts';
import { connectionSchema } from '../../src/contract/connection.ts';
import { WORK_MARKER, workFolderOf } from '../../src/service/stateFolder.ts';
import { openPool } from '../../src/team/database/pool.ts';
import { TEAM_PROGRAM } from './programs.ts';
import { type TeamProcess, TeamProcesses } from './teamProcesses.ts';
import { startOwnPostgres } from './useTeamDatabase.ts';

const BUNDLE = path.resolve('dist-team/errand-service.js');

/** The address that clients are made with. Each of their requests goes to one of the front ends instead. */
const BALANCED = 'http://127.0.0.1:9';

export interface TeamWorkerProcess extends TeamProcess {
	/** The folder, which its successor takes over. */
	readonly folder: string;
}

export interface TeamServiceOptions {
	/** The content of the operator's file. */
	configuration?: object;
	/** Whether PostgreSQL waits for the disk, as it does in use. */
	isDurable?: boolean;
	/** True to start the output of `npm run build -- --team` instead of the source. */
	bundle?: boolean;
	environment?: Record<string, string>;
}

export class TeamService {
	readonly postgres: Postgres;
	readonly pool: Pool;
	readonly frontEnds = new Set<TeamProcess>();
	readonly workers = new Set<TeamWorkerProcess>();
	private readonly folder: string;
	private readonly processes: TeamProcesses;
	private readonly transport = createUndiciTransport();
	private folders = 0;

	private constructor(postgres: Postgres, processes: TeamProcesses, folder: string) {
		this.postgres = postgres;
		this.processes = processes;
		this.folder = folder;
		this.pool = openPool(postgres.url, nullLogger);
	}

	/** Starts a PostgreSQL with the schema, and nothing else yet. */
	static async start({ configuration = {}, isDurable = false, bundle, environment }: TeamServiceOptions = {}) {
		const folder = await mkdtemp(path.join(os.tmpdir(), 'errand-team-'));
		const temporary = path.join(folder, 'temporary');
		await mkdir(temporary);
		const postgres = await startOwnPostgres({ isDurable });
		const processes = await TeamProcesses.create(
			postgres.url,
			configuration,
			{ ...environment, TMPDIR: temporary },
			bundle ? BUNDLE : TEAM_PROGRAM,
		).catch(async error => {
			await postgres.stop();
			throw error;
		});
		return new TeamService(postgres, processes, folder);
	}

	async startFrontEnd(...options: string[]): Promise<TeamProcess> {
		const started = await this.processes.serve(...options);
		this.frontEnds.add(started);
		return started;
	}

	async startWorker(slots: number, folder = path.join(this.folder, `worker-${++this.folders}`)) {
		const options = ['--slots', String(slots), '--data', folder, '--grace-seconds', '0'];
		const started: TeamWorkerProcess = { ...(await this.processes.work(...options)), folder };
		this.workers.add(started);
		return started;
	}

	/** Ends a front end or a worker without warning. Resolves when it is gone. */
	async kill(one: TeamProcess | TeamWorkerProcess): Promise<void> {
		this.frontEnds.delete(one);
		this.workers.delete(one as TeamWorkerProcess);
		const ended = once(one.child, 'exit');
		one.child.kill('SIGKILL');
		await ended;
	}

	/** Adds a user, and returns a token of theirs. */
	async addUser(name: string): Promise<string> {
		await this.processes.run(['user', 'add', name]);
		return this.processes.run(['token', 'add', name]);
	}

	/** Returns a client each of whose requests goes to the front end that `choose` names. */
	client(token: string, choose = () => [...this.frontEnds][0]): Client {
		const transport: Transport = {
			request: request => {
				const frontEnd = choose();
				return frontEnd === undefined
					? Promise.reject(Object.assign(new Error('no front end is there'), { code: 'ECONNREFUSED' }))
					: this.transport.request({ ...request, url: request.url.replace(BALANCED, frontEnd.address) });
			},
		};
		return clientAt(BALANCED, token, transport);
	}

	/** Stores a user's token for a source host. */
	async setSourceToken(user: string, scm: string, token: string): Promise<void> {
		await this.processes.run(['source', 'set', user, scm, '--config', this.processes.configuration], token);
	}

	/**
	 * Returns what runs have left in the folders of workers, and programs in the one for temporary files. What a front end
	 * leaves that is killed while it looks at a repository does not count: the system empties that folder.
	 */
	async leftFiles(): Promise<string[]> {
		const workers = (await readdir(this.folder)).filter(name => /^worker-\d+$/.test(name));
		const folders = [...workers.map(name => workFolderOf(path.join(this.folder, name))), this.temporary];
		const left = await Promise.all(
			folders.map(async folder => (await readdir(folder)).map(name => path.join(folder, name))),
		);
		return left.flat().filter(file => path.basename(file) !== WORK_MARKER && !path.basename(file).startsWith('query-'));
	}

	/** Returns the processes in the folders of the service that are not its programs. */
	async leftProcesses(): Promise<string[]> {
		const own = new Set([...this.frontEnds, ...this.workers].map(({ child }) => child.pid));
		const found: string[] = [];
		for (const id of (await readdir('/proc')).filter(name => /^\d+$/.test(name) && !own.has(Number(name)))) {
			const [commandLine, folder] = await Promise.all([
				readFile(`/proc/${id}/cmdline`, 'latin1').catch(() => ''),
				readlink(`/proc/${id}/cwd`).catch(() => ''),
			]);
			if (`${commandLine} ${folder}`.includes(this.folder)) {
				found.push(`${id} in ${folder}: ${commandLine.replaceAll('\0', ' ')}`);
			}
		}
		return found;
	}

	/** Ends everything, and removes it. */
	async stop(): Promise<void> {
		await Promise.all([...this.frontEnds, ...this.workers].map(one => this.kill(one)));
		await this.transport.close();
		await this.processes.stop();
		await this.pool.end();
		await this.postgres.stop();
		await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
	}

	private get temporary(): string {
		return path.join(this.folder, 'temporary');
	}
}

/** Returns a client of one front end, or of a local service. */
export function clientAt(address: string, token: string, transport?: Transport): Client {
	const connection = connectionSchema.parse({ apiUrl: address, cloudUrl: address, service: 'team' });
	return createClient({
		connection: { name: 'team', ...connection },
		keys: () => Promise.resolve(token),
		...defined({ transport }),
	});
}
