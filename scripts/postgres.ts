import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { ensureDebianPackage } from './debianPackage.ts';

const DEBIAN_PROGRAMS = '/usr/lib/postgresql';
const START_LIMIT_MS = 60_000;
const USER = 'errand';

export interface Postgres {
	/** The address of the database `postgres`, with the password. */
	readonly url: string;
	/**
	 * Ends every connection, and comes back at the same address: as a restart by an operator does with SIGINT, and as after
	 * a crash with SIGQUIT.
	 */
	restart(signal?: 'SIGINT' | 'SIGQUIT'): Promise<void>;
	stop(): Promise<void>;
}

/** Installs PostgreSQL if the user or CI agrees to that. Resolves with the folder of its programs. */
export async function ensurePostgres(): Promise<string> {
	const server = await ensureDebianPackage({
		what: 'a PostgreSQL',
		packageName: 'postgresql',
		find: findPostgres,
		advice: 'The service for a team needs PostgreSQL 14 or newer. Install its server, with initdb and postgres.',
	});
	return path.dirname(server);
}

/** Returns the newest installed server. Debian has its programs outside of the search path. */
function findPostgres(): string | undefined {
	const versions = fs.existsSync(DEBIAN_PROGRAMS) ? fs.readdirSync(DEBIAN_PROGRAMS) : [];
	const folders = [
		...versions.sort((a, b) => Number(b) - Number(a)).map(version => path.join(DEBIAN_PROGRAMS, version, 'bin')),
		...(process.env['PATH'] ?? '').split(path.delimiter),
	];
	return folders.map(folder => path.join(folder, 'postgres')).find(program => fs.existsSync(program));
}

/**
 * Starts a PostgreSQL at a free port of loopback, with the data in a new or earlier folder of its own. With
 * `isDurable: false`, a crash of the machine may destroy the data, and the disk is not waited for.
 */
export async function startPostgres(folder: string, { isDurable = true } = {}): Promise<Postgres> {
	const programs = await ensurePostgres();
	const identity = ownerOf(folder);
	const data = path.join(folder, 'data');
	const passwordFile = path.join(folder, 'password');
	if (!fs.existsSync(path.join(data, 'PG_VERSION'))) {
		fs.writeFileSync(passwordFile, randomBytes(24).toString('hex'), { mode: 0o600 });
		if (identity !== undefined) {
			fs.chownSync(passwordFile, identity.uid, identity.gid);
		}
		const how = ['--auth=scram-sha-256', `--pwfile=${passwordFile}`, '--encoding=UTF8', '--locale=C'];
		how.push(...(isDurable ? [] : ['--no-sync']));
		const options = { ...identity, cwd: folder };
		await promisify(execFile)(path.join(programs, 'initdb'), ['-D', data, '-U', USER, ...how], options);
	}
	const port = await freePort();
	const settings = [
		'listen_addresses=127.0.0.1',
		// There are no sockets for other users of the machine to try.
		'unix_socket_directories=',
		// Several test files, each with programs of its own, share a server.
		'max_connections=300',
		...(isDurable ? [] : ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off']),
	].flatMap(setting => ['-c', setting]);
	const start = () =>
		startServer(path.join(programs, 'postgres'), ['-D', data, '-p', String(port), ...settings], {
			...identity,
			cwd: folder,
		});
	let server = await start();
	const end = async (signal: NodeJS.Signals) => {
		if (server.exitCode === null && server.signalCode === null) {
			const ended = once(server, 'exit');
			// SIGINT ends the connections and stores everything; SIGTERM would wait for the clients to leave.
			server.kill(signal);
			await ended;
		}
	};
	const url = `postgres://${USER}:${fs.readFileSync(passwordFile, 'utf8')}@127.0.0.1:${port}/postgres`;
	return {
		url,
		restart: async (signal = 'SIGINT') => {
			await end(signal);
			server = await start();
		},
		stop: () => end('SIGINT'),
	};
}

/** PostgreSQL refuses to run as root. Returns who runs it then, and gives that user the folder. */
function ownerOf(folder: string): { uid: number; gid: number } | undefined {
	fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
	if (process.getuid?.() !== 0) {
		return undefined;
	}
	const [, uid, gid] = /^nobody:[^:]*:(\d+):(\d+)/m.exec(fs.readFileSync('/etc/passwd', 'utf8')) ?? [];
	const nobody = { uid: Number(uid), gid: Number(gid) };
	fs.chownSync(folder, nobody.uid, nobody.gid);
	return nobody;
}

async function startServer(
	program: string,
	args: readonly string[],
	options: { uid?: number; gid?: number; cwd: string },
): Promise<ChildProcess> {
	const server = spawn(program, args, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
	const lines: string[] = [];
	await new Promise<void>((resolve, reject) => {
		const fail = () => reject(new Error(`PostgreSQL does not start.\n${lines.join('\n')}`));
		const limit = setTimeout(fail, START_LIMIT_MS);
		server.once('error', reject);
		server.once('exit', fail);
		createInterface(server.stderr as NodeJS.ReadableStream).on('line', line => {
			lines.push(line);
			lines.splice(0, lines.length - 50);
			if (line.includes('database system is ready to accept connections')) {
				clearTimeout(limit);
				server.off('exit', fail);
				resolve();
			}
		});
	});
	return server;
}

async function freePort(): Promise<number> {
	const server = createServer().listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as AddressInfo;
	server.close();
	await once(server, 'close');
	return port;
}
