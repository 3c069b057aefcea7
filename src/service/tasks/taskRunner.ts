// Tasks wait in a queue that survives a restart. A task is cloned beside the state folder, with the git directory
// outside of the tree that the agent writes, and without links that lead out of the repository. A new task has a new
// branch, a continued one moves its branch forward, and a push succeeds only where nobody else has moved the branch. A
// branch that is checked out somewhere is never moved.
import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { endLeftPrograms } from '../../agents/run/leftPrograms.ts';
import { SerialQueue } from '../../base/async.ts';
import { describeError, UserFacingError } from '../../base/errors.ts';
import { Emitter } from '../../base/event.ts';
import type { Logger } from '../../base/logger.ts';
import { removeFolder } from '../../base/removeFolder.ts';
import type { Composition } from '../../contract/compositions.ts';
import type { TaskServer } from '../../contract/mcpServers.ts';
import { WORK_MARKER } from '../stateFolder.ts';
import { type ExecutionRecord, FINAL_STATUSES, isAgents, type NewTask, type TaskRecord } from '../store/taskRecord.ts';
import type { FollowUp, TaskStore } from '../store/taskStore.ts';
import type { Agent } from './agent.ts';
import { COMPOSER } from './composition.ts';
import { readMarker, removeOldFolders } from './folderRetention.ts';
import { type PushEnd, readPushEnd } from './interruptedPush.ts';
import { commitPartialWork } from './partialWork.ts';
import type { RunServices } from './runServices.ts';
import { StepSearch } from './steps/stepSearch.ts';
import { limitTime, TaskEnded } from './taskEnded.ts';
import { endWithoutRun, logRecord } from './taskLog.ts';
import { commitSubject } from './taskNames.ts';
import { processMarker } from './taskPlace.ts';
import { type AgentJob, runTask } from './taskRun.ts';
import { TaskServers } from './taskServers.ts';

const MAXIMUM_RUNNING = 2;
const MAXIMUM_WAITING = 200;
/** The share of the machine's memory that agents may need together. */
const SHARE_OF_MEMORY = 0.75;
const KEEPING = 'What the agent had done is just being kept. Ask again in a moment.';
const SEARCHING = 'The steps of the task are just being searched. Wait for the end of that, or cancel it.';
const INTERRUPTED = 'Interrupted: the local service stopped while the task was running.';

export interface TaskStorage {
	store: TaskStore;
	/**
	 * The folder in which each running execution has its own folder. Anything else in it is removed at the start, except
	 * the kept folders of ended tasks (folderRetention.ts).
	 */
	folder: string;
}

/** The services that runs use, and a callback for when their state can no longer be stored. */
export interface RunSupport {
	services: RunServices;
	/** Returns the agent of an execution that an earlier service left waiting, or undefined if it no longer exists. */
	agentOf(execution: ExecutionRecord): Agent | undefined;
	logger: Logger;
	/** Called when the state can no longer be written: the service must end rather than show a false state. */
	onBroken(error: unknown): void;
}

export interface QueueLimits {
	/** The maximum number of executions that run at the same time; 2 by default. */
	maximumRunning?: number;
	/** The maximum number of executions that wait; 200 by default. */
	maximumWaiting?: number;
	/**
	 * The memory that agents may need together, by their known needs; three quarters of the machine's by default. One
	 * agent always runs.
	 */
	maximumMegabytes?: number;
	/** The time in milliseconds for each run of a search among steps; 15 minutes by default. */
	searchRunMs?: number;
}

interface Job extends AgentJob {
	controller: AbortController;
	/** Settles when the execution is in a final state. Absent while the execution waits. */
	run?: Promise<void>;
}

/** Runs the agents of tasks in the order of creation, a limited number at a time. The queue survives a restart. */
export class TaskRunner {
	private readonly storage: TaskStorage;
	private readonly support: RunSupport;
	private readonly limits: QueueLimits;
	private readonly jobs = new Set<Job>();
	private readonly ended = new Emitter<string>();
	/** Two windows may ask for the same work at the same time. */
	private readonly keeping = new SerialQueue();
	/** The ids of ended tasks whose folders are in use, with a sentence that says for what. */
	private readonly used = new Map<string, string>();
	private readonly searches = new Map<AbortController, Promise<void>>();
	private readonly cleaning = new SerialQueue();
	private readonly servers = new TaskServers();
	private stopping = false;

