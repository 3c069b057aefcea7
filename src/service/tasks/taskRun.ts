import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { describeError, UserFacingError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { TaskRecord, TaskStatus } from '../store/taskRecord.ts';
import type { TaskStore } from '../store/taskStore.ts';
import type { Agent } from './agent.ts';
import { Checkout } from './checkout.ts';
import { runChild } from './childProcess.ts';
import { GitError } from './git.ts';
import { folderOfRepoUrl } from './repoUrl.ts';
import { readSource, writeGitConfiguration } from './sourceRepository.ts';
import { logRecord, TaskLog } from './taskLog.ts';
import { branchNameOf, commitSubject } from './taskNames.ts';

/** Why a task ends before its work is done. The reason of its signal. */
export class TaskEnded extends Error {
	override readonly name = 'TaskEnded';
	readonly status: TaskStatus & ('stopped' | 'timeout' | 'error');

	constructor(status: 'stopped' | 'timeout' | 'error', message: string) {
		super(message);
		this.status = status;
	}
}

export interface TaskRunOptions {
	task: TaskRecord;
	agent: Agent;
	store: TaskStore;
	/** Of this task alone. It does not exist before, and is gone afterwards. */
	folder: string;
	/** Aborted with a TaskEnded. */
	signal: AbortSignal;
	logger: Logger;
}

/**
 * One task from `processing` to a final state: clone, agent, commit, branch into the source repository. Each step is in
 * the log before its effect is. Never throws for what goes wrong with the task; only for a store that cannot be written.
 */
export async function runTask(options: TaskRunOptions): Promise<void> {
	const { task, agent, store, signal } = options;
	const log = new TaskLog(store, task.id, agent.id);
	try {
		const checkout = await clone(options, log);
		await work(options, log, checkout);
		store.update(task.id, { status: 'saving', progress: 90 });
		// From here on the branch is there, so the task is complete even when a stop comes now.
		await save(options, log, checkout);
		await removeFolder(options);
		store.update(task.id, { status: 'completed', progress: 100 });
	} catch (error) {
		await removeFolder(options);
		const ended = outcome(error, signal);
		options.logger.log('info', 'a task did not complete', { taskId: task.id, code: ended.status });
		const type = ended.status === 'stopped' ? 'warning' : 'error';
		store.update(task.id, { status: ended.status, error: ended.status === 'stopped' ? null : ended.message }, [
			logRecord(agent.id, 'task_ended', type, ended.message),
		]);
	}
}

async function removeFolder({ task, folder, logger }: TaskRunOptions): Promise<void> {
	try {
		await rm(folder, { recursive: true, force: true, maxRetries: 3 });
	} catch (error) {
		logger.log('warn', 'a task folder was left behind', { taskId: task.id, reason: describeError(error) });
	}
}

async function clone({ task, store, folder, signal }: TaskRunOptions, log: TaskLog): Promise<Checkout> {
	const sourceFolder = folderOfRepoUrl(task.repoUrl);
	await mkdir(folder, { recursive: true, mode: 0o700 });
	store.update(task.id, { status: 'processing', progress: 0 });
	log.step('git_cloning', `Cloning ${task.selectedBranch} of ${sourceFolder}…`);
	const configuration = path.join(folder, 'gitconfig');
	await writeGitConfiguration(configuration, signal);
	const source = await readSource({
		folder: sourceFolder,
		branch: task.selectedBranch,
		scratchFolder: folder,
		configuration,
		signal,
	});
	const checkout = await Checkout.create({ folder, source, sourceFolder, configuration, signal });
	store.update(task.id, { progress: 10 });
	log.step('git_cloned', `Cloned at ${source.commit.slice(0, 10)}.`, 'success');
	return checkout;
}

async function work({ task, agent, store, signal }: TaskRunOptions, log: TaskLog, checkout: Checkout): Promise<void> {
	log.step('agent_executing', `Starting agent "${agent.id}".`);
	store.update(task.id, { progress: 20 });
	const { exitCode } = await runChild({
		...agent.launch(),
		cwd: checkout.tree,
		input: task.prompt,
		signal,
		onOutput: (stream, bytes) => log.output(stream, bytes),
	}).finally(() => log.outputEnd());
	if (exitCode !== 0) {
		throw new UserFacingError(
			`The agent "${agent.id}" ended with ${exitCode === undefined ? 'a signal' : `exit code ${exitCode}`}; the log above says why. No branch was made.`,
		);
	}
}

/** Ends with the result in the store: a task that has one is complete, whatever happens to the service after that. */
async function save({ task, agent, store }: TaskRunOptions, log: TaskLog, checkout: Checkout): Promise<void> {
	const { commit, leftOut } = await checkout.commit(commitSubject(task.prompt));
	for (const name of leftOut) {
		log.step('git_committed', `Left out ${name}: a repository of its own inside the tree.`, 'warning');
	}
	if (commit === undefined) {
		const message = 'The agent changed nothing, so there is no commit and no branch.';
		store.update(task.id, { linesAdded: 0, linesRemoved: 0, filesChanged: 0 }, [
			logRecord(agent.id, 'git_committed', 'warning', message),
		]);
		return;
	}
	const statistics = await checkout.statistics(commit);
	const { linesAdded, linesRemoved, filesChanged } = statistics;
	const files = `${filesChanged} ${filesChanged === 1 ? 'file' : 'files'}`;
	log.step(
		'git_committed',
		`Committed ${commit.slice(0, 10)}: +${linesAdded} −${linesRemoved} in ${files}.`,
		'success',
	);
	const branchName = branchNameOf(task.prompt, task.id);
	await checkout.push(commit, branchName);
	const message = `The branch ${branchName} is in ${folderOfRepoUrl(task.repoUrl)}.`;
	store.update(task.id, { ...statistics, branchName }, [logRecord(agent.id, 'git_pushed', 'success', message)]);
}

/** How a task ended, and the sentence that says why. */
function outcome(error: unknown, signal: AbortSignal): TaskEnded {
	if (signal.aborted && signal.reason instanceof TaskEnded) {
		return signal.reason;
	}
	if (error instanceof UserFacingError) {
		// The field's name helps whoever sent it; here it is the task that speaks.
		return new TaskEnded('error', error.message.replace(/^(?:repoUrl|selectedBranch): /, ''));
	}
	if (error instanceof GitError) {
		const words = error.stderr.split('\n').find(line => line.trim() !== '') ?? 'without a word';
		return new TaskEnded('error', `${error.message}: ${words.trim().slice(0, 300)}`);
	}
	return new TaskEnded('error', `The task failed: ${describeError(error)}.`);
}
