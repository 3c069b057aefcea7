import * as vscode from 'vscode';
import { shortName } from '../../base/plainText.ts';
import { isActiveTask, type Task } from '../../contract/tasks.ts';
import { type GitPlace, getGitApi, placeOf } from '../../platform/git.ts';
import { showMessage } from '../../platform/notify.ts';
import { remoteDirectory } from '../../platform/remotes.ts';
import { StateEntries } from '../../platform/sharedState.ts';
import { rowWords } from '../common/messages.ts';
import { BEHIND_ENTRIES } from '../model/storageKeys.ts';
import type { TaskTarget } from '../model/taskConnection.ts';
import { taskTitle } from '../model/taskRow.ts';
import { fastForwardFailure } from './branchSubject.ts';
import { fastForward, isBehind, worktreeOf } from './fastForward.ts';

/** A task whose work may end up on a branch other than the one that it continues. */
interface Behind {
	connection: string;
	taskId: string;
	/** The branch that it continues. */
	branch: string;
}

/** A branch that is checked out, with its folder. */
export interface WorktreeBranch {
	branch: string;
	worktree: string;
}

export interface WorktreeBranchesDependencies {
	workspaceState: vscode.Memento;
	/** Returns a task of the active connection, if it is known. */
	task(id: string): Task | undefined;
	explain(error: unknown): void;
}

/**
 * The tasks' branches that are checked out in a folder of this machine. The service does not move them. When a task
 * that continues such a branch has ended, this class offers to fast-forward the branch.
 */
export class WorktreeBranches {
	private readonly dependencies: WorktreeBranchesDependencies;
	private readonly entries: StateEntries<Behind>;
	/** The ids of tasks that are being checked, or whose branch was already offered in this window. */
	private readonly attempted = new Set<string>();

	constructor(dependencies: WorktreeBranchesDependencies) {
		this.dependencies = dependencies;
		this.entries = new StateEntries(dependencies.workspaceState, BEHIND_ENTRIES, isBehindEntry);
	}

	/**
	 * Returns the folder in which the branch of a task is checked out, or undefined if there is none or git cannot
	 * tell.
	 */
	async find(task: Task, { connection }: TaskTarget): Promise<WorktreeBranch | undefined> {
		const { branchName } = task;
		const place = connection.isLocal ? await placeOfTask(task) : undefined;
		if (!place || branchName === undefined) {
			return undefined;
		}
		const worktree = await worktreeOf(place.gitPath, place.directory, branchName).catch(() => undefined);
		return worktree === undefined ? undefined : { branch: branchName, worktree };
	}

	/** Records that a task continues `branch` and that its work may end up on another one. */
	remember(taskId: string, { connection }: TaskTarget, branch: string | undefined): void {
		if (connection.isLocal && branch !== undefined) {
			this.entries.note(taskId, { connection: connection.name, taskId, branch });
			this.attempted.delete(taskId);
		}
	}

	/** Offers to fast-forward the branches of tasks that have ended. */
	async sweep(target: () => Promise<TaskTarget>): Promise<void> {
		for (const entry of this.entries.values()) {
			const known = this.dependencies.task(entry.taskId);
			if (!this.attempted.has(entry.taskId) && !(known && isActiveTask(known))) {
				this.attempted.add(entry.taskId);
				await this.settle(entry, await target());
			}
		}
	}

	private async settle(entry: Behind, { connection, client }: TaskTarget): Promise<void> {
		if (connection.name !== entry.connection) {
			this.attempted.delete(entry.taskId);
			return;
		}
		// The list may hold the task as it was before its end.
		const task = await client.tasks.get(entry.taskId);
		if (isActiveTask(task)) {
			this.attempted.delete(entry.taskId);
			return;
		}
		await this.entries.delete(entry.taskId);
		const { branchName } = task;
		const place = await placeOfTask(task);
		if (
			place &&
			branchName !== undefined &&
			(await isBehind(place.gitPath, place.directory, entry.branch, branchName))
		) {
			// The offer is not awaited, because the user need not answer it.
			this.offer(task, entry.branch, branchName, place).catch(error => this.dependencies.explain(error));
		}
	}

	private async offer(task: Task, branch: string, made: string, place: GitPlace): Promise<void> {
		const worktree = await worktreeOf(place.gitPath, place.directory, branch);
		const title = taskTitle(task, rowWords.untitled);
		const [shown, shownMade] = [shortName(branch), shortName(made)];
		const move = vscode.l10n.t('Fast-Forward');
		const message =
			worktree === undefined
				? vscode.l10n.t(
						'The work of “{0}” is on the branch “{1}”. “{2}” can be fast-forwarded to it.',
						title,
						shownMade,
						shown,
					)
				: vscode.l10n.t(
						'The work of “{0}” is on the branch “{1}” because “{2}” is checked out in {3}. It can be fast-forwarded, along with the files there.',
						title,
						shownMade,
						shown,
						worktree,
					);
		if ((await showMessage('information', message, move)) !== move) {
			return;
		}
		await fastForward(place, branch, made).catch(error => {
			throw fastForwardFailure(error, branch);
		});
		void showMessage('information', vscode.l10n.t('Fast-forwarded “{0}” to “{1}”.', shown, shownMade));
	}
}

/** Returns how to run git in a task's repository, or undefined if that is not a local folder or not trusted. */
async function placeOfTask({ repoUrl }: Task): Promise<GitPlace | undefined> {
	const git = vscode.workspace.isTrusted ? await getGitApi().catch(() => undefined) : undefined;
	const directory = repoUrl === undefined ? undefined : await remoteDirectory(repoUrl, '/');
	return git && directory !== undefined ? placeOf(git, directory) : undefined;
}

function isBehindEntry(value: unknown): value is Behind {
	const entry = value as Partial<Behind> | null;
	return typeof entry?.connection === 'string' && typeof entry.taskId === 'string' && typeof entry.branch === 'string';
}