	/** Fires with the id of a task when one of its executions has reached a final state. */
	readonly onDidEnd = this.ended.event;

	constructor(storage: TaskStorage, support: RunSupport, limits: QueueLimits = {}) {
		this.storage = storage;
		this.support = support;
		this.limits = limits;
	}

	get isBusy(): boolean {
		return this.jobs.size > 0;
	}

	get isStopping(): boolean {
		return this.stopping;
	}

	/** Returns whether `count` more executions may wait. */
	hasRoomFor(count: number): boolean {
		return this.waiting().length + count <= (this.limits.maximumWaiting ?? MAXIMUM_WAITING);
	}

	/**
	 * Takes over from an earlier process: executions that were waiting wait again (until `start`), running ones are
	 * marked as interrupted, and their processes and folders are removed.
	 */
	async recover(): Promise<void> {
		const { store, folder } = this.storage;
		const { logger } = this.support;
		const leftovers: Promise<void>[] = [];
		const queued: Job[] = [];
		const saving: (() => Promise<void>)[] = [];
		for (const task of store.active()) {
			for (const execution of store.executions(task)) {
				const agent = isAgents(execution) ? this.support.agentOf(execution) : COMPOSER;
				if (FINAL_STATUSES.has(execution.status)) {
					continue;
				}
				if (execution.status !== 'pending') {
					const own = this.folderOf(task, execution.position);
					const kept = await readMarker(own);
					// The agent's work cannot be examined before its processes have ended. It can be kept, if there is any.
					const end = (sentence: string, result?: PushEnd['result']) => {
						const reason = new TaskEnded('error', sentence, true);
						this.store(task, execution, reason, { hasWork: kept !== undefined && result === undefined, ...result });
						logger.log('info', 'an interrupted task was ended', { taskId: task.id });
					};
					if (execution.status === 'saving') {
						saving.push(async () => {
							const { sentence, result } = await readPushEnd(task, execution, own, folder);
							end(`${INTERRUPTED} ${sentence}`, result);
						});
					} else {
						end(INTERRUPTED);
					}
					const marker = processMarker(task.id, execution.position);
					leftovers.push(endLeftPrograms(own, marker));
				} else if (agent === undefined) {
					const sentence = `There is no agent "${execution.agent}" here any more. Start the task again with another one.`;
					this.store(task, execution, new TaskEnded('error', sentence));
				} else {
					queued.push({ task, execution, agent, controller: new AbortController() });
				}
			}
		}
		await Promise.all(leftovers);
		await Promise.all(saving.map(end => end()));
		try {
			// The folder itself stays: it has been checked, and a new one in its place would be unchecked.
			const names = await readdir(folder).catch(() => []);
			for (const name of names.filter(left => left !== WORK_MARKER)) {
				if ((await readMarker(path.join(folder, name))) === undefined) {
					await removeFolder(path.join(folder, name));
				}
			}
		} catch (error) {
			logger.log('warn', 'task folders of an earlier run were left behind', { reason: describeError(error) });
		}
		for (const job of queued) {
			this.jobs.add(job);
		}
		void this.removeOldWork();
	}

	/** Starts the executions that `recover` found waiting. */
	start(): void {
		this.startNext();
	}

	/**
	 * Stores a task, which then survives a crash, and queues it. `agents` are those of `task.agents`, in their order. Of
	 * its MCP servers, which its runs can use until the service ends, only the names are stored.
	 */
	create(
		task: Omit<NewTask, 'id' | 'mcpServers'>,
		agents: readonly Agent[],
		servers: readonly TaskServer[] = [],
	): TaskRecord {
		const mcpServers = servers.map(({ name }) => name);
		const record = this.storage.store.create({ ...task, id: randomUUID(), mcpServers });
		this.servers.keep(record.id, servers);
		this.queue(record, agents);
		return record;
	}

