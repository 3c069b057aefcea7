// The changes of the local service's tasks, whose branches it puts into the local repository.
import { execFile } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { childEnvironment } from '../../base/childEnvironment.ts';
import { defined } from '../../base/defined.ts';
import { UserFacingError } from '../../base/errors.ts';
import { safeArguments, safeEnvironment } from '../../base/gitConfiguration.ts';
import { isObjectName } from '../../base/objectName.ts';
import { isOnOtherMachine } from '../../base/remoteUrl.ts';
import type { FileDiff, TaskChangeList } from '../../contract/editorPipe.ts';
import { baseCommitOf, resultsOf, type TaskResult } from '../../contract/taskResults.ts';
import { isActiveTask, type Task } from '../../contract/tasks.ts';

const TIMEOUT_MS = 30_000;
const MAXIMUM_OUTPUT = 64 * 1024 * 1024;
const MAXIMUM_FILES = 1_000;
/** In UTF-16 code units. */
const MAXIMUM_DIFF = 100_000;

/** The size, in bytes, above which a file is not compared line by line. */
const LARGE_FILE = 'core.bigFileThreshold=8m';

/** These keep git from running a program that the repository names for comparing files. */
const PLAIN = ['-r', '--no-textconv', '--no-ext-diff', '--no-color', '--ignore-submodules=none'];

/** `start`: the commit with which git compares the branch. */
type StartedResult = TaskResult & { start: string };

/** Lists the changes of a task. Rejects with a UserFacingError. */
export async function listBranchChanges(task: Task): Promise<TaskChangeList> {
	const folder = folderOf(task);
	const results = startedResultsOf(task).map(async ({ key, branch, name, start }) => {
		const output = await diffTree(folder, ['-z', '--raw', '--numstat', '--no-renames'], start, branch, []);
		const files = readFiles(output);
		return {
			result: key,
			branch,
			...defined({ agent: name }),
			files: files.slice(0, MAXIMUM_FILES),
			total: files.length,
		};
	});
	return { results: await Promise.all(results) };
}

/** Returns a task's changes in one file. Rejects with a UserFacingError. */
export async function readFileDiff(task: Task, result: string | undefined, file: string): Promise<FileDiff> {
	const found = startedResultsOf(task).find(({ key }) => result === undefined || key === result);
	if (!found) {
		throw new UserFacingError('The task has no such result. Call task_changes without a path to see what there is.');
	}
	const paths = ['--', `:(top,literal)${file}`];
	const text = await diffTree(folderOf(task), ['-p', '--no-renames'], found.start, found.branch, paths);
	if (text === '') {
		throw new UserFacingError(
			'The task has not changed this file. Call task_changes without a path to see what it has.',
		);
	}
	return { text: text.slice(0, MAXIMUM_DIFF), isCut: text.length > MAXIMUM_DIFF };
}

function startedResultsOf(task: Task): StartedResult[] {
	if (isActiveTask(task)) {
		throw new UserFacingError('The task is still at work. Its changes are there when it has ended.');
	}
	const branch = task.selectedBranch && `refs/heads/${task.selectedBranch}`;
	const results = resultsOf(task).flatMap(result => {
		const commit = baseCommitOf(task, result);
		const start = isObjectName(commit) ? commit : branch;
		return start ? [{ ...result, start }] : [];
	});
	if (results.length === 0) {
		throw new UserFacingError('The task has ended without a branch, so it has changed nothing. Its log says why.');
	}
	return results;
}

function folderOf({ repoUrl = '' }: Task): string {
	const folder = repoUrl.startsWith('file:') ? fileURLToPath(repoUrl) : repoUrl;
	if (!path.isAbsolute(folder) || isOnOtherMachine(repoUrl)) {
		throw new UserFacingError(
			'The repository of this task is not on this machine, so its changes cannot be read here.',
		);
	}
	return folder;
}

function diffTree(
	folder: string,
	options: readonly string[],
	start: string,
	branch: string,
	paths: readonly string[],
): Promise<string> {
	const ends = ['--merge-base', '--end-of-options', start, `refs/heads/${branch}`];
	const commandLine = ['diff-tree', ...PLAIN, ...options, ...ends, ...(paths.length === 0 ? ['--'] : paths)];
	return runGit(folder, commandLine).catch((error: unknown) => {
		throw new UserFacingError(
			`Git could not read the branch “${branch}” in ${folder}. It may have been deleted or renamed.`,
			{ cause: error },
		);
	});
}

/** Parses `--raw --numstat -z` without renames: all changes, then all counts of lines, in the same order. */
function readFiles(output: string): TaskChangeList['results'][number]['files'] {
	const fields = output.split('\0').filter(field => field !== '');
	const statuses = new Map<string, string>();
	let at = 0;
	for (; fields[at]?.startsWith(':'); at += 2) {
		statuses.set(fields[at + 1] ?? '', (fields[at] ?? '').split(' ').at(-1)?.slice(0, 1) ?? '');
	}
	return fields.slice(at).map(field => {
		const [added = '-', removed = '-', ...name] = field.split('\t');
		const file = name.join('\t');
		const lines = added === '-' ? {} : { added: Number(added), removed: Number(removed) };
		return { path: file, status: statuses.get(file) ?? 'M', ...lines };
	});
}

/**
 * Runs a git command that only reads commits, trees and references, so that no hook and no filter is involved.
 * Rejects with the error of a failed git.
 */
function runGit(folder: string, commandLine: readonly string[]): Promise<string> {
	const env = childEnvironment(process.env, safeEnvironment('none'));
	// Windows looks for programs in the working folder first, and a client may have started this program in the
	// repository.
	const limits = { cwd: path.dirname(process.execPath), timeout: TIMEOUT_MS, maxBuffer: MAXIMUM_OUTPUT };
	return new Promise((resolve, reject) => {
		const whole = [...safeArguments([LARGE_FILE]), '-C', folder, ...commandLine];
		execFile('git', whole, { env, windowsHide: true, ...limits }, (error, output) =>
			error ? reject(error) : resolve(output),
		);
	});
}

/**
 * Returns the branch that is checked out in a repository, or undefined if there is none or the folder is not a
 * repository.
 */
export async function currentBranch(folder: string): Promise<string | undefined> {
	const name = await runGit(folder, ['symbolic-ref', '--quiet', '--short', 'HEAD']).catch(() => '');
	return name.trim() || undefined;
}
