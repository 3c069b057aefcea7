import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { describeError, UserFacingError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { readRemoteUrl } from '../../base/remoteUrl.ts';
import { removeFolder } from '../../base/removeFolder.ts';
import { openDatabase } from '../../service/store/database.ts';
import type { TaskRecord } from '../../service/store/taskRecord.ts';
import { TaskStore } from '../../service/store/taskStore.ts';
import { endOf, limitTime, TaskEnded } from '../../service/tasks/taskEnded.ts';
import { endWithoutRun, logLabel, logRecord } from '../../service/tasks/taskLog.ts';
import { newBranchOf } from '../../service/tasks/taskNames.ts';
import { processMarker } from '../../service/tasks/taskPlace.ts';
import { type MadeBranch, runTask } from '../../service/tasks/taskRun.ts';
import { TaskServers } from '../../service/tasks/taskServers.ts';
import type { Configuration } from '../configuration.ts';
import type { Attempt, Attempts, BegunAttempt } from '../database/attempts.ts';
import type { SourceTokens } from '../database/sourceTokens.ts';
import { findRepository } from '../sources/hosting.ts';
import { HostedRepository } from './hostedRepository.ts';
import { RunRelay, untilAnswered } from './runRelay.ts';
import type { WorkerServices } from './workerServices.ts';

/** A host that hangs keeps nobody waiting for the end of a task. */
const WITHDRAWAL_WAIT_MS = 1_000;

export interface AttemptSupport {
	attempts: Attempts;
	tokens: SourceTokens;
	services: WorkerServices;
	configuration: Pick<Configuration, 'sources' | 'allowLocalRepositories'>;
	/** The folder in which each attempt has its own. */
	folder: string;
	logger: Logger;
}

/**
 * One attempt at a turn of a task, from the queue to a final state. The work itself is that of the local service, on a
 * store of its own and on a clone of the repository.
 */
export class AttemptRun {
	readonly attempt: Attempt;
	private readonly support: AttemptSupport;
	/** Ends the run with a TaskEnded. */
	private readonly controller = new AbortController();
	private readonly folder: string;
	/** True once the worker has given the run up. */
	isGivenUp = false;
	private relay: RunRelay | undefined;
	private hosted: HostedRepository | undefined;
	private published: MadeBranch | undefined;
	private withdrawal: Promise<void> | undefined;

	constructor(attempt: Attempt, support: AttemptSupport) {
		const { taskId, position, attempt: number } = attempt;
		this.attempt = attempt;
		this.support = support;
		this.folder = path.join(support.folder, `${taskId}-${position}-${number}`);
	}

	/** Resolves when the run has ended, and all of it is stored. Rejects if that cannot be. */
	async run(): Promise<void> {
		const { attempts, logger } = this.support;
		const { signal } = this.controller;
		const begun = await untilAnswered(() => attempts.begin(this.attempt), { signal, logger }).catch(error => {
			if (!signal.aborted) {
				throw error;
			}
		});
		if (begun === undefined) {
			return;
		}
		const own = openDatabase(':memory:');
		try {
			await mkdir(this.folder, { recursive: true, mode: 0o700 });
			await this.work(begun, own);
		} finally {
			await removeFolder(this.folder).catch(error => {
				const fields = { taskId: this.attempt.taskId, reason: describeError(error) };
				logger.log('warn', 'a task folder was left behind', fields);
			});
			own.close();
		}
	}

	/** Ends the run because the user wants it. */
	stop(): void {
		this.controller.abort(new TaskEnded('stopped', 'Stopped by the user.'));
	}

	/** Ends the run without a trace, so that it can begin anew elsewhere. */
	giveUp(): void {
		this.isGivenUp = true;
		this.controller.abort(new TaskEnded('error', 'The worker is stopping.', true));
		this.relay?.giveUp();
	}

	/** Ends the run if another attempt has begun. */
	async check(): Promise<void> {
		await this.relay?.checkCurrent().catch(() => {});
	}

	private async work(begun: BegunAttempt, own: DatabaseSync): Promise<void> {
		const { controller, attempt } = this;
		const { attempts, logger } = this.support;
		const store = new TaskStore(own);
		const task = copyTask(begun, own, store);
		const relay = new RunRelay({
			writer: attempts,
			attempt,
			store,
			task,
			spent: begun.spent,
			shown: text => (this.hosted === undefined ? text : text.replaceAll(this.hosted.folder, task.repoUrl)),
			end: reason => controller.abort(reason),
			logger,
		});
		this.relay = relay;
		const limit = limitTime(controller, task.maxDuration);
		try {
			if (controller.signal.aborted) {
				relay.giveUp();
			}
			await this.execute(begun, task, store, relay);
			await relay.flush();
		} catch (error) {
			// The end of the run is not stored, so nothing of it may stay. It may be, if the database has not answered.
			await (this.published && !relay.isInDoubt && this.hosted?.withdraw(this.published));
			if (!(error instanceof TaskEnded)) {
				throw error;
			}
			logger.log('info', 'a run was given up', { taskId: task.id, attempt: attempt.attempt });
		} finally {
			limit.dispose();
			await this.withdrawal;
		}
	}

	/** Takes the execution to a final state in the run's own store. Rejects if that cannot be written. */
	private async execute(begun: BegunAttempt, task: TaskRecord, store: TaskStore, relay: RunRelay): Promise<void> {
		const { position, attempt } = this.attempt;
		const { services, logger } = this.support;
		const { signal } = this.controller;
		const { execution, spent } = begun;
		const tell = (message: string) =>
			store.append(task.id, [logRecord(execution.agent, 'git_cloning', 'info', logLabel(task, position) + message)]);
		try {
			const agent = services.agents.byId(execution.agent, execution.model);
			if (agent === undefined) {
				throw new UserFacingError(
					`There is no agent "${execution.agent}" here any more. Start the task again with another one.`,
				);
			}
			if (services.maxCost !== undefined && spent >= services.maxCost) {
				throw new UserFacingError(
					`Earlier attempts at this have spent the limit of US$ ${services.maxCost} for models already.`,
				);
			}
			const hosted = await this.open(begun);
			const branch = execution.branchName ?? task.selectedBranch;
			if (hosted !== undefined) {
				tell(`Fetching ${branch} from ${task.repoUrl}…`);
				await hosted.clone(branch);
				const earlier =
					execution.branchName === null ? Array.from({ length: attempt - 1 }, (_, index) => index + 1) : [];
				await (earlier.length > 0 && hosted.withdrawLeft(earlier.map(each => newBranchOf(task, execution, each))));
			}
			await runTask(
				{ task: { ...task, repoUrl: hosted?.folder ?? task.repoUrl }, execution, agent },
				{ store, folder: path.join(this.folder, 'run') },
				{
					services: services.forRun(spent),
					servers: new TaskServers(),
					logger,
					signal,
					attempt,
					...(hosted && { publish: made => this.publish(hosted, made, relay) }),
				},
			);
		} catch (error) {
			const { change, entry } = endWithoutRun(task, execution, endOf(error, signal));
			store.update(task.id, position, change, [entry]);
		}
	}

	/** Returns the repository at its host, or undefined for one of this machine. Throws a UserFacingError. */
	private async open({ task }: BegunAttempt): Promise<HostedRepository | undefined> {
		const { configuration, tokens } = this.support;
		const { sources, allowLocalRepositories } = configuration;
		const place = readRemoteUrl(task.repoUrl);
		if (place.kind === 'directory' && allowLocalRepositories) {
			return undefined;
		}
		const url = place.kind === 'url' ? place.url : '';
		const source = findRepository(sources, url)?.source;
		if (source === undefined) {
			throw new UserFacingError(`This service has no source host for ${task.repoUrl}. Choose another repository.`);
		}
		const token = await tokens.get(task.userId, source.scm);
		if (token === undefined) {
			throw new UserFacingError(`You have no token for ${source.scm} here. Have one stored for you, then start again.`);
		}
		const { position, attempt } = this.attempt;
		const marker = processMarker(task.id, position, attempt);
		const { signal } = this.controller;
		this.hosted = new HostedRepository({ url, token, folder: this.folder, marker, signal });
		return this.hosted;
	}

	/** A run that was paused and wakes must not leave a branch, whenever that was. */
	private async publish(hosted: HostedRepository, made: MadeBranch, relay: RunRelay): Promise<void> {
		await relay.flush();
		await relay.checkCurrent();
		try {
			await hosted.push(made);
			await relay.checkCurrent();
			this.controller.signal.throwIfAborted();
		} catch (error) {
			this.withdrawal = hosted.withdraw(made);
			await Promise.race([this.withdrawal, delay(WITHDRAWAL_WAIT_MS, undefined, { ref: false })]);
			throw error;
		}
		this.published = made;
	}
}

/** Copies a task into the store of a run, as it is at the beginning of the attempt. Other executions stand in by name. */
function copyTask({ task, execution, use }: BegunAttempt, own: DatabaseSync, store: TaskStore): TaskRecord {
	const { position, agent, model, ...fields } = execution;
	const count = Math.max(position + 1, task.multiLaunch ? 2 : 1);
	const [first, ...others] = Array.from({ length: count }, () => ({ agent, model }));
	const { sequence } = store.create({ ...task, mcpServers: [], agents: [first ?? { agent, model }, ...others] });
	own
		.prepare('UPDATE tasks SET turn = ?, currentPrompt = ? WHERE sequence = ?')
		.run(task.turn, task.currentPrompt, sequence);
	for (const { turn, ...part } of use.filter(earlier => earlier.turn < task.turn)) {
		store.modelUse.add(
			{ ...part, turn, taskSequence: sequence, provider: part.provider ?? undefined },
			new Date(task.updatedAt),
		);
	}
	return store.update(task.id, position, { ...fields, status: 'processing', progress: 0 });
}