	/**
	 * Stores a follow-up to a task of one agent that is in a final state and has a branch, or a step to go on from, and
	 * queues it.
	 */
	continue(id: string, followUp: FollowUp, agent: Agent): TaskRecord {
		const message = `Asked to go on: ${commitSubject(followUp.prompt)}`;
		const record = this.storage.store.followUp(id, followUp, [logRecord(agent.id, 'task_continued', 'info', message)]);
		this.queue(record, [agent]);
		return record;
	}

	/** Stores a composition of the work of a task's agents, and queues it. */
	compose(id: string, composition: Composition): TaskRecord {
		const { store } = this.storage;
		const entry = logRecord(COMPOSER.id, 'task_continued', 'info', 'Asked to compose the work of several agents.');
		const task = store.addComposition(id, COMPOSER.id, composition, entry);
		const execution = store.executions(task).at(-1) as ExecutionRecord;
		this.jobs.add({ task, execution, agent: COMPOSER, controller: new AbortController() });
		this.startNext();
		return task;
	}

	/**
	 * Commits the work that the agents of an ended task had done. Returns its branch.
	 * @throws UserFacingError if there is nothing to keep, or if it cannot be committed.
	 */
	async keepWork(task: TaskRecord, signal: AbortSignal): Promise<string> {
		if (this.used.get(task.id) === SEARCHING) {
			throw new UserFacingError(SEARCHING);
		}
		this.used.set(task.id, KEEPING);
		return this.keeping
			.run(() => {
				const { store } = this.storage;
				const { logger } = this.support;
				const folderOf = (kept: TaskRecord, position: number) => this.folderOf(kept, position);
				return commitPartialWork(task, { store, folderOf, signal, logger });
			})
			.finally(() => this.used.delete(task.id));
	}

	/** Prepares a search among the steps of an agent of an ended task. Returns undefined if there are none any more. */
	openSearch(task: TaskRecord, execution: ExecutionRecord): Promise<StepSearch | undefined> {
		const { store } = this.storage;
		const { services, logger } = this.support;
		const folder = this.folderOf(task, execution.position);
		return StepSearch.open({ task, execution, folder, store, services, logger, limitMs: this.limits.searchRunMs });
	}

	/** Begins a search, and returns its events as text. Nothing else uses the folders of the task until its end. */
	search(
		{ id }: TaskRecord,
		search: StepSearch,
		command: string | undefined,
		signal: AbortSignal,
	): AsyncGenerator<string, void> {
		const stop = new AbortController();
		this.used.set(id, SEARCHING);
		const { events, over } = search.begin(command, signal, stop.signal);
		const ended = over.then(() => {
			this.used.delete(id);
			this.searches.delete(stop);
		});
		this.searches.set(stop, ended);
		return events;
	}

	/** Ends a task and everything that it started. Resolves when that is done; at once if the task had already ended. */
	async stop(id: string): Promise<void> {
		const reason = () => new TaskEnded('stopped', 'Stopped by the user.');
		const jobs = [...this.jobs].filter(({ task }) => task.id === id);
		// Waiting executions are ended first: they must not start when a running one ends.
		jobs.sort((a, b) => Number(a.run !== undefined) - Number(b.run !== undefined));
		await Promise.all(jobs.map(job => this.end(job, reason())));
	}

	/**
	 * Ends running executions as interrupted and starts no others; waiting ones keep waiting in the store. Every child
	 * has ended when this resolves, even if nothing can be stored any more.
	 */
	async shutdown(): Promise<void> {
		this.stopping = true;
		const running = [...this.jobs].filter(job => job.run !== undefined);
		const reason = new UserFacingError('The search was ended, because the local service is stopping.');
		for (const stop of this.searches.keys()) {
			stop.abort(reason);
		}
		await Promise.all(this.searches.values());
		await Promise.all(running.map(job => this.end(job, new TaskEnded('error', INTERRUPTED, true))));
		await this.cleaning.run(async () => {});
	}

