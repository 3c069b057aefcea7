// The load that one front end and one database bear. There are no workers: the bench itself writes what runs would
// write.
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import http from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import { nullLogger } from '../src/base/logger.ts';
import { logRecord } from '../src/service/tasks/taskLog.ts';
import { type Attempt, Attempts } from '../src/team/database/attempts.ts';
import { Notifications } from '../src/team/database/notifications.ts';
import { People } from '../src/team/database/people.ts';
import { openPool } from '../src/team/database/pool.ts';
import { TaskDatabase } from '../src/team/database/taskDatabase.ts';
import { openHeap, startDebugger } from '../test/support/inspectedHeap.ts';
import { TeamService } from '../test/support/teamService.ts';
import { waitFor } from '../test/support/waitFor.ts';
import { proportionalMegabytes } from './processMemory.ts';
import type { BenchRow } from './row.ts';
import { ASSUMPTIONS } from './scaleSimulation.ts';

const FOLLOWERS = 1_000;
const TASKS = 100;
const ENTRIES_OF_A_WRITE = 5;
/** The writes of all runs together that the followers see in a second. */
const FOLLOWED_WRITES = 20;
const WARM_MS = 30_000;
const MEASURED_MS = 90_000;
/** Memory that grew with the time would have grown by a multiple of this. */
const MAXIMUM_GROWTH = 1.1;
const WRITERS = 16;
const WRITES_MS = 8_000;
const LISTENERS = 50;
const MESSAGE =
	'What an agent says of its work, or what a command has printed: about as long as a line of a log is. '.repeat(2);
/** The ticks of a second in the kernel's times of processes. */
const TICKS = 100;

/** Memory and processor time of a front end, while many follow logs at it. */
export async function followers(): Promise<BenchRow> {
	const team = await TeamService.start({
		bundle: true,
		configuration: { limits: { requestsAMinute: 1_000_000, requestsAtOnce: 2 * FOLLOWERS } },
		environment: { NODE_OPTIONS: '--inspect-port=0' },
	});
	try {
		const frontEnd = await team.startFrontEnd();
		const { address, child } = frontEnd;
		const token = await team.addUser('ann');
		const attempts = new Attempts(team.pool);
		const runs = await beginRuns(team);
		const seen = { entries: 0, open: 0, lost: 0 };
		const requests = Array.from({ length: FOLLOWERS }, (_, index) =>
			follow(`${address}/api/tasks/${runs[index % TASKS]?.taskId}/stream`, token, seen),
		);
		await waitFor('all followers', () => seen.open === FOLLOWERS, 120_000);
		const pid = child.pid ?? 0;
		const heap = await openHeap(await startDebugger(frontEnd));
		let writes = 0;
		const until = performance.now() + WARM_MS + MEASURED_MS;
		const writing = (async () => {
			while (performance.now() < until) {
				const next = delay(1_000 / FOLLOWED_WRITES);
				await attempts.write(runs[writes % TASKS] as Attempt, entriesAfter(Math.floor(writes / TASKS)));
				writes++;
				await next;
			}
		})();
		await delay(WARM_MS);
		const backends = await backendsOf(team.pool);
		const first = await heap.used();
		const [ofFrontEnd, ofDatabase] = await Promise.all([secondsOf([pid]), secondsOf(backends)]);
		await writing;
		const frontEndSeconds = (await secondsOf([pid])) - ofFrontEnd;
		const databaseSeconds = (await secondsOf(backends)) - ofDatabase;
		const last = await heap.used();
		heap.close();
		const megabytes = await proportionalMegabytes(pid);
		await waitFor('the last entries', () => seen.entries === (writes * ENTRIES_OF_A_WRITE * FOLLOWERS) / TASKS);
		for (const request of requests) {
			request.destroy();
		}
		const share = (seconds: number) => `${((seconds / (MEASURED_MS / 1_000)) * 100).toFixed(0)} %`;
		return {
			goal: '24',
			what: `${FOLLOWERS.toLocaleString('en')} followers at one front end for ${MEASURED_MS / 60_000} minutes, ${FOLLOWED_WRITES} writes/s: what its heap holds at the end over that at the beginning`,
			ours: `${last.toFixed(1)} MB of ${megabytes.toFixed(0)}; ${share(frontEndSeconds)} of a processor, and ${share(databaseSeconds)} at the database; ${seen.entries.toLocaleString('en')} entries, ${seen.lost} connections lost`,
			peers: `${first.toFixed(1)} MB = 1`,
			ratio: (last / first).toFixed(2),
			met: last / first <= MAXIMUM_GROWTH && seen.lost === 0 ? 'yes' : 'no',
		};
	} finally {
		await team.stop();
	}
}

