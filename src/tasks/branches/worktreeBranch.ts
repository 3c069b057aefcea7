import * as vscode from 'vscode';
import { findWorktree } from '../../base/gitWorktree.ts';
import type { Task } from '../../contract/tasks.ts';
import { getGitApi } from '../../platform/git.ts';
import { runGit } from '../../platform/gitCommand.ts';
import { remoteDirectory } from '../../platform/remotes.ts';
import type { TaskTarget } from '../model/taskConnection.ts';

/** A branch that is checked out, with its folder. */
export interface WorktreeBranch {
	branch: string;
	worktree: string;
}

/**
 * Returns the folder of this machine in which the branch of a task is checked out, so that the service does not move it.
 * Returns undefined if there is none, if git cannot tell, or if the workspace is not trusted.
 */
export async function findWorktreeBranch(
	{ repoUrl, branchName }: Task,
	{ connection }: TaskTarget,
): Promise<WorktreeBranch | undefined> {
	if (!connection.isLocal || !vscode.workspace.isTrusted || repoUrl === undefined || branchName === undefined) {
		return undefined;
	}
	const [git, directory] = await Promise.all([getGitApi().catch(() => undefined), remoteDirectory(repoUrl, '/')]);
	if (!git || directory === undefined) {
		return undefined;
	}
	const ask = (commandLine: readonly string[]) => runGit(git.git.path, directory, commandLine);
	const worktree = await findWorktree(ask, branchName).catch(() => undefined);
	return worktree === undefined ? undefined : { branch: branchName, worktree };
}