	private queue(task: TaskRecord, agents: readonly Agent[]): void {
		for (const [index, execution] of this.storage.store.executions(task).entries()) {
			const agent = agents[index];
			if (agent !== undefined) {
				this.jobs.add({ task, execution, agent, controller: new AbortController() });
			}
		}
		this.startNext();
	}

	private async end(job: Job, reason: TaskEnded): Promise<void> {
		job.controller.abort(reason);
		if (job.run !== undefined) {
			await job.run;
			return;
		}
		this.store(job.task, job.execution, reason);
		this.forget(job);
	}

	/** Stores the final state of an execution that is not running, with the facts known about its work. */
	private store(
		task: TaskRecord,
		execution: ExecutionRecord,
		reason: TaskEnded,
		work: Partial<ExecutionRecord> = {},
	): void {
		const { change, entry } = endWithoutRun(task, execution, reason);
		this.storage.store.update(task.id, execution.position, { ...change, ...work }, [entry]);
	}

	private waiting(): Job[] {
		return [...this.jobs].filter(job => job.run === undefined);
	}

	private startNext(): void {
		if (this.stopping) {
			return;
		}
		const { maximumRunning = MAXIMUM_RUNNING, maximumMegabytes = (os.totalmem() / 2 ** 20) * SHARE_OF_MEMORY } =
			this.limits;
		const running = [...this.jobs].filter(job => job.run !== undefined);
		let count = running.length;
		let megabytes = running.reduce((sum, { agent }) => sum + agent.megabytes, 0);
		for (const job of this.waiting()) {
			// The order is kept: an agent that needs much memory would otherwise wait for ever.
			if (count >= maximumRunning || (count > 0 && megabytes + job.agent.megabytes > maximumMegabytes)) {
				break;
			}
			count++;
			megabytes += job.agent.megabytes;
			job.run = this.run(job);
		}
	}

	private async run(job: Job): Promise<void> {
		const { task, execution, controller } = job;
		const limit = limitTime(controller, task.maxDuration);
		const { store } = this.storage;
		const folder = this.folderOf(task, execution.position);
		const { services, logger, onBroken } = this.support;
		try {
			await runTask(job, { store, folder }, { services, servers: this.servers, logger, signal: controller.signal });
		} catch (error) {
			onBroken(error);
		} finally {
			limit.dispose();
		}
		this.forget(job);
		void this.removeOldWork();
	}

	/** Returns the folder of an execution, which may not exist. */
	folderOf(task: TaskRecord, position: number): string {
		return path.join(this.storage.folder, `${task.id}-${position}`);
	}

	/** Returns for what the folders of an ended task are in use, as a sentence, or undefined if they are not. */
	useOf(id: string): string | undefined {
		return this.used.get(id);
	}

	/** Keeps the work of ended tasks within its limits. Never rejects. */
	private removeOldWork(): Promise<void> {
		const { logger } = this.support;
		return this.cleaning
			.run(() => this.removeOldWorkOnce())
			.catch(error => logger.log('warn', 'old work was left behind', { reason: describeError(error) }));
	}

	private async removeOldWorkOnce(): Promise<void> {
		if (this.stopping) {
			return;
		}
		const { store, folder } = this.storage;
		const { logger } = this.support;
		const inUse = (name: string) => {
			const id = name.slice(0, name.lastIndexOf('-'));
			return this.stopping || this.used.has(id) || [...this.jobs].some(({ task }) => task.id === id);
		};
		for (const name of await removeOldFolders(folder, { inUse, logger })) {
			const end = name.lastIndexOf('-');
			const task = store.get(name.slice(0, end));
			if (task !== undefined) {
				store.keep(task.id, Number(name.slice(end + 1)), { hasWork: false }, []);
				store.steps.forget(task, Number(name.slice(end + 1)));
			}
		}
	}

	private forget(job: Job): void {
		this.jobs.delete(job);
		this.ended.fire(job.task.id);
		this.startNext();
	}
}
