import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { GitHttpServer } from '../../test/support/gitHttpServer.ts';
import { SourceHostServer } from '../../test/support/sourceHostServer.ts';
import { root } from '../bootstrap/folders.mjs';
import { startPostgres } from '../postgres.ts';
import { endFamily } from '../processes.ts';

const PROGRAM = path.join(root, 'src', 'team', 'main.ts');
const WORKERS = 2;
export const USER = 'me';
const MODEL = 'demo';
export const SCM = 'gitea';
export const HOST_TOKEN = 'host-token';

export interface Team {
	address: string;
	/** Settings that make it the connection in use. */
	settings: Record<string, unknown>;
	/** The key of the connection. It is the same as long as the folder is kept. */
	token: string;
	stop(): Promise<void>;
}

/**
 * Starts a service for a team on this machine: a PostgreSQL, one front end and two workers, with the demo's agents, and
 * a source host from which the sample repository is cloned from then on.
 * PostgreSQL does not run as root, so that its folder must be one that other users reach.
 */
export async function startTeam(folder: string, sample: string): Promise<Team> {
	fs.mkdirSync(folder, { recursive: true });
	const logFile = path.join(folder, 'log');
	const log = fs.openSync(logFile, 'a', 0o600);
	const endings: (() => unknown)[] = [() => fs.closeSync(log)];
	const stop = async () => {
		for (const end of endings.splice(0).reverse()) {
			await end();
		}
	};
	try {
		const host = await startSourceHost(path.join(folder, 'host'), sample);
		endings.push(host.stop);
		const configuration = path.join(folder, 'configuration.json');
		fs.writeFileSync(configuration, JSON.stringify({ demo: true, sources: [host.source] }));
		const postgres = await startPostgres(path.join(folder, 'postgres'));
		endings.push(postgres.stop);
		const env = {
			...process.env,
			DATABASE_URL: postgres.url,
			ERRAND_SERVICE_KEYS: kept(path.join(folder, 'key'), () => randomBytes(32).toString('base64')),
		};
		const run = (args: readonly string[], input = ''): string =>
			execFileSync(process.execPath, [PROGRAM, ...args], { env, input, encoding: 'utf8', stdio: 'pipe' });
		const start = async (...args: string[]): Promise<{ address?: string }> => {
			const program = [PROGRAM, ...args, '--config', configuration];
			const child = spawn(process.execPath, program, { env, stdio: ['ignore', 'pipe', log] });
			endings.push(() => endFamily(child.pid));
			const lines = createInterface({ input: child.stdout as Readable });
			const [line] = await Promise.race([
				once(lines, 'line'),
				once(child, 'exit').then(() => {
					throw new Error(`"errand-service ${args[0]}" ended before it was ready. ${logFile} says why.`);
				}),
			]);
			return JSON.parse(line);
		};
		run(['migrate']);
		const token = kept(path.join(folder, 'token'), () => {
			run(['user', 'add', USER]);
			return run(['token', 'add', USER]).trim();
		});
		run(['source', 'set', USER, SCM, '--config', configuration], HOST_TOKEN);
		// The editor keeps the token for this address alone, so that the next launch has the same one.
		const portFile = path.join(folder, 'port');
		const port = fs.existsSync(portFile) ? fs.readFileSync(portFile, 'utf8') : '0';
		const { address = '' } = await start('serve', '--listen', `127.0.0.1:${port}`);
		fs.writeFileSync(portFile, new URL(address).port);
		for (let worker = 1; worker <= WORKERS; worker++) {
			await start('work', '--slots', '2', '--data', path.join(folder, `worker-${worker}`));
		}
		return { address, settings: settingsFor(address), token, stop };
	} catch (error) {
		await stop();
		throw error;
	}
}

/** Serves the origin of the sample repository as a source host does, to everybody on this machine. */
export async function startSourceHost(folder: string, sample: string) {
	const origin = `${sample}-origin.git`;
	const name = path.basename(sample);
	const place = path.join(folder, USER, `${name}.git`);
	fs.mkdirSync(path.dirname(place), { recursive: true });
	fs.rmSync(place, { force: true });
	fs.symlinkSync(origin, place);
	const git = await GitHttpServer.start(folder);
	git.isOpen = true;
	const clone = git.address('').replace(/\/$/, '');
	const api = await SourceHostServer.start({
		...{ kind: 'gitea', clone },
		accounts: [{ login: USER, token: HOST_TOKEN }],
		repositories: [{ owner: USER, name, writers: [USER], folder: origin }],
	});
	const address = git.address(`${USER}/${name}.git`);
	execFileSync('git', ['-C', sample, 'remote', 'set-url', 'origin', address]);
	return {
		source: { scm: SCM, kind: 'gitea', api: api.api, clone },
		stop: () => Promise.all([git.stop(), api.stop()]),
	};
}

/** Returns the text of a file that only this user can read. It is made once. */
function kept(file: string, make: () => string): string {
	if (!fs.existsSync(file)) {
		fs.writeFileSync(file, make(), { mode: 0o600 });
	}
	return fs.readFileSync(file, 'utf8');
}

function settingsFor(address: string): Record<string, unknown> {
	const team = {
		label: 'Team',
		apiUrl: address,
		cloudUrl: address,
		agentUrl: address,
		service: 'errand',
		scm: SCM,
		models: [{ id: MODEL, label: 'Demo' }],
		agents: [
			{ id: 'demo', label: 'Demo', models: [MODEL] },
			{ id: 'demo-two', label: 'Demo Two', models: [MODEL] },
		],
	};
	return { 'errand.connections': { team }, 'errand.connection': 'team' };
}