/** Measures the cost of a write of a run, in a database that waits for the disk each time, and of each listener. */
export async function databaseWrites(): Promise<BenchRow> {
	const team = await TeamService.start({ bundle: true, isDurable: true });
	const pool = openPool(team.postgres.url, nullLogger, WRITERS);
	const listeners: Notifications[] = [];
	try {
		const runs = await beginRuns(team);
		const alone = await writeAll(pool, runs, 0);
		const { rows } = await pool.query("SELECT pg_total_relation_size('log_entries') AS bytes");
		const bytes = Number(rows[0]?.bytes) / (alone.writes * ENTRIES_OF_A_WRITE);
		for (let index = 0; index < LISTENERS; index++) {
			const listener = new Notifications(team.postgres.url, nullLogger);
			listeners.push(listener);
			const ready = new Promise<void>(resolve => listener.onTask(() => resolve()));
			listener.start();
			await ready;
		}
		const heard = await writeAll(pool, runs, alone.rounds);
		const wake = (heard.milliseconds - alone.milliseconds) / LISTENERS;
		const { aWrite, aWake } = ASSUMPTIONS;
		return {
			goal: '24',
			what: `a write of a run with ${ENTRIES_OF_A_WRITE} entries, ${WRITERS} at once, on the disk at each: processor time of the database; for each of ${LISTENERS} listeners`,
			ours: `${alone.milliseconds.toFixed(2)} ms; ${wake.toFixed(3)} ms; ${alone.perSecond.toFixed(0)} a second, ${heard.perSecond.toFixed(0)} with the listeners; ${bytes.toFixed(0)} bytes for an entry of ${MESSAGE.length} characters`,
			peers: `docs/scale.md reckons with ${aWrite} ms and ${aWake} ms`,
			ratio: (alone.milliseconds / aWrite).toFixed(2),
			met: alone.milliseconds <= aWrite && wake <= aWake ? 'yes' : 'no',
		};
	} finally {
		await Promise.all(listeners.map(listener => listener.dispose()));
		await pool.end();
		await team.stop();
	}
}

/** Writes to all runs in turn for a while. Each of them has had so many writes before. */
async function writeAll(pool: Pool, runs: readonly Attempt[], before: number) {
	const attempts = new Attempts(pool);
	// The connections are there before the time begins.
	await Promise.all(Array.from({ length: WRITERS }, () => pool.query('SELECT pg_sleep(0.05)')));
	const backends = await backendsOf(pool);
	const began = await secondsOf(backends);
	const until = performance.now() + WRITES_MS;
	let [writes, rounds] = [0, before];
	for (; performance.now() < until; rounds++) {
		const waiting = runs.values();
		await Promise.all(
			Array.from({ length: WRITERS }, async () => {
				for (const run of waiting) {
					await attempts.write(run, entriesAfter(rounds));
					writes++;
				}
			}),
		);
	}
	const milliseconds = (((await secondsOf(backends)) - began) * 1_000) / writes;
	return { writes, rounds, milliseconds, perSecond: writes / (WRITES_MS / 1_000) };
}

/** Makes tasks, and begins the run of each. */
async function beginRuns({ pool, postgres }: TeamService): Promise<Attempt[]> {
	const tasks = new TaskDatabase(pool, new Notifications(postgres.url, nullLogger));
	const people = new People(pool);
	const { id: userId } = await people.user('ann').catch(() => people.addUser('ann'));
	const attempts = new Attempts(pool);
	const runs = Array.from({ length: TASKS }, () => ({ taskId: randomUUID(), position: 0, turn: 1, attempt: 1 }));
	for (const run of runs) {
		await tasks.create(
			{
				id: run.taskId,
				prompt: 'Work',
				repoUrl: '/nowhere',
				selectedBranch: 'main',
				agents: [{ agent: 'demo', model: 'demo' }],
				installDependencies: false,
				maxDuration: 3_600,
			},
			{ userId, teamId: null, isPublic: false },
			{ enqueue: async () => {} },
		);
		await attempts.begin(run);
	}
	return runs;
}

/** The write of a run after so many others. */
function entriesAfter(writes: number) {
	const entries = Array.from({ length: ENTRIES_OF_A_WRITE }, () => logRecord('demo', 'agent_message', 'info', MESSAGE));
	return { sent: writes * ENTRIES_OF_A_WRITE, entries };
}

function follow(url: string, token: string, seen: { entries: number; open: number; lost: number }): http.ClientRequest {
	const request = http.get(url, { agent: false, headers: { authorization: `Bearer ${token}` } }, response => {
		seen.open++;
		let rest = '';
		response.setEncoding('latin1').on('data', (text: string) => {
			const lines = (rest + text).split('\n');
			rest = lines.pop() ?? '';
			seen.entries += lines.filter(line => line === 'event: log').length;
		});
		response.on('error', () => seen.lost++).on('end', () => seen.lost++);
	});
	return request.on('error', () => {});
}

async function backendsOf(pool: Pool): Promise<number[]> {
	const { rows } = await pool.query("SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend'");
	return rows.map(({ pid }) => pid);
}

/** Returns the processor time that processes have used. */
async function secondsOf(pids: readonly number[]): Promise<number> {
	const times = await Promise.all(
		pids.map(async pid => {
			const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '');
			const [user = 0, system = 0] = stat.split(') ')[1]?.split(' ').slice(11, 13).map(Number) ?? [];
			return (user + system) / TICKS;
		}),
	);
	return times.reduce((sum, seconds) => sum + seconds, 0);
}
