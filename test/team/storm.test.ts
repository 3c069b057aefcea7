// Parts of the service for a team are killed again and again, while many tasks run and many readers follow them.
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import { ClientError } from '../../src/base/errors.ts';
import type { Client } from '../../src/client/types.ts';
import { isFinalStatus } from '../../src/contract/tasks.ts';
import { integrityProblems, noteStates } from '../support/teamIntegrity.ts';
import { TeamService } from '../support/teamService.ts';
import { TemporaryRepository } from '../support/temporaryRepository.ts';
import { seededRandom } from '../support/upstreamServer.ts';
import { waitFor } from '../support/waitFor.ts';

/** `ERRAND_TEST_STORM=500` for a longer look. */
const TASKS = Number(process.env['ERRAND_TEST_STORM'] ?? 60);
const SEED = Number(process.env['ERRAND_TEST_SEED'] ?? 1);
const FRONT_ENDS = 2;
const WORKERS = 4;
const SLOTS = 2;
const FOLLOWERS = 50;
/** How often each log is read from its beginning to its end. */
const READERS_OF_A_LOG = 3;
const REPOSITORIES = 4;
const KILL_MS = 2_000;
/** The parts that may be starting again at a time, so that the others can do something meanwhile. */
const MOST_MISSING = 3;
/** The shares of the tasks that have ended when PostgreSQL is started again. */
const RESTARTS = [0.25, 0.6];
const CREATED_AT_ONCE = 4;
const LIMIT_MS = 120_000 + TASKS * 10_000;

describe('the service for a team in a storm', () => {
	const random = seededRandom(SEED);
	const anyOf = <T>(items: Iterable<T>): T | undefined => {
		const all = [...items];
		return all[Math.floor(random() * all.length)];
	};
	let service: TeamService;
	let repositories: TemporaryRepository[];
	before(async function () {
		this.timeout(120_000);
		repositories = await Promise.all(Array.from({ length: REPOSITORIES }, () => TemporaryRepository.create()));
		service = await TeamService.start({
			configuration: {
				demo: true,
				allowLocalRepositories: true,
				limits: { tasksAtOnce: 1_000_000, requestsAMinute: 1_000_000, requestsAtOnce: 1_000_000 },
			},
		});
		await noteStates(service.pool);
		await Promise.all([
			...Array.from({ length: FRONT_ENDS }, () => service.startFrontEnd()),
			...Array.from({ length: WORKERS }, () => service.startWorker(SLOTS)),
		]);
	});
	after(async () => {
		await service?.stop();
		await Promise.all((repositories ?? []).map(repository => repository.remove()));
	});

	it(`takes ${TASKS} tasks to one final state each, and tells all of each to everybody (seed ${SEED})`, async function () {
		this.timeout(LIMIT_MS);
		const { pool } = service;
		const client = service.client(await service.addUser('ann'), () => anyOf(service.frontEnds));
		const over = new AbortController();
		const storm = killParts(over.signal);
		const ids: string[] = [];
		const work = Promise.all([followAll(client, ids), createTasks(client, ids), restartDatabase()]);
		const [read] = await work.finally(() => {
			over.abort();
			return storm;
		});

		// A request whose answer was lost may have made a task too, which nobody has followed.
		await waitFor(
			'the end of every task',
			async () => (await numberOf(pool, `tasks WHERE ${IS_ACTIVE}`)) === 0,
			LIMIT_MS,
		);
		await waitFor('the end of every job', async () => (await openJobs(pool)) === 0, LIMIT_MS);
		assert.deepEqual(await integrityProblems(pool), []);
		for (const [what, query] of Object.entries(FOUND_NOTHING)) {
			assert.deepEqual((await pool.query(query)).rows, [], what);
		}
		for (const { id, messages } of read) {
			assert.deepEqual(messages, await storedLog(pool, id), `the log of ${id} as one follower has read it`);
		}
		assert.equal(read.length, TASKS * READERS_OF_A_LOG);
		await checkBranches();
		let left: string[] = [];
		await waitFor(
			() => `the end of all processes of tasks: ${left.join('\n')}`,
			async () => {
				left = await service.leftProcesses();
				return left.length === 0;
			},
		);
		assert.deepEqual(await service.leftFiles(), [], 'files that nobody needs');
	});

	/** Kills a front end or a worker every two seconds, and starts another in its place. */
	async function killParts(signal: AbortSignal): Promise<void> {
		const replaced: Promise<unknown>[] = [];
		while (!signal.aborted) {
			await delay(KILL_MS, undefined, { signal }).catch(() => {});
			const part = anyOf([
				...[...service.frontEnds].map(one => ({ one, replace: () => service.startFrontEnd() })),
				...[...service.workers].map(one => ({ one, replace: () => service.startWorker(SLOTS, one.folder) })),
			]);
			// On a slow machine, parts would otherwise be killed faster than others start in their place.
			const missing = FRONT_ENDS + WORKERS - service.frontEnds.size - service.workers.size;
			if (part !== undefined && missing < MOST_MISSING && !signal.aborted) {
				await service.kill(part.one);
				// It may not start while PostgreSQL is away, and whoever keeps it running tries again.
				replaced.push(keepTrying(part.replace));
			}
		}
		await Promise.all(replaced);
	}

	async function createTasks(client: Client, ids: string[]): Promise<void> {
		const numbers = Array.from({ length: TASKS }, (_, index) => index).values();
		await Promise.all(
			Array.from({ length: CREATED_AT_ONCE }, async () => {
				for (const number of numbers) {
					const repoUrl = repositories[number % REPOSITORIES]?.path ?? '';
					const request = { prompt: `Task ${number}`, repoUrl, selectedBranch: 'main', selectedAgent: 'demo' };
					ids.push((await keepTrying(() => client.tasks.create(request))).id);
				}
			}),
		);
	}

	/** Starts PostgreSQL again, whenever a further share of the tasks has ended. */
	async function restartDatabase(): Promise<void> {
		for (const share of RESTARTS) {
			await waitFor(
				'some tasks to end',
				async () => {
					const ended = await numberOf(service.pool, `tasks WHERE NOT ${IS_ACTIVE}`).catch(() => 0);
					return ended >= share * TASKS;
				},
				LIMIT_MS,
			);
			await service.postgres.restart();
		}
	}

	/** Lets all followers read logs, one after another each, until all have been read as often as they are to be. */
	async function followAll(client: Client, ids: readonly string[]): Promise<Reading[]> {
		const numbers = Array.from({ length: TASKS * READERS_OF_A_LOG }, (_, index) => index % TASKS).values();
		const readings: Reading[] = [];
		await Promise.all(
			Array.from({ length: FOLLOWERS }, async () => {
				for (const number of numbers) {
					const id = await waitFor('the task to be created', () => ids[number], LIMIT_MS);
					readings.push(await follow(client, id));
				}
			}),
		);
		return readings;
	}

	async function checkBranches(): Promise<void> {
		const { rows } = await service.pool.query(
			`SELECT left(t.id, 8) AS task, e.attempt, CASE WHEN e.status = 'completed' THEN e.record->>'branchName' END AS name
			FROM tasks t JOIN executions e ON e.task_sequence = t.sequence`,
		);
		const names: string[] = rows.flatMap(({ name }) => name ?? []);
		assert.equal(new Set(names).size, names.length, 'each task has a branch of its own');
		const all = (await Promise.all(repositories.map(repository => repository.branches()))).flat();
		const made = all.filter(name => name !== 'main');
		assert.deepEqual(
			names.filter(name => !made.includes(name)),
			[],
			'branches of tasks that are not there',
		);
		// Nobody withdraws the branch of a worker that is killed after it has made it. The next attempt has another name.
		const lost = new Set(rows.filter(({ attempt }) => attempt > 1).map(({ task }) => task));
		const left = made.filter(name => !names.includes(name));
		assert.deepEqual(
			left.filter(name => !lost.has(/-([\da-f]{8})(?:-attempt-\d)?$/.exec(name)?.[1])),
			[],
			'branches of no task, or of one whose worker was not lost',
		);
	}
});

