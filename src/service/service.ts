import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { singleFlight, systemClock } from '../base/async.ts';
import type { Disposable } from '../base/disposable.ts';
import { describeError, UserFacingError } from '../base/errors.ts';
import { registerControlRoutes } from './controlRoutes.ts';
import { readDiscovery, removeDiscovery, writeDiscovery } from './discoveryFile.ts';
import { IdleWatch } from './idleWatch.ts';
import { registerChatRoutes } from './inference/chatRoutes.ts';
import { demoProvider } from './inference/demoProvider.ts';
import { takeInstanceLock } from './instanceLock.ts';
import { createApp, startServer } from './server.ts';
import { ServiceLog } from './serviceLog.ts';
import type { StartOptions } from './startOptions.ts';
import { prepareStateFolder } from './stateFolder.ts';
import { databaseFailure, openDatabase } from './store/database.ts';
import { TaskStore } from './store/taskStore.ts';
import { demoAgent } from './tasks/agent.ts';
import { registerTaskRoutes } from './tasks/taskRoutes.ts';
import { TaskRunner } from './tasks/taskRunner.ts';

/** For replies under way when the service stops; followers hear of the end of their tasks within it. */
const CLOSE_GRACE_MS = 1_000;
/** How long a start waits for a service that is just ending, and which no window can find any more. */
const LOCK_WAIT_MS = 5_000;
const LOCK_POLL_MS = 100;

export interface ServiceOptions extends StartOptions {
	/** The file that this process was started with: agents of ours are started with it too. */
	programFile: string;
	version: string;
}

export interface Service {
	readonly address: string;
	/** Resolves when the service has ended, whoever asked for that. `false`: because its state could not be kept. */
	readonly ended: Promise<boolean>;
	stop(): Promise<void>;
	/** For a failure that nothing else has caught: it is logged, and the service ends. */
	fail(error: unknown): void;
}

/** Starts the one service of a state folder; `undefined` when another process serves it. Throws sentences. */
export async function startService(options: ServiceOptions): Promise<Service | undefined> {
	prepareStateFolder(options.stateFolder);
	const lock = await waitForLock(options.stateFolder);
	if (lock === undefined) {
		return undefined;
	}
	try {
		return await serve(options, lock);
	} catch (error) {
		lock.dispose();
		if (error instanceof UserFacingError) {
			throw error;
		}
		throw new UserFacingError(
			`The local service cannot start with the data folder ${options.stateFolder} (${describeError(error)}). Mend that, or choose another folder with --data.`,
		);
	}
}

/** With the lock taken and no discovery file, its owner starts or ends; both are soon over. */
async function waitForLock(stateFolder: string): Promise<Disposable | undefined> {
	const end = performance.now() + LOCK_WAIT_MS;
	for (;;) {
		const lock = takeInstanceLock(stateFolder);
		if (lock !== undefined || readDiscovery(stateFolder) !== undefined || performance.now() > end) {
			return lock;
		}
		await delay(LOCK_POLL_MS);
	}
}

async function serve(options: ServiceOptions, lock: Disposable): Promise<Service> {
	const { stateFolder } = options;
	// One that a crash left would send windows to an address that may be anybody's by now.
	removeDiscovery(stateFolder);
	const log = new ServiceLog(stateFolder);
	const logger = log.logger('service');
	const file = path.join(stateFolder, 'state.sqlite');
	const database = openDatabase(file);
	const store = new TaskStore(database);
	const ended = Promise.withResolvers<boolean>();
	const stopping = new AbortController();
	let healthy = true;
	const fail = (error: unknown): void => {
		healthy = false;
		logger.log('error', 'the service cannot go on', { reason: describeError(error) });
		void stop();
	};

	const agents = [demoAgent(options.programFile)];
	const tasksFolder = path.join(stateFolder, 'tasks');
	const runner = new TaskRunner({
		store,
		folder: tasksFolder,
		agents,
		logger: log.logger('tasks'),
		onBroken: fail,
	});
	try {
		runner.recover();
	} catch (error) {
		throw new UserFacingError(databaseFailure(file, error));
	}
	const token = `sk-errand-${randomBytes(32).toString('base64url')}`;
	const app = createApp(log.logger('server'));
	registerControlRoutes(app, {
		token,
		address: () => server.address,
		stopping: stopping.signal,
		requestStop: () => void stop(),
	});
	registerChatRoutes(app, { providers: [demoProvider(systemClock)], logger: log.logger('chat') });
	registerTaskRoutes(app, { store, runner, agents, folder: tasksFolder, logger: log.logger('tasks') });
	const server = await startServer({ token, port: options.port, app, idleWatch: () => idleWatch });

	const idleWatch = new IdleWatch({
		idleMs: options.idleSeconds * 1000,
		isBusy: () => runner.isBusy,
		onIdle: () => {
			logger.log('info', 'nobody needs the service any more');
			void stop();
		},
	});
	runner.onDidEnd(() => idleWatch.workEnded());

	const stop = singleFlight(async () => {
		if (stopping.signal.aborted) {
			return;
		}
		stopping.abort();
		idleWatch.dispose();
		try {
			removeDiscovery(stateFolder);
			await runner.shutdown();
			await server.close(CLOSE_GRACE_MS);
			database.close();
			logger.log('info', 'stopped', { pid: process.pid });
		} catch (error) {
			healthy = false;
			logger.log('error', 'the service did not end cleanly', { reason: describeError(error) });
		} finally {
			log.dispose();
			lock.dispose();
			ended.resolve(healthy);
		}
	});

	const { address } = server;
	const startedAt = new Date().toISOString();
	try {
		writeDiscovery(stateFolder, { address, token, pid: process.pid, version: options.version, startedAt });
	} catch (error) {
		// A service that no window can find must not live on beside the next one.
		await stop();
		throw error;
	}
	logger.log('info', 'started', { pid: process.pid, version: options.version });
	return { address, ended: ended.promise, stop, fail };
}
