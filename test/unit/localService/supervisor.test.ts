import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { systemClock } from '../../../src/base/async.ts';
import { UserFacingError } from '../../../src/base/errors.ts';
import { createLogger, nullLogger } from '../../../src/base/logger.ts';
import { DISCOVERY_FILE, readDiscovery } from '../../../src/contract/control.ts';
import type { UpstreamHandoverInput } from '../../../src/contract/upstreams.ts';
import type { StartCommand } from '../../../src/localService/model/startCommand.ts';
import { ask, readActiveTasks, type Service, serviceCalls } from '../../../src/localService/serviceCalls.ts';
import { Supervisor } from '../../../src/localService/supervisor.ts';
import { LOCK_FILE } from '../../../src/service/stateFolder.ts';
import { leaseBreaker } from '../../support/leaseBreaker.ts';
import { SERVICE_PROGRAM } from '../../support/programs.ts';
import { isAlive, waitFor } from '../../support/waitFor.ts';

describe('Supervisor', () => {
	let folder: string;
	const supervisors: Supervisor[] = [];
	const pids = new Set<number>();
	let handover: UpstreamHandoverInput;

	beforeEach(async () => {
		handover = { upstreams: [], findOllama: false };
		folder = await mkdtemp(path.join(os.tmpdir(), 'errand-supervisor-'));
		// The lock is one that an earlier service left: no service starts in any other folder that is not empty.
		await writeFile(path.join(folder, LOCK_FILE), '');
	});

	afterEach(async () => {
		for (const supervisor of supervisors.splice(0)) {
			supervisor.dispose();
		}
		for (const pid of pids) {
			kill(pid);
			await gone(pid);
		}
		pids.clear();
		// A second service, which has found the first one running, may be just ending and still write its log.
		await rm(folder, { recursive: true, force: true, maxRetries: 10 });
	});

	const serviceProgram = (): StartCommand => ({
		command: process.execPath,
		arguments: [
			'--disable-warning=ExperimentalWarning',
			SERVICE_PROGRAM,
			'--upstreams-from-stdin',
			'--idle-seconds',
			'1',
		],
		environment: { PATH: process.env['PATH'] ?? '', ERRAND_STATE_HOME: folder },
	});

	let onStoppedChange = () => {};
	let onFailure: (error: UserFacingError) => void = () => {};
	function supervise(
		program = serviceProgram(),
		clock = systemClock,
		logger = nullLogger,
		current = async () => handover,
	): Supervisor {
		const supervisor = new Supervisor({
			program,
			stateFolder: folder,
			logger,
			clock,
			handover: current,
			onStoppedChange: () => onStoppedChange(),
			onFailure: error => onFailure(error),
		});
		supervisors.push(supervisor);
		return supervisor;
	}

	async function ensure(supervisor: Supervisor) {
		const service = await supervisor.ensure();
		pids.add(service.pid);
		return service;
	}

	it('starts the service once for callers at the same time, in this window and in another', async () => {
		const [first, again, other] = await Promise.all([
			ensure(supervise()),
			ensure(supervisors[0] as Supervisor),
			ensure(supervise()),
		]);
		assert.equal(again.pid, first.pid);
		assert.equal(other.pid, first.pid);
	});

	it('gives the upstreams to a service that it starts, to one that runs already, and again when they change', async () => {
		const upstream = (slug: string) => ({ slug, url: 'https://example.com', models: [`model-${slug}`] });
		handover = { upstreams: [upstream('one')], findOllama: false };
		const first = supervise();
		const service = await ensure(first);
		const names = async () => (await ask(service, serviceCalls.description)).providers.map(({ slug }) => slug);
		assert.equal((await names())[0], 'one');
		handover = { upstreams: [upstream('two')], findOllama: false };
		await ensure(supervise());
		assert.equal((await names())[0], 'two');
		handover = { upstreams: [upstream('three')], findOllama: false };
		await first.upstreamsChanged();
		assert.equal((await names())[0], 'three');
	});

	describe('while the service starts', () => {
		const upstream = (slug: string) => ({ slug, url: 'https://example.com', models: [`model-${slug}`] });
		const first = async (service: Service) => (await ask(service, serviceCalls.description)).providers[0]?.slug;

		it('gives it the upstreams of settings that the editor has only then', async () => {
			const read: string[] = [];
			const supervisor = supervise(undefined, undefined, undefined, async () => {
				const given = handover;
				read.push(String(given.upstreams.length));
				if (read.length === 1) {
					handover = { upstreams: [upstream('late')], findOllama: false };
					await supervisor.upstreamsChanged();
				}
				return given;
			});
			assert.equal(await first(await ensure(supervisor)), 'late');
			assert.deepEqual(read, ['0', '1']);
		});

		it('gives it what changed last where two changes come at once', async () => {
			const slow = upstream('slow');
			const supervisor = supervise(undefined, undefined, undefined, async () => {
				const given = handover;
				// It takes longer to read the older one.
				await systemClock.sleep(given.upstreams[0]?.slug === 'slow' ? 200 : 0);
				return given;
			});
			const service = await ensure(supervisor);
			handover = { upstreams: [slow], findOllama: false };
			const one = supervisor.upstreamsChanged();
			await Promise.resolve();
			handover = { upstreams: [upstream('quick')], findOllama: false };
			await Promise.all([one, supervisor.upstreamsChanged()]);
			assert.equal(await first(service), 'quick');
		});

		it('gives it with the next request what it could not be given at once', async () => {
			let fails = false;
			const supervisor = supervise(undefined, undefined, undefined, async () => {
				if (fails) {
					throw new Error('the settings cannot be read');
				}
				return handover;
			});
			const service = await ensure(supervisor);
			handover = { upstreams: [upstream('kept')], findOllama: false };
			fails = true;
			await supervisor.upstreamsChanged();
			assert.notEqual(await first(service), 'kept');
			fails = false;
			assert.equal(await first(await ensure(supervisor)), 'kept');
		});
	});

	it('hands nothing over to what listens in the place of a service that has ended', async function () {
		if (process.platform === 'win32') {
			// A pipe there is no file, whose place another program could take.
			this.skip();
		}
		const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
		const { promise: read, resolve: goOn } = Promise.withResolvers<void>();
		let isSlow = false;
		const supervisor = supervise(undefined, undefined, undefined, async () => {
			if (isSlow) {
				ask();
				await read;
			}
			return handover;
		});
		const service = await ensure(supervisor);
		isSlow = true;
		const changed = supervisor.upstreamsChanged();
		await asked;
		const stopped = new Promise<void>(resolve => {
			onStoppedChange = resolve;
		});
		await supervisor.stop(service);
		await stopped;
		const received: string[] = [];
		const { pipe = '' } = service;
		await mkdir(path.dirname(pipe), { recursive: true });
		await rm(pipe, { force: true });
		const listener = http.createServer((request, response) => {
			received.push(`${request.method} ${request.url}`);
			response.end('{}');
		});
		listener.listen(pipe);
		await once(listener, 'listening');
		try {
			goOn();
			await changed;
			assert.deepEqual(received, []);
		} finally {
			listener.close();
		}
	});

	it('lets the service end when the last window has given its lease back', async () => {
		const supervisor = supervise();
		const { pid } = await ensure(supervisor);
		supervisor.dispose();
		await gone(pid);
		await assert.rejects(stat(path.join(folder, DISCOVERY_FILE)), { code: 'ENOENT' });
	});

	describe('told to stop the service', () => {
		const create = (service: { address: string; token: string }, prompt: string) =>
			fetch(`${service.address}/api/tasks`, {
				method: 'POST',
				headers: { Authorization: `Bearer ${service.token}` },
				body: JSON.stringify({ prompt, repoUrl: path.join(folder, 'sample') }),
			});

		it('finds none where none runs, and starts none for that', async () => {
			assert.equal(await supervise().find(), undefined);
			await assert.rejects(stat(path.join(folder, DISCOVERY_FILE)), { code: 'ENOENT' });
		});

		it('ends it for all windows, which start it again only when they need it, and count no crash', async () => {
			const [one, other] = [supervise(), supervise()];
			const { pid } = await ensure(one);
			await ensure(other);
			const service = await other.find();
			assert.equal(service?.pid, pid);
			assert.deepEqual([one.isStopped, other.isStopped], [false, false]);
			await other.stop(service);
			await gone(pid);
			assert.equal(await one.find(), undefined);
			await waitFor('both to say so', () => one.isStopped && other.isStopped);
			for (const supervisor of [one, other, one]) {
				const again = await waitFor('a new service', async () => {
					const next = await ensure(supervisor).catch(() => undefined);
					return next?.pid === pid ? undefined : next;
				});
				assert.equal(supervisor.isStopped, false);
				await supervisor.stop(again);
				await gone(again.pid);
			}
		});

		it('can say what runs and how much waits', async () => {
			const repository = path.join(folder, 'sample');
			const git = (...args: string[]) => execFileSync('git', ['-C', repository, ...args]);
			await mkdir(repository);
			git('init', '--quiet');
			git('-c', 'user.name=Me', '-c', 'user.email=me@example.com', 'commit', '--quiet', '--allow-empty', '-m', 'First');
			const supervisor = supervise();
			const service = await ensure(supervisor);
			assert.deepEqual(await readActiveTasks(service), { running: [], waiting: 0 });
			for (let count = 0; count < 3; count++) {
				assert.equal((await create(service, '/demo slow')).status, 200);
			}
			await waitFor('both tasks to run', async () => (await readActiveTasks(service)).running.length === 2);
			assert.deepEqual(await readActiveTasks(service), { running: ['/demo slow', '/demo slow'], waiting: 1 });
			await supervisor.stop(service);
			await gone(service.pid);
		});
	});

	it('starts the service again after a crash, and after a second one fails with a sentence until it is reset', async () => {
		const supervisor = supervise();
		const first = await ensure(supervisor);
		kill(first.pid);
		await gone(first.pid);
		const second = await waitFor('a new service', async () => {
			const service = await ensure(supervisor);
			return service.pid === first.pid ? undefined : service;
		});
		const failed = new Promise<UserFacingError>(resolve => {
			onFailure = resolve;
		});
		kill(second.pid);
		assert.match((await failed).message, /stopped twice within a minute/);
		await assert.rejects(supervisor.ensure(), UserFacingError);
		supervisor.reset();
		const third = await ensure(supervisor);
		assert.notEqual(third.pid, second.pid);
	});

	it('lets a failure last a minute, also where the user sets the clock back meanwhile', async () => {
		const clock = { ...systemClock, wall: 0, passed: 0, now: () => clock.wall, elapsed: () => clock.passed };
		const supervisor = supervise(serviceProgram(), clock);
		const failed = new Promise<UserFacingError>(resolve => {
			onFailure = resolve;
		});
		const first = await ensure(supervisor);
		kill(first.pid);
		const second = await waitFor('a new service', async () => {
			const service = await ensure(supervisor);
			return service.pid === first.pid ? undefined : service;
		});
		kill(second.pid);
		await failed;
		await assert.rejects(supervisor.ensure(), UserFacingError);
		clock.wall -= 3 * 86_400_000;
		clock.passed += 60_000;
		assert.notEqual((await ensure(supervisor)).pid, second.pid);
	});

	it('says why a service did not start', async () => {
		const program = {
			command: process.execPath,
			arguments: ['-e', 'console.error("node:sqlite is missing"); process.exit(3)'],
			environment: {},
		};
		await assert.rejects(supervise(program).ensure(), /didn’t start: node:sqlite is missing\. See the log/);
		await assert.rejects(
			supervise({ ...program, command: path.join(folder, 'nothing') }).ensure(),
			/didn’t start: .*ENOENT/,
		);
	});

	it('sends no token to a program that cannot prove that it knows it', async () => {
		const seen: http.IncomingHttpHeaders[] = [];
		const liar = http.createServer((request, response) => {
			seen.push(request.headers);
			response.end(JSON.stringify({ proof: '0'.repeat(64) }));
		});
		liar.listen(0, '127.0.0.1');
		await once(liar, 'listening');
		const token = 't'.repeat(43);
		await writeDiscovery({ address: `http://127.0.0.1:${(liar.address() as AddressInfo).port}`, token });
		try {
			const service = await ensure(supervise());
			assert.notEqual(service.token, token);
			assert.ok(seen.length > 0);
			assert.ok(seen.every(headers => headers.authorization === undefined));
		} finally {
			liar.closeAllConnections();
			liar.close();
		}
	});

	it('does not believe a discovery file that others could have written', async function () {
		if (process.platform === 'win32') {
			this.skip();
		}
		const running = await ensure(supervise());
		const file = path.join(folder, DISCOVERY_FILE);
		const text = await readFile(file, 'utf8');
		await chmod(file, 0o666);
		const impatient = { ...systemClock, elapsed: jumpingClock() };
		await assert.rejects(supervise(serviceProgram(), impatient).ensure(), UserFacingError);
		await chmod(file, 0o600);
		assert.equal(await readFile(file, 'utf8'), text);
		assert.equal((await ensure(supervise())).pid, running.pid);
	});

	it('says so when the service is killed while it starts, and never names the runtime as the reason', async () => {
		const program = { command: process.execPath, environment: {} };
		await assert.rejects(
			supervise({ ...program, arguments: ['-e', 'process.kill(process.pid, "SIGKILL")'] }).ensure(),
			/didn’t start: SIGKILL\./,
		);
		await assert.rejects(
			supervise({ ...program, arguments: [path.join(folder, 'gone.js')] }).ensure(),
			/didn’t start: Error: Cannot find module/,
		);
		await assert.rejects(
			supervise({ ...program, arguments: ['-e', 'process.exit(3)'] }).ensure(),
			/didn’t start: exit code 3\./,
		);
	});

	it('puts all that the program said into the log, for the sentence that points there', async () => {
		const lines: string[] = [];
		const script = 'console.error("one\\ntwo"); process.exit(3)';
		const program = { command: process.execPath, environment: {}, arguments: ['-e', script] };
		const logger = createLogger('local service', (_, line) => lines.push(line));
		await assert.rejects(supervise(program, systemClock, logger).ensure(), /didn’t start: two\. See/);
		assert.deepEqual(lines.slice(1), [
			'[local service] the local service said reason=one',
			'[local service] the local service said reason=two',
		]);
	});

	it('leaves alone a service it has started when its window closes meanwhile: another window may use it', async () => {
		const polled = Promise.withResolvers<void>();
		// Looks once, then never again before it is disposed.
		const sleep = (_: number, signal?: AbortSignal) => {
			polled.resolve();
			return systemClock.sleep(60_000, signal);
		};
		const closing = supervise(serviceProgram(), { ...systemClock, sleep });
		const refused = assert.rejects(closing.ensure());
		await polled.promise;
		const { pid } = await waitFor('the service', () => readDiscovery(folder));
		const other = supervise({ ...serviceProgram(), arguments: ['-e', 'process.exit(1)'] });
		assert.equal((await ensure(other)).pid, pid);
		const token = (await other.ensure()).token;
		closing.dispose();
		await refused;
		// A signal would have ended it by the time that another program has started and ended.
		await once(spawn(process.execPath, ['-e', 'setTimeout(() => {}, 500)']), 'exit');
		assert.equal((await readDiscovery(folder))?.token, token);
		process.kill(pid, 0);
	});

	it('starts nothing once it is disposed', async () => {
		const supervisor = supervise({ ...serviceProgram(), command: path.join(folder, 'nothing') });
		supervisor.dispose();
		await assert.rejects(supervisor.ensure(), { name: 'AbortError' });
	});

	it('goes back to a service that only its lease has lost, and counts that as no crash', async () => {
		const token = 't'.repeat(43);
		const service = await leaseBreaker(token);
		try {
			await writeDiscovery({ address: service.address, token });
			const supervisor = supervise({ ...serviceProgram(), arguments: ['-e', 'process.exit(1)'] });
			const failures: UserFacingError[] = [];
			onFailure = error => failures.push(error);
			await supervisor.ensure();
			for (const count of [1, 2, 3]) {
				await waitFor('a new lease', () => service.granted() === count || failures.length > 0);
				service.breakLeases();
			}
			await waitFor('a new lease', () => service.granted() === 4 || failures.length > 0);
			assert.deepEqual(failures, []);
			assert.equal((await supervisor.ensure()).token, token);
		} finally {
			service.close();
		}
	});

	it('uses a service that another window has started while its own failure lasts', async () => {
		const failing = supervise({ ...serviceProgram(), arguments: ['-e', 'process.exit(1)'] });
		const first = await ensure(supervise());
		await ensure(failing);
		supervisors[1]?.dispose();
		const failed = new Promise<UserFacingError>(resolve => {
			onFailure = resolve;
		});
		kill(first.pid);
		await failed;
		await gone(first.pid);
		await assert.rejects(failing.ensure(), UserFacingError);
		const other = await ensure(supervise());
		assert.equal((await failing.ensure()).pid, other.pid);
	});

	it('is not held up by a program at the address that answers a byte at a time', async () => {
		const slow = http.createServer((_, response) => {
			response.writeHead(200);
			const timer = setInterval(() => response.write(' '), 200);
			response.on('close', () => clearInterval(timer));
		});
		slow.listen(0, '127.0.0.1');
		await once(slow, 'listening');
		await writeDiscovery({
			address: `http://127.0.0.1:${(slow.address() as AddressInfo).port}`,
			token: 't'.repeat(43),
		});
		// The first look at that address takes longer than the service waits for a window in the other tests.
		const program = serviceProgram();
		try {
			await ensure(supervise({ ...program, arguments: [...program.arguments.slice(0, -1), '30'] }));
		} finally {
			slow.closeAllConnections();
			slow.close();
		}
	});

	async function writeDiscovery(fields: { address: string; token: string }): Promise<void> {
		const discovery = { ...fields, pid: process.pid, version: '0', startedAt: new Date().toISOString() };
		await chmod(folder, 0o700);
		await writeFile(path.join(folder, DISCOVERY_FILE), JSON.stringify(discovery), { mode: 0o600 });
	}
});

/** A clock whose every look is 6 s later, so that a deadline is reached without waiting for it. */
function jumpingClock(): () => number {
	let now = 0;
	return () => {
		now += 6000;
		return now;
	};
}

function kill(pid: number): void {
	try {
		process.kill(pid, 'SIGKILL');
	} catch {
		// It has ended by itself.
	}
}

const gone = (pid: number) => waitFor(`process ${pid} to end`, async () => !(await isAlive(pid)));