interface Reading {
	id: string;
	messages: (string | undefined)[];
}

/** Reads a log to its end. Whatever is lost must come by another front end, each entry once and in order. */
async function follow(client: Client, id: string): Promise<Reading> {
	const messages: (string | undefined)[] = [];
	let ends = 0;
	let final: string | undefined;
	for await (const event of client.tasks.follow(id)) {
		switch (event.type) {
			case 'log':
				assert.equal(event.index, messages.length, 'an entry came out of order');
				messages.push(event.entry.message);
				break;
			case 'status':
				assert.ok(final === undefined || final === event.status, `${final} became ${event.status}`);
				final = isFinalStatus(event.status) ? event.status : undefined;
				break;
			case 'complete':
				ends++;
				// A client that has to ask for the task itself is not told the number of entries.
				assert.equal(event.totalLogs ?? messages.length, messages.length);
				break;
			case 'reconnecting':
				assert.notEqual(event.error?.status, 401, 'a valid token was refused');
				break;
		}
	}
	assert.equal(ends, 1, 'the follower was told the end once');
	return { id, messages };
}

/** Repeats what fails because some part is not there at the moment. */
async function keepTrying<T>(what: () => Promise<T>): Promise<T> {
	for (;;) {
		try {
			return await what();
		} catch (error) {
			if (ClientError.is(error) && error.status !== undefined && error.status < 500) {
				throw error;
			}
			await delay(100);
		}
	}
}

const IS_ACTIVE = "status IN ('pending', 'processing', 'saving')";

/** What must not be in the database after the end of all tasks, beside what tests of attempts look for too. */
const FOUND_NOTHING: Readonly<Record<string, string>> = {
	'the log of a task does not end with how the task has ended': `
		SELECT t.id, count(l.*) FROM tasks t
		LEFT JOIN log_entries l ON l.task_sequence = t.sequence AND l.entry->>'step' IN ('git_pushed', 'task_ended')
		GROUP BY t.sequence HAVING count(l.*) <> 1 OR max(l.position) <> t.entry_count - 1`,
	'a task has failed otherwise than by the loss of two workers': `
		SELECT t.id, t.status, t.record->>'error' AS error FROM tasks t WHERE status <> 'completed' AND NOT interrupted`,
};

async function numberOf(pool: Pool, from: string): Promise<number> {
	const { rows } = await pool.query(`SELECT count(*) AS number FROM ${from}`);
	return Number(rows[0]?.number);
}

const openJobs = (pool: Pool) => numberOf(pool, "pgboss.job WHERE state IN ('created', 'retry', 'active')");

async function storedLog(pool: Pool, id: string): Promise<string[]> {
	const { rows } = await pool.query(
		`SELECT entry->>'message' AS message FROM log_entries
		WHERE task_sequence = (SELECT sequence FROM tasks WHERE id = $1) ORDER BY position`,
		[id],
	);
	return rows.map(({ message }) => message);
}
