import { rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { AgentDirectory } from '../agents/catalogue/agentDirectory.ts';
import { ownAgent } from '../agents/catalogue/ownAgent.ts';
import { currentPlatform } from '../agents/catalogue/platform.ts';
import { AGENTS_FOLDER } from '../agents/install/installed.ts';
import { probeSandbox } from '../agents/sandbox/probe.ts';
import { singleFlight, systemClock } from '../base/async.ts';
import type { Disposable } from '../base/disposable.ts';
import { describeError, UserFacingError } from '../base/errors.ts';
import { replaceFileSync } from '../base/files.ts';
import { DISCOVERY_FILE, type Discovery, readDiscovery } from '../contract/control.ts';
import type { UpstreamHandover } from '../contract/upstreams.ts';
import { registerAgentRoutes } from './agents/agentRoutes.ts';
import { agentProgramOf, createRunServices, insideProgramOf, tryAgent } from './agents/agentRuns.ts';
import { AgentTrials } from './agents/agentTrials.ts';
import { TaskAgents } from './agents/taskAgents.ts';
import { registerChannelRoutes } from './channel/channelRoutes.ts';
import { type ControlPipe, openControlPipe } from './controlPipe.ts';
import { registerControlRoutes } from './controlRoutes.ts';
import { IdleWatch } from './idleWatch.ts';
import { inferenceStateOf, startInference } from './inference/inference.ts';
import { takeInstanceLock } from './instanceLock.ts';
import { type App, createApp, type ServiceServer, startServer } from './server.ts';
import { ServiceLog } from './serviceLog.ts';
import { registerSourceRoutes } from './sources/sourceRoutes.ts';
import type { StartOptions } from './startOptions.ts';
import { DATABASE_FILE, prepareStateFolder, prepareWorkFolder, removeWorkFolder, workFolderOf } from './stateFolder.ts';
import { ConsentStore } from './store/consentStore.ts';
import { databaseFailure, openDatabase } from './store/database.ts';
import { FolderStore } from './store/folderStore.ts';
import { TaskStore } from './store/taskStore.ts';
import { demoAgent } from './tasks/agent.ts';
import { registerAgentTaskRoutes } from './tasks/agentTaskRoutes.ts';
import { dependenciesOfBranch } from './tasks/dependenciesOfBranch.ts';
import { readMarker } from './tasks/folderRetention.ts';
import { registerTaskRoutes } from './tasks/taskRoutes.ts';
import { TaskRunner } from './tasks/taskRunner.ts';
import { newToken, tokenOfFile } from './tokenFile.ts';

/** The time for replies in progress when the service stops, so that followers learn that their tasks have ended. */
const CLOSE_GRACE_MS = 1_000;
/** The time that a start waits for a service that is just ending and that windows can no longer find. */
const LOCK_WAIT_MS = 5_000;
const LOCK_POLL_MS = 100;
/** The time to commit the work of an ended agent. Windows wait longer. */
const KEEP_TIMEOUT_MS = 150_000;

export interface ServiceOptions extends Omit<StartOptions, 'upstreamsFromStdin'> {
	handover: UpstreamHandover;
	/** The file that this process was started with. The demo agents are started with it too. */
	programFile: string;
	version: string;
}

export interface Service {
	readonly address: string;
	/** Resolves when the service has ended, with false if its state could not be stored. */
	readonly ended: Promise<boolean>;
	stop(): Promise<void>;
	/** Ends the service because of an error that nothing else has caught, which is logged. */
	fail(error: unknown): void;
}

/** Starts the service of a state folder, or resolves with undefined if it is running. Throws a UserFacingError. */
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

/** Waits while the lock is taken and there is no discovery file: its owner is then just starting or ending. */
async function waitForLock(stateFolder: string): Promise<Disposable | undefined> {
	const end = performance.now() + LOCK_WAIT_MS;
	for (;;) {
		const lock = takeInstanceLock(stateFolder);
		if (lock !== undefined || (await readDiscovery(stateFolder)) !== undefined || performance.now() > end) {
			return lock;
		}
		await delay(LOCK_POLL_MS);
	}
}

/** The resources that a start acquires before it touches tasks: without lock and port, it leaves them as they are. */
interface Frame {
	lock: Disposable;
	log: ServiceLog;
	token: string;
	app: App;
	server: ServiceServer;
	/** Makes the server answer requests. Before that, it reports that the service is starting. */
	open(idleWatch: IdleWatch): void;
}

async function serve(options: ServiceOptions, lock: Disposable): Promise<Service> {
	const { stateFolder, port, tokenFile } = options;
	// A file that a crash left behind would send windows to an address that may belong to any program by now.
	removeDiscovery(stateFolder);
	const log = new ServiceLog(stateFolder);
	const token = tokenFile === undefined ? newToken() : tokenOfFile(tokenFile);
	const app = createApp(log.logger('server'));
	let watch: IdleWatch | undefined;
	const server = await startServer({ token, port, app, idleWatch: () => watch });
	const open = (idleWatch: IdleWatch) => {
		watch = idleWatch;
	};
	try {
		return await run(options, { lock, log, token, app, server, open });
	} catch (error) {
		await server.close(0);
		throw error;
	}
}

async function run(options: ServiceOptions, { lock, log, token, app, server, open }: Frame): Promise<Service> {
	const { stateFolder } = options;
	const logger = log.logger('service');
	const workFolder = workFolderOf(stateFolder);
	prepareWorkFolder(workFolder);
	const file = path.join(stateFolder, DATABASE_FILE);
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

	const loggerOf = (topic: string) => log.logger(topic);
	const inference = startInference({
		...inferenceStateOf(stateFolder, loggerOf),
		app,
		demo: true,
		address: () => server.address,
		handover: options.handover,
		clock: systemClock,
		logger: loggerOf,
	});
	const builtIn = [
		demoAgent('demo', 'Demo', options.programFile),
		demoAgent('demo-two', 'Demo Two', options.programFile),
	];
	const surroundings = {
		insideProgram: insideProgramOf(options.programFile),
		privateFolders: [stateFolder, workFolder],
	};
	const agentLogger = log.logger('agents');
	const place = {
		folder: path.join(stateFolder, AGENTS_FOLDER),
		platform: currentPlatform(),
		environment: process.env,
	};
	const directory = new AgentDirectory({
		...place,
		builtIn,
		own: ownAgent(agentProgramOf(options.programFile), options.version),
		describe: () => inference.gateway.describe(),
		probeSandbox,
		clock: systemClock,
	});
	directory.replaceSettings(options.handover.tasks);
	const trials = new AgentTrials(directory, place, {
		handshake: (agent, signal) => tryAgent(agent, { ...surroundings, workFolder, logger: agentLogger, signal }),
		logger: agentLogger,
	});
	// No agent runs yet that may use them.
	void trials.removeLeftovers();
	const consents = new ConsentStore(database);
	registerAgentRoutes(app, {
		directory,
		trials,
		consents,
		dependenciesOf: (repoUrl, branch, ways) => dependenciesOfBranch(repoUrl, branch, ways, workFolder),
		stopping: stopping.signal,
	});
	const agents = new TaskAgents(directory, builtIn);
	const modelsLogger = log.logger('agent models');
	const runner = new TaskRunner(
		{ store, folder: workFolder },
		{
			services: createRunServices({ ...surroundings, directory, consents, inference, logger: modelsLogger }),
			agentOf: ({ agent, model }) => agents.byId(agent, model),
			logger: log.logger('tasks'),
			onBroken: fail,
		},
		{ maximumRunning: options.runningTasks },
	);
	try {
		await runner.recover();
	} catch (error) {
		throw new UserFacingError(databaseFailure(file, error));
	}
	registerChannelRoutes(app, {
		gateway: inference.gateway,
		server: 'Errand local service',
		version: options.version,
		clock: systemClock,
		logger: log.logger('channel'),
	});
	registerControlRoutes(app, {
		token,
		address: () => server.address,
		describe: async () => ({
			...(await inference.gateway.describe()),
			agents: (await agents.current()).map(({ id, label, models }) => ({ id, label, models: [...models] })),
		}),
		answerFoundServer: inference.answerFoundServer,
		async keepWork(taskId) {
			const task = store.get(taskId);
			return task && runner.keepWork(task, AbortSignal.any([stopping.signal, AbortSignal.timeout(KEEP_TIMEOUT_MS)]));
		},
		monthlyUse: () => store.modelUse.months(),
		stopping: stopping.signal,
		requestStop: () => void stop(),
	});
	registerTaskRoutes(app, {
		store,
		runner,
		agents: () => agents.current(),
		folder: workFolder,
		logger: log.logger('tasks'),
	});
	registerAgentTaskRoutes(app, query => store.list(query));
	registerSourceRoutes(app, { folders: new FolderStore(database), scratchParent: workFolder });

	const idleWatch = new IdleWatch({
		idleMs: options.idleSeconds * 1000,
		isBusy: () => runner.isBusy,
		onIdle: () => {
			logger.log('info', 'nobody needs the service any more');
			void stop();
		},
	});
	runner.onDidEnd(() => idleWatch.workEnded());
	open(idleWatch);

	let pipe: ControlPipe | undefined;
	const stop = singleFlight(async () => {
		if (stopping.signal.aborted) {
			return;
		}
		stopping.abort();
		idleWatch.dispose();
		try {
			removeDiscovery(stateFolder);
			await runner.shutdown();
			await trials.ended();
			await removeWorkFolder(workFolder, async inside => (await readMarker(inside)) !== undefined);
			pipe?.close();
			await server.close(CLOSE_GRACE_MS);
			await inference.close();
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
		pipe = await openControlPipe({
			stateFolder,
			token,
			logger: log.logger('pipe'),
			onHandover: handover => {
				inference.replaceUpstreams(handover);
				// A window of an earlier version does not send task settings, so the earlier ones remain in force.
				if (handover.tasks !== undefined) {
					directory.replaceSettings(handover.tasks);
				}
			},
		});
		const { pid } = process;
		writeDiscovery(stateFolder, { address, token, pipe: pipe.path, pid, version: options.version, startedAt });
	} catch (error) {
		// A service that no window can find must not keep running beside the next one.
		await stop();
		throw error;
	}
	runner.start();
	logger.log('info', 'started', { pid: process.pid, version: options.version });
	return { address, ended: ended.promise, stop, fail };
}

/** Writes the discovery file atomically, readable by its owner only. The caller holds the instance lock. */
function writeDiscovery(stateFolder: string, discovery: Discovery): void {
	const file = path.join(stateFolder, DISCOVERY_FILE);
	replaceFileSync(file, `${JSON.stringify(discovery)}\n`, { flush: true });
}

function removeDiscovery(stateFolder: string): void {
	rmSync(path.join(stateFolder, DISCOVERY_FILE), { force: true });
}
