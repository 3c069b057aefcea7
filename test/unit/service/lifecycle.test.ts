import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmod, lstat, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import http from 'node:http';
import { createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { nullLogger } from '../../../src/base/logger.ts';
import { controlPaths, DISCOVERY_FILE, proofOf } from '../../../src/contract/control.ts';
import { registerControlRoutes } from '../../../src/service/controlRoutes.ts';
import { IdleWatch } from '../../../src/service/idleWatch.ts';
import { createApp, startServer } from '../../../src/service/server.ts';
import { LOCK_FILE, workFolderOf } from '../../../src/service/stateFolder.ts';
import { ServiceProcess } from '../../support/serviceProcess.ts';
import { TemporaryRepository } from '../../support/temporaryRepository.ts';
import { isAlive, waitFor } from '../../support/waitFor.ts';
import { createTask, errorOf, finalTask } from './helpers.ts';

const exists = (file: string) =>
	lstat(file).then(
		() => true,
		() => false,
	);

describe('the life of the local service', () => {
	let folder: string;
	const services: ServiceProcess[] = [];

	beforeEach(async () => {
		folder = await mkdtemp(path.join(os.tmpdir(), 'errand-lifecycle-'));
	});
	afterEach(async () => {
		await Promise.all(services.splice(0).map(service => service.stop()));
		await rm(folder, { recursive: true, force: true });
		await rm(workFolderOf(folder), { recursive: true, force: true });
	});

	async function start(idleSeconds = 60, stateFolder = folder): Promise<ServiceProcess> {
		const service = await ServiceProcess.start({ stateFolder, idleSeconds });
		services.push(service);
		return service;
	}

	/** A window's lease, open until released. */
	async function lease(service: ServiceProcess): Promise<() => void> {
		const request = http.get(`${service.address}${controlPaths.lease}`, {
			agent: false,
			headers: { authorization: `Bearer ${service.token}` },
		});
		request.on('error', () => {});
		const [response] = (await once(request, 'response')) as [http.IncomingMessage];
		assert.equal(response.statusCode, 200);
		await once(response, 'data');
		response.on('error', () => {});
		return () => request.destroy();
	}

	describe('finding it', () => {
		it('writes a discovery file that only its owner can read, and a folder closed to others', async () => {
			const service = await start();
			const file = path.join(folder, DISCOVERY_FILE);
			assert.equal((await lstat(file)).mode & 0o777, 0o600);
			assert.equal((await lstat(folder)).mode & 0o777, 0o700);
			const discovery = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>;
			assert.equal(discovery['address'], service.address);
			assert.equal(discovery['pid'], service.pid);
			assert.match(String(discovery['version']), /^\d+\.\d+\.\d+/);
			assert.ok(Math.abs(Date.now() - Date.parse(String(discovery['startedAt']))) < 60_000);
		});

		describe('by a proof', () => {
			let service: ServiceProcess;
			before(async () => {
				service = await ServiceProcess.start();
			});
			after(() => service.stop());

			it('proves that it knows the token without being sent it, for its own address only', async () => {
				const nonce = 'AAECAwQFBgcICQoLDA0ODw';
				const response = await fetch(`${service.address}${controlPaths.proof}?nonce=${nonce}`);
				const { proof } = (await response.json()) as { proof: string };
				assert.equal(proof, proofOf(service.token, service.address, nonce));
				assert.notEqual(proof, proofOf(service.token, 'http://127.0.0.1:1', nonce));
				assert.notEqual(proof, proofOf(`${service.token}x`, service.address, nonce));
			});

			it('refuses to prove anything about a nonce that is missing, short, long or no base64url', async () => {
				for (const query of ['', '?nonce=', '?nonce=AAAA', `?nonce=${'A'.repeat(87)}`, `?nonce=${'%0a'.repeat(30)}`]) {
					const response = await fetch(`${service.address}${controlPaths.proof}${query}`);
					assert.match(await errorOf(response, 400), /16 to 64 bytes|expected string/i, query);
				}
			});
		});

		it('has another token after each start', async () => {
			const first = await start();
			await first.stop();
			const second = await start();
			assert.notEqual(first.token, second.token);
		});
	});

	it('beats on a lease, so that a window can tell a silent service from a dead one', async () => {
		const idleWatch = new IdleWatch({ idleMs: 60_000, isBusy: () => false, onIdle: () => {} });
		const app = createApp(nullLogger);
		const server = await startServer({ token: 'token', port: 0, app, idleWatch: () => idleWatch });
		const stopping = new AbortController();
		registerControlRoutes(app, {
			token: 'token',
			address: () => server.address,
			describe: () => assert.fail('nobody asks for it'),
			answerFoundServer: async () => false,
			keepWork: async () => undefined,
			monthlyUse: () => [],
			stopping: stopping.signal,
			requestStop: () => {},
			heartbeatMs: 50,
		});
		const headers = { authorization: 'Bearer token' };
		const response = await fetch(`${server.address}${controlPaths.lease}`, { headers });
		assert.ok(response.body);
		let beats = 0;
		for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
			assert.match(piece, /^(?:: [a-z]+\n\n)+$/);
			beats += piece.split('\n\n').length - 1;
			if (beats >= 2) {
				break;
			}
		}
		assert.ok(beats >= 2);
		stopping.abort();
		idleWatch.dispose();
		await server.close(0);
	});

	describe('being the only one', () => {
		it('says so and ends well when a service runs already', async () => {
			await start();
			const { line, code } = await ServiceProcess.startToEnd(['--data', folder]);
			assert.equal(code, 0);
			assert.ok(line && !line.ready);
			assert.match(line.message, /running already/);
		});

		it('lets exactly one of several that start at once serve', async () => {
			const starts = await Promise.allSettled(Array.from({ length: 4 }, () => start()));
			const refusals = starts.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
			assert.equal(refusals.length, 3);
			for (const { reason } of refusals) {
				assert.match(String(reason), /running already/);
			}
		});

		it('starts again after a crash, and replaces what the crash left', async () => {
			const first = await start();
			await first.crash();
			assert.ok(await exists(path.join(folder, DISCOVERY_FILE)));
			const second = await start();
			assert.equal((await second.fetch('/api/tasks')).status, 200);
		});

		it('waits for one that is just ending instead of leaving the user with none', async () => {
			const first = await start();
			const repository = await TemporaryRepository.create();
			try {
				await createTask(first, { prompt: '/demo slow', repoUrl: repository.path });
				first.child.kill('SIGTERM');
				await waitFor('the discovery file to go', async () => !(await exists(path.join(folder, DISCOVERY_FILE))));
				const second = await start();
				assert.equal((await second.fetch('/api/tasks')).status, 200);
			} finally {
				await repository.remove();
			}
		});
	});

	describe('ending', () => {
		it('ends by itself when no window ever comes; asking for a proof does not hold it', async () => {
			const service = await start(0.6);
			const asking = setInterval(() => {
				fetch(`${service.address}${controlPaths.proof}?nonce=${'A'.repeat(22)}`).catch(() => {});
			}, 100);
			try {
				assert.equal(await service.ended(), 0);
			} finally {
				clearInterval(asking);
			}
			assert.ok(!(await exists(path.join(folder, DISCOVERY_FILE))));
		});

		it('stays while one of two windows holds it, and ends after the last has gone', async () => {
			const service = await start(1);
			const releaseFirst = await lease(service);
			const releaseSecond = await lease(service);
			releaseFirst();
			// This is longer than the idle time: if a single release were enough, the service would have ended.
			await new Promise(resolve => setTimeout(resolve, 1_200));
			assert.ok(!service.hasEnded);
			releaseSecond();
			assert.equal(await service.ended(), 0);
		});

		it('stays while a task runs without any window', async () => {
			const repository = await TemporaryRepository.create();
			try {
				const service = await start(1);
				const release = await lease(service);
				await createTask(service, { prompt: 'Without a window', repoUrl: repository.path });
				release();
				assert.equal(await service.ended(), 0);
				const again = await start();
				const { tasks } = (await (await again.fetch('/api/tasks')).json()) as { tasks: { status: string }[] };
				assert.deepEqual(
					tasks.map(task => task.status),
					['completed'],
				);
			} finally {
				await repository.remove();
			}
		});

		it('ends cleanly when told to, with the answer sent, leases closed and files removed', async () => {
			const service = await start();
			await lease(service);
			const response = await service.fetch(controlPaths.shutdown, { method: 'POST' });
			assert.deepEqual(await response.json(), { stopping: true });
			assert.equal(await service.ended(), 0);
			assert.ok(!(await exists(path.join(folder, DISCOVERY_FILE))));
		});

		for (const signal of ['SIGTERM', 'SIGINT'] as const) {
			it(`ends cleanly on ${signal}: the agent dies, the task says why, nothing is left of its folder`, async function () {
				if (process.platform !== 'linux') {
					// The agent is found by way of /proc.
					this.skip();
				}
				const repository = await TemporaryRepository.create();
				try {
					const service = await start();
					const { id } = await createTask(service, { prompt: '/demo slow', repoUrl: repository.path });
					const agent = await waitFor('the agent', () => childOf(service.pid));
					service.child.kill(signal);
					assert.equal(await service.ended(), 0);
					assert.ok(!(await isAlive(agent)));
					assert.ok(!(await exists(workFolderOf(folder))));
					const task = await finalTask(await start(), id);
					assert.equal(task.status, 'error');
					assert.match(task.error ?? '', /^Interrupted: the local service stopped/);
					assert.deepEqual(await repository.branches(), ['main']);
				} finally {
					await repository.remove();
				}
			});
		}

		it('goes on when its output is no longer read', async () => {
			const service = await start();
			service.child.stdout?.destroy();
			service.child.stderr?.destroy();
			const repository = await TemporaryRepository.create();
			try {
				const { id } = await createTask(service, { prompt: 'Still there', repoUrl: repository.path });
				assert.equal((await finalTask(service, id)).status, 'completed');
			} finally {
				await repository.remove();
			}
		});
	});

	describe('its command line and folder', () => {
		const refusal = async (args: string[]) => {
			const { line, stderr, code } = await ServiceProcess.startToEnd(args);
			assert.equal(line, undefined);
			assert.equal(code, 1);
			assert.ok(!/^\s+at /m.test(stderr), stderr);
			return stderr;
		};

		it('names the option that it does not understand', async () => {
			const [verbose, port, idle] = await Promise.all([
				refusal(['--verbose']),
				refusal(['--port', 'http']),
				refusal(['--data', folder, '--idle-seconds', '-1']),
			]);
			assert.match(verbose, /--verbose/);
			assert.match(port, /--port takes a number/);
			assert.match(idle, /idle-seconds/);
		});

		it('says that a port is taken, and ends at once', async () => {
			const other = createServer().listen(0, '127.0.0.1');
			await once(other, 'listening');
			try {
				const { port } = other.address() as { port: number };
				assert.match(await refusal(['--data', folder, '--port', String(port)]), new RegExp(`Port ${port} is taken`));
			} finally {
				other.close();
			}
		});

		it('closes a folder that others could read', async () => {
			await chmod(folder, 0o755);
			await start();
			assert.equal((await lstat(folder)).mode & 0o777, 0o700);
		});

		it('refuses a folder that is a link or no folder, or belongs to another user', async () => {
			const real = path.join(folder, 'real');
			const link = path.join(folder, 'link');
			await mkdir(real);
			await symlink(real, link);
			assert.match(await refusal(['--data', link]), /symbolic link/);
			const file = path.join(folder, 'file');
			await writeFile(file, '');
			assert.match(await refusal(['--data', file]), /cannot be made|not a folder/);
			if (process.getuid?.() === 0) {
				const { chown } = await import('node:fs/promises');
				await chown(real, 12_345, 12_345);
				assert.match(await refusal(['--data', real]), /belongs to another user/);
			}
		});

		it('refuses the data of a newer version, and data that is no database, without changing them', async () => {
			const file = path.join(folder, 'state.sqlite');
			const database = new DatabaseSync(file);
			database.exec('PRAGMA user_version = 999');
			database.close();
			assert.match(await refusal(['--data', folder]), /newer version/);
			await rm(file);
			await writeFile(file, 'This is no database, but somebody wrote it.');
			assert.match(await refusal(['--data', folder]), /cannot be opened/);
			assert.equal(await readFile(file, 'utf8'), 'This is no database, but somebody wrote it.');
		});

		it('says what is wrong with data that is damaged, and with a lock that is none, without changing them', async () => {
			const repository = await TemporaryRepository.create();
			const service = await start();
			await createTask(service, { prompt: 'x'.repeat(20_000), repoUrl: repository.path });
			await service.stop();
			await repository.remove();
			const file = path.join(folder, 'state.sqlite');
			const whole = await readFile(file);
			const damaged = Buffer.from(whole);
			damaged.fill(0x5a, 4_096);
			await writeFile(file, damaged);
			assert.match(
				await refusal(['--data', folder]),
				/state\.sqlite cannot be opened \(.*malformed\)\. Move the file aside/,
			);
			assert.ok((await readFile(file)).equals(damaged));
			await writeFile(file, whole);
			const lock = path.join(folder, 'lock.sqlite');
			await writeFile(lock, 'This is no lock.');
			assert.match(await refusal(['--data', folder]), /lock\.sqlite cannot be opened .* Move the file aside/);
			assert.equal(await readFile(lock, 'utf8'), 'This is no lock.');
		});

		it('ends at once with a sentence when it cannot say where it is to be found', async () => {
			await writeFile(path.join(folder, LOCK_FILE), '');
			// A folder stands in the place of the discovery file.
			await mkdir(path.join(folder, DISCOVERY_FILE, 'inside'), { recursive: true });
			const began = performance.now();
			assert.match(await refusal(['--data', folder, '--idle-seconds', '60']), /cannot start with the data folder/);
			assert.ok(performance.now() - began < 30_000);
		});

		it('keeps keys, prompts and replies out of its log, and the log below its cap', async () => {
			await writeFile(path.join(folder, LOCK_FILE), '');
			await writeFile(path.join(folder, 'service.log'), 'x'.repeat(1024 * 1024 + 1));
			const service = await start();
			const repository = await TemporaryRepository.create();
			try {
				const secret = 'a-very-private-prompt';
				const messages = [{ role: 'user', content: secret }];
				const chat = service.fetch('/chat/completions', { json: { model: 'demo', messages } });
				const { id } = await createTask(service, { prompt: `${secret} /demo fail`, repoUrl: repository.path });
				await finalTask(service, id);
				assert.match(await (await chat).text(), new RegExp(secret));
				await service.stop();
				const log = await readFile(path.join(folder, 'service.log'), 'utf8');
				assert.match(log, /started/);
				assert.match(log, new RegExp(id));
				assert.ok(log.length < 10_000);
				for (const text of [secret, service.token, repository.path]) {
					assert.ok(!log.includes(text));
				}
			} finally {
				await repository.remove();
			}
		});
	});
});

/** The first child of a process: here, the agent (git's own processes are gone within moments). */
async function childOf(pid: number): Promise<number | undefined> {
	const { readdir } = await import('node:fs/promises');
	for (const name of await readdir('/proc')) {
		if (/^\d+$/.test(name)) {
			const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '');
			const parent = /\) \S (\d+) /.exec(stat)?.[1];
			const command = await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '');
			if (Number(parent) === pid && command.includes('demo-agent')) {
				return Number(name);
			}
		}
	}
	return undefined;
}
