// A worker: takes turns of tasks from the queue, as many at a time as it has slots, and runs them. Any number of them
// work on any number of machines, and know nothing of each other.
import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { singleFlight } from '../../base/async.ts';
import { describeError, UserFacingError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { removeFolder } from '../../base/removeFolder.ts';
import { takeInstanceLock } from '../../service/instanceLock.ts';
import { prepareStateFolder, prepareWorkFolder, WORK_MARKER, workFolderOf } from '../../service/stateFolder.ts';
import type { Configuration } from '../configuration.ts';
import { Attempts } from '../database/attempts.ts';
import { checkSchema } from '../database/migrations.ts';
import { openPool } from '../database/pool.ts';
import { SourceTokens } from '../database/sourceTokens.ts';
import { Workers } from '../database/workers.ts';
import { RunQueue, type TakenRun } from '../runQueue.ts';
import type { Secrets } from '../secrets.ts';
import { AttemptRun, type AttemptSupport } from './attemptRun.ts';
import { startWorkerServices } from './workerServices.ts';

/** The interval at which a worker looks whether its runs are to go on. */
const LOOK_MS = 1_000;
/** The interval at which a worker says that it is there. */
const TELL_MS = 20_000;
/** The connections besides those of the queue. Runs share them, as none holds one for long. */
const CONNECTIONS = 4;

export interface WorkerOptions {
	databaseUrl: string;
	configuration: Configuration;
	secrets: Secrets;
	/** The number of runs at a time. */
	slots: number;
	/** A folder for this worker alone. The runs are in another one beside it. */
	folder: string;
	/** The time that runs get to end when the worker is stopped; those that are left begin anew elsewhere. */
	graceMs: number;
	/** The file that this process was started with. */
	programFile: string;
	version: string;
	logger(topic: string): Logger;
}

export interface Worker {
	/** Takes nothing more, lets runs end for a while, and hands back the others. */
	stop(): Promise<void>;
}

/** @throws UserFacingError if the folder is not this worker's, or the database not of this version. */
export async function startWorker(options: WorkerOptions): Promise<Worker> {
	const { databaseUrl, configuration, secrets, slots, folder, graceMs } = options;
	const logger = options.logger('worker');
	prepareStateFolder(folder);
	const lock = takeInstanceLock(folder);
	if (lock === undefined) {
		throw new UserFacingError(`Another worker uses the folder ${folder}. Give each of them its own.`);
	}
	const workFolder = workFolderOf(folder);
	prepareWorkFolder(workFolder);
	await removeLeftovers(workFolder);
	const pool = openPool(databaseUrl, logger, CONNECTIONS);
	await checkSchema(pool);
	const services = startWorkerServices({ ...options, stateFolder: folder, workFolder });
	const attempts = new Attempts(pool);
	const tokens = new SourceTokens(pool, secrets);
	const support: AttemptSupport = { attempts, tokens, services, configuration, folder: workFolder, logger };
	/** With the signals by which the queue says that somebody else may begin them anew. */
	const runs = new Map<AttemptRun, AbortSignal>();
	const queue = new RunQueue(databaseUrl, logger);
	const stopping = new AbortController();

	const run = async ({ turn, attempt, signal, handBack }: TakenRun): Promise<void> => {
		const { taskId } = turn;
		const one = new AttemptRun({ ...turn, attempt }, support);
		logger.log('info', 'a run begins', { taskId, attempt });
		runs.set(one, signal);
		try {
			await one.run();
		} catch (error) {
			logger.log('error', 'a run failed', { taskId, attempt, reason: describeError(error) });
			throw error;
		} finally {
			runs.delete(one);
		}
		await (one.isGivenUp && handBack());
	};

	const look = singleFlight(async () => {
		if (runs.size === 0) {
			return;
		}
		const stops = new Set(await attempts.stopsRequested([...runs.keys()].map(({ attempt }) => attempt.taskId)));
		for (const [one, doubt] of runs) {
			if (stops.has(one.attempt.taskId)) {
				one.stop();
			}
			await (doubt.aborted && one.check());
		}
	});

	const workers = new Workers(pool);
	const id = randomUUID();
	const tell = singleFlight(async () => {
		const offered = (await services.agents.current()).map(({ id: agent, label, models }) => ({
			id: agent,
			label,
			models,
		}));
		await workers.tell({ id, slots, agents: offered });
	});
	const looking = repeat(look, LOOK_MS, { signal: stopping.signal, logger });
	const leaving = new AbortController();
	const telling = repeat(tell, TELL_MS, { signal: leaving.signal, logger });

	await queue.start();
	await tell();
	await queue.work({ slots, pool }, run, turn => attempts.endInterrupted(turn));
	logger.log('info', 'a worker has started', { count: slots, pid: process.pid });

	const stop = singleFlight(async () => {
		const idle = queue.takeNoMore();
		// Front ends would otherwise learn of it again while it waits for its runs.
		leaving.abort();
		await telling;
		await workers.remove(id).catch(() => {});
		await Promise.race([idle, delay(graceMs, undefined, { ref: false })]);
		for (const one of runs.keys()) {
			one.giveUp();
		}
		await idle;
		stopping.abort();
		await looking;
		await queue.stop();
		await services.close();
		await pool.end();
		lock.dispose();
	});
	return { stop };
}

/** Removes what runs have left whose worker was killed. */
async function removeLeftovers(workFolder: string): Promise<void> {
	for (const name of await readdir(workFolder)) {
		if (name !== WORK_MARKER) {
			await removeFolder(path.join(workFolder, name));
		}
	}
}

/** Runs something again and again until the signal aborts. Never rejects. */
async function repeat(
	run: () => Promise<void>,
	intervalMs: number,
	{ signal, logger }: { signal: AbortSignal; logger: Logger },
): Promise<void> {
	while (!signal.aborted) {
		await run().catch(error => logger.log('warn', 'the database cannot be reached', { reason: describeError(error) }));
		await delay(intervalMs, undefined, { signal }).catch(() => {});
	}
}
