// The queue of runs, on which front ends put turns of tasks and from which workers take them. A worker shows with each
// heartbeat that it is at work. When they fail to come, the job is done once more, and then lost for good.
import type { ClientBase, Pool } from 'pg';
import { type Job, PgBoss } from 'pg-boss';
import { describeError } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import { transaction } from './database/pool.ts';
import type { Enqueue, Turn } from './database/taskDatabase.ts';

const RUNS = 'runs';
const LOST = 'lost';

/** PostgreSQL may be away for almost this long before a worker that is well is taken for dead. */
const HEARTBEAT_SECONDS = 10;
const HEARTBEAT_REFRESH_SECONDS = 2;
/** The interval at which somebody looks for workers that are gone. */
const SUPERVISE_SECONDS = 5;
/** New jobs wake workers. The polling covers wakes that were lost, and jobs that are done once more. */
const POLLING_SECONDS = 2;
/** The longest limit of a task. */
export const LONGEST_LIMIT_SECONDS = 23 * 3_600;
/** The queue takes a worker for dead that has a run for so long. */
const LONGEST_RUN_SECONDS = 24 * 3_600;
const YEAR_SECONDS = 365 * 24 * 3_600;
const DAY_SECONDS = 24 * 3_600;
/** Connections for the queue in each process, besides the one that waits for wakes. */
const CONNECTIONS = 4;

interface RunData extends Turn {
	/** The attempts before this job, which had been handed back; none by default. */
	attempts?: number;
}

/** A turn that a worker has taken, and the attempt at it. */
export interface TakenRun {
	turn: Turn;
	/** Counted from 1. */
	attempt: number;
	/** Aborts when the queue has given the turn to somebody else. */
	signal: AbortSignal;
	/** Lets another worker begin anew, without counting as the death of this one. */
	handBack(): Promise<void>;
}

export class RunQueue {
	private readonly boss: PgBoss;

	constructor(url: string, logger: Logger) {
		this.boss = new PgBoss({
			connectionString: url,
			max: CONNECTIONS,
			useListenNotify: true,
			schedule: false,
			superviseIntervalSeconds: SUPERVISE_SECONDS,
			monitorIntervalSeconds: SUPERVISE_SECONDS,
		});
		this.boss.on('error', error => logger.log('warn', 'the queue has failed', { reason: describeError(error) }));
	}

	/** Connects, and makes what the queue needs in the database. */
	async start(): Promise<void> {
		await this.boss.start();
		const kept = {
			retentionSeconds: YEAR_SECONDS,
			deleteAfterSeconds: DAY_SECONDS,
			heartbeatSeconds: HEARTBEAT_SECONDS,
			notify: true,
		};
		// What is lost must be told in any case, however often that fails, or whoever is about to tell it dies too.
		await this.boss.createQueue(LOST, { ...kept, retryLimit: 1_000_000, retryDelay: POLLING_SECONDS });
		await this.boss.createQueue(RUNS, {
			...kept,
			retryLimit: 1,
			expireInSeconds: LONGEST_RUN_SECONDS,
			deadLetter: LOST,
		});
	}

	/** Puts turns into the queue, in a transaction of the caller's. */
	readonly enqueue: Enqueue = async (client, turns) => {
		await this.boss.insert(
			RUNS,
			turns.map(data => ({ data })),
			{ db: queries(client) },
		);
	};

	/**
	 * Takes as many runs at a time as there are slots. A run that rejects is done once more, like that of a dead worker.
	 * `lost` ends what has been lost twice.
	 */
	async work(
		{ slots, pool }: { slots: number; pool: Pool },
		run: (taken: TakenRun) => Promise<void>,
		lost: (turn: Turn) => Promise<void>,
	): Promise<void> {
		const polling = { pollingIntervalSeconds: POLLING_SECONDS, notifyPollingIntervalSeconds: POLLING_SECONDS };
		const options = { ...polling, heartbeatRefreshSeconds: HEARTBEAT_REFRESH_SECONDS };
		for (let slot = 0; slot < slots; slot++) {
			const id = await this.boss.work<RunData>(RUNS, options, async jobs => {
				for (const job of jobs) {
					await run(this.taken(job, pool));
				}
				// A short run would otherwise be followed by a wait for the next time to poll.
				this.boss.notifyWorker(id);
			});
		}
		await this.boss.work<RunData>(LOST, options, async jobs => {
			for (const { data } of jobs) {
				await lost(turnOf(data));
			}
		});
	}

	/** Takes no further runs. Resolves when those that are under way have ended. */
	async takeNoMore(): Promise<void> {
		await this.boss.offWork(RUNS);
	}

	async stop(): Promise<void> {
		await this.boss.stop();
	}

	private taken(job: Job<RunData>, pool: Pool): TakenRun {
		const { data, retryCount, signal } = job;
		const attempt = (data.attempts ?? 0) + retryCount + 1;
		const handBack = () =>
			transaction(pool, async client => {
				const db = queries(client);
				await this.boss.send(RUNS, { ...turnOf(data), attempts: attempt }, { db });
				await this.boss.complete(RUNS, job, null, { db });
			});
		return { turn: turnOf(data), attempt, signal, handBack };
	}
}

const turnOf = ({ taskId, position, turn }: RunData): Turn => ({ taskId, position, turn });

/** Makes the queue write within a transaction of ours. */
function queries(client: ClientBase) {
	return { executeSql: (text: string, values?: unknown[]) => client.query(text, values) };
}
