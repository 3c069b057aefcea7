import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { describeError, UserFacingError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { removeFolder } from '../removeFolder.ts';
import { SQLITE_FULL, sqliteErrorCode } from '../store/sqlite.ts';
import type { ExecutionRecord, TaskRecord, TaskStatus } from '../store/taskRecord.ts';
import type { TaskStore } from '../store/taskStore.ts';
import type { Agent } from './agent.ts';
import { Checkout, type DiffStatistics } from './checkout.ts';
import { runChild } from './childProcess.ts';
import { findLockfiles } from './dependencies.ts';
import { GitError } from './git.ts';
import { folderOfRepoUrl, withoutFieldName } from './repoUrl.ts';
import { BranchCheckedOut, readBranchToMove, readSource, writeGitConfiguration } from './sourceRepository.ts';
import { TaskLog } from './taskLog.ts';
import { commitSubject, newBranchOf } from './taskNames.ts';

/** The number of names that one entry of a log lists. */
const MAXIMUM_NAMES = 20;
/** The length of each of them in UTF-16 code units. */
const MAXIMUM_NAME = 300;

/** Why an execution ends before its work is done. It is the reason with which the execution's signal aborts. */
export class TaskEnded extends Error {
	override readonly name = 'TaskEnded';
	readonly status: TaskStatus & ('stopped' | 'timeout' | 'error');
	/** Whether the service has ended, rather than the agent failed. */
	readonly interrupted: boolean;

	constructor(status: 'stopped' | 'timeout' | 'error', message: string, interrupted = false) {
		super(message);
		this.status = status;
		this.interrupted = interrupted;
	}
}

export interface TaskRunOptions {
	task: TaskRecord;
	execution: ExecutionRecord;
	agent: Agent;
	store: TaskStore;
	/** The folder of this execution alone. It does not exist before the run and is removed after it. */
	folder: string;
	/** It aborts with a TaskEnded. */
	signal: AbortSignal;
	logger: Logger;
}

/** Returns the marker by which the processes of an execution are found. */
export function processMarker(taskId: string, position: number): string {
	return `${taskId}/${position}`;
}

/**
 * Takes one execution from `processing` to a final state: clone, agent, commit, and the branch in the source repository.
 * Each step is logged before it takes effect. Failures of the execution become its final state; only a store that cannot
 * be written makes this reject.
 */
export async function runTask(options: TaskRunOptions): Promise<void> {
	const log = new TaskLog(options.store, options.task, options.execution);
	await new TaskRun(options, log).run();
}

class TaskRun {
	private readonly options: TaskRunOptions;
	private readonly log: TaskLog;

	constructor(options: TaskRunOptions, log: TaskLog) {
		this.options = options;
		this.log = log;
	}

	async run(): Promise<void> {
		const { task, execution, signal } = this.options;
		try {
			const checkout = await this.clone();
			if (task.installDependencies) {
				await this.nameDependencies(checkout);
			}
			await this.work(checkout);
			this.update({ status: 'saving', progress: 90 });
			await this.save(checkout);
		} catch (error) {
			await this.removeFolder();
			const { status, message, interrupted } = outcome(error, signal);
			const code = status;
			this.options.logger.log('info', 'a task did not complete', { taskId: task.id, code });
			const type = status === 'stopped' ? 'warning' : 'error';
			const ended = { status, interrupted, error: status === 'stopped' ? null : message };
			this.options.store.update(task.id, execution.position, ended, [this.log.record('task_ended', message, type)]);
		}
	}

	/** A task that already has a branch continues it; any other starts from the branch that was chosen. */
	private async clone(): Promise<Checkout> {
		const { task, execution, folder, signal } = this.options;
		const sourceFolder = folderOfRepoUrl(task.repoUrl);
		const branch = execution.branchName ?? task.selectedBranch;
		await mkdir(folder, { recursive: true, mode: 0o700 });
		this.update({ status: 'processing', progress: 0 });
		this.log.step('git_cloning', `Cloning ${branch} of ${sourceFolder}…`);
		const configuration = path.join(folder, 'gitconfig');
		await writeGitConfiguration(configuration, signal);
		const query = { folder: sourceFolder, branch, scratchFolder: folder, configuration, signal };
		const source = await (execution.branchName === null ? readSource(query) : readBranchToMove(query));
		const marker = processMarker(task.id, execution.position);
		const { agent } = execution;
		const checkout = await Checkout.create({ folder, source, sourceFolder, configuration, agent, signal, marker });
		this.update({ progress: 10 });
		this.log.step('git_cloned', `Cloned at ${source.commit.slice(0, 10)}.`, 'success');
		if (checkout.linksLeftOut.length > 0) {
			const message = `Links that lead out of the repository are not in the agent's folder: ${listed(checkout.linksLeftOut)}. They stay as they are where the agent makes nothing of their name.`;
			this.log.step('git_cloned', message, 'warning');
		}
		return checkout;
	}

	/** An installation runs programs of the repository. There is no sandbox for them, so the log only names the commands. */
	private async nameDependencies(checkout: Checkout): Promise<void> {
		const lockfiles = await findLockfiles(checkout.tree);
		for (const { name, command } of lockfiles) {
			this.log.step('installing_dependencies', `Found ${name}: "${command}" would install from it.`);
		}
		const message =
			lockfiles.length === 0
				? 'No lockfile was found, so there is nothing to install.'
				: 'Nothing was installed: an installation runs programs of the repository, and there is no sandbox for them.';
		this.log.step('installing_dependencies', message, 'warning');
	}

	private async work(checkout: Checkout): Promise<void> {
		const { task, execution, agent, signal } = this.options;
		this.log.step('agent_executing', `Starting agent "${agent.id}".`);
		this.update({ progress: 20 });
		const { exitCode } = await runChild({
			...agent.launch(),
			cwd: checkout.tree,
			input: task.currentPrompt ?? task.prompt,
			signal,
			marker: processMarker(task.id, execution.position),
			onOutput: (stream, bytes) => this.log.output(stream, bytes),
		}).finally(() => this.log.outputEnd());
		if (exitCode !== 0) {
			const made = execution.branchName === null ? 'No branch was made.' : 'The branch is as it was.';
			throw new UserFacingError(
				`The agent "${agent.id}" ended with ${exitCode === undefined ? 'a signal' : `exit code ${exitCode}`}; the log above says why. ${made}`,
			);
		}
	}

	/** The result and the final state are stored in one step, so that a task with a result is always complete. */
	private async save(checkout: Checkout): Promise<void> {
		const { task, execution } = this.options;
		const { commit, lacksIdentity, leftOut, specialFiles, unreadable } = await checkout.commit(
			commitSubject(task.currentPrompt ?? task.prompt),
		);
		for (const name of leftOut) {
			this.log.step('git_committed', `Left out ${name}: a repository of its own inside the tree.`, 'warning');
		}
		if (specialFiles.length > 0) {
			const message = `Left out what is no file, folder or link (pipes, sockets, devices): ${listed(specialFiles)}.`;
			this.log.step('git_committed', message, 'warning');
		}
		if (unreadable.length > 0) {
			const message = `Left out folders that cannot be read (closed, or nested too deeply): ${listed(unreadable)}.`;
			this.log.step('git_committed', message, 'warning');
		}
		if (commit === undefined) {
			const made = execution.branchName === null ? 'no commit and no branch' : 'no new commit';
			const message = `The agent changed nothing, so there is ${made}.`;
			const none = { linesAdded: 0, linesRemoved: 0, filesChanged: 0 };
			await this.complete(execution.branchName === null ? none : {}, 'git_committed', 'warning', message);
			return;
		}
		const start = await checkout.start();
		const base = await this.base(checkout, start);
		const statistics = await checkout.statistics(base, commit);
		const gitDiff = task.multiLaunch ? await checkout.diff(base, commit) : null;
		this.log.step('git_committed', `Committed ${commit.slice(0, 10)}: ${summed(statistics)}.`, 'success');
		if (lacksIdentity) {
			const message = 'Errand is the author of the commit, as git has no usable user.name and user.email here.';
			this.log.step('git_committed', message, 'warning');
		}
		const branchName = await this.push(checkout, start, commit);
		// The branch exists from here on, so the task is complete even if it is stopped now.
		const message = `The branch ${branchName} is in ${folderOfRepoUrl(task.repoUrl)}.`;
		await this.complete({ ...statistics, gitDiff, branchName, baseCommit: base }, 'git_pushed', 'success', message);
	}

	/** Returns the branch with the work: a new one if the task's branch was checked out while the agent worked. */
	private async push(checkout: Checkout, start: string, commit: string): Promise<string> {
		const { task, execution } = this.options;
		if (execution.branchName !== null) {
			try {
				await checkout.push(commit, execution.branchName, start);
				return execution.branchName;
			} catch (error) {
				if (!(error instanceof BranchCheckedOut)) {
					throw error;
				}
				const message = `The branch ${execution.branchName} has been checked out meanwhile, so it is left as it is. The work goes to a new branch.`;
				this.log.step('git_committed', message, 'warning');
			}
		}
		const branchName = newBranchOf(task, execution);
		await checkout.push(commit, branchName);
		return branchName;
	}

	/** Returns the commit where the branch began, because the statistics cover the whole branch. */
	private async base(checkout: Checkout, start: string): Promise<string> {
		const { baseCommit, branchName } = this.options.execution;
		if (branchName === null) {
			return start;
		}
		if (baseCommit !== null && (await checkout.has(baseCommit))) {
			return baseCommit;
		}
		const message = 'Where the branch began is not part of it any more: the statistics count from this follow-up on.';
		this.log.step('git_committed', message, 'warning');
		return start;
	}

	private async complete(
		result: Partial<ExecutionRecord>,
		step: 'git_committed' | 'git_pushed',
		type: 'warning' | 'success',
		message: string,
	): Promise<void> {
		// The folder is removed before the state is final, so that an ended task leaves nothing behind.
		await this.removeFolder();
		const { task, execution, store } = this.options;
		const final = { ...result, status: 'completed', progress: 100 } as const;
		store.update(task.id, execution.position, final, [this.log.record(step, message, type)]);
	}

	private update(change: Partial<ExecutionRecord>): void {
		this.options.store.update(this.options.task.id, this.options.execution.position, change);
	}

	private async removeFolder(): Promise<void> {
		const { task, folder, logger } = this.options;
		try {
			await removeFolder(folder);
		} catch (error) {
			logger.log('warn', 'a task folder was left behind', { taskId: task.id, reason: describeError(error) });
		}
	}
}

function summed({ linesAdded, linesRemoved, filesChanged }: DiffStatistics): string {
	return `+${linesAdded} −${linesRemoved} in ${filesChanged} ${filesChanged === 1 ? 'file' : 'files'}`;
}

function listed(names: readonly string[]): string {
	const shown = names
		.slice(0, MAXIMUM_NAMES)
		.map(name => (name.length > MAXIMUM_NAME ? `${name.slice(0, MAXIMUM_NAME)}…` : name))
		.join(', ');
	return names.length > MAXIMUM_NAMES ? `${shown} and ${names.length - MAXIMUM_NAMES} more` : shown;
}

/** Tells how an execution ended, with the sentence that says why. */
function outcome(error: unknown, signal: AbortSignal): TaskEnded {
	if (signal.aborted && signal.reason instanceof TaskEnded) {
		return signal.reason;
	}
	if (error instanceof UserFacingError) {
		return new TaskEnded('error', withoutFieldName(error.message));
	}
	if (error instanceof GitError) {
		const words = error.stderr.split('\n').find(line => line.trim() !== '') ?? 'without a word';
		return new TaskEnded('error', `${error.message}: ${words.trim().slice(0, 300)}`);
	}
	if (sqliteErrorCode(error) === SQLITE_FULL) {
		const sentence =
			'The disk of the data folder is full, so the work cannot be recorded. Free some space, then start again.';
		return new TaskEnded('error', sentence);
	}
	return new TaskEnded('error', `The task failed: ${describeError(error)}.`);
}
