import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { UserFacingError } from '../../base/errors.ts';
import { waitUntil } from '../../base/event.ts';
import { escapeIcons, oneLine, plainText } from '../../base/plainText.ts';
import { type GitApi, type GitRepository, getGitApi } from '../../platform/git.ts';
import { gitFailure } from '../../platform/gitRefusalMessages.ts';
import { type Choice, choose } from '../../platform/pick.ts';
import { untrustedText } from '../../platform/trust.ts';
import { type Branch, orderBranches } from '../model/branches.ts';
import { listBranches } from './repositoryFacts.ts';

export const SHORT_COMMIT = 7;
const MAXIMUM_NAME = 80;
const MAXIMUM_BRANCH = 120;

/**
 * The time that a window that has just opened may need to know its folders, and the git extension to open their
 * repositories.
 */
const OPENING_MS = 15_000;

/** Why this window has no repository that a task can work on. */
export type NoRepositoryReason = 'no-folder' | 'virtual' | 'untrusted' | 'not-opened' | 'no-git';

/** This window has no repository that a task can work on; the message says why and what to do. */
export class NoRepositoryError extends UserFacingError {
	readonly reason: NoRepositoryReason;

	constructor(reason: NoRepositoryReason, message: string) {
		super(message);
		this.reason = reason;
	}
}

/**
 * Returns the git API and the repositories of this window, at least one. Throws a NoRepositoryError if there is none,
 * and a UserFacingError if the git extension cannot be used.
 */
export async function findRepositories(): Promise<{ git: GitApi; repositories: readonly GitRepository[] }> {
	// The editor reads a workspace file after the window has opened; until then the window has no folders.
	await waitUntil(
		() => vscode.workspace.workspaceFile === undefined || (vscode.workspace.workspaceFolders ?? []).length > 0,
		vscode.workspace.onDidChangeWorkspaceFolders,
		OPENING_MS,
	);
	const folders = vscode.workspace.workspaceFolders ?? [];
	const local = folders.filter(({ uri }) => uri.scheme === 'file');
	if (folders.length === 0) {
		throw new NoRepositoryError(
			'no-folder',
			vscode.l10n.t('No folder is open. Open the folder of a Git repository, then start the task.'),
		);
	}
	if (local.length === 0) {
		throw new NoRepositoryError(
			'virtual',
			vscode.l10n.t(
				'This workspace is virtual, and a task needs a Git repository on a file system. Open a clone of it.',
			),
		);
	}
	if (!vscode.workspace.isTrusted) {
		throw new NoRepositoryError('untrusted', untrustedText());
	}
	const git = await getGitApi();
	const isComplete = await repositoriesOpened(git, local);
	const repositories = git.repositories.filter(({ rootUri }) => rootUri.scheme === 'file');
	if (repositories.length === 0) {
		throw new NoRepositoryError(isComplete ? 'no-git' : 'not-opened', noRepository(local, isComplete));
	}
	return { git, repositories };
}

/** Waits until the git extension has opened every folder that is the top folder of a repository. */
async function repositoriesOpened(git: GitApi, folders: readonly vscode.WorkspaceFolder[]): Promise<boolean> {
	const tops = await Promise.all(
		folders.map(async ({ uri }) => {
			const hasGit = await stat(path.join(uri.fsPath, '.git')).catch(() => undefined);
			return hasGit && [uri.fsPath, await realpath(uri.fsPath).catch(() => uri.fsPath)];
		}),
	);
	const isOpen = (names: string[]) => git.repositories.some(({ rootUri }) => names.includes(rootUri.fsPath));
	return waitUntil(
		() => tops.every(names => names === undefined || isOpen(names)),
		git.onDidOpenRepository,
		OPENING_MS,
	);
}

function noRepository(folders: readonly vscode.WorkspaceFolder[], isComplete: boolean): string {
	const names = folders.map(({ name }) => `“${oneLine(name, MAXIMUM_NAME)}”`).join(', ');
	if (!isComplete) {
		return vscode.l10n.t(
			'The Git extension hasn’t opened the repository in {0}. See the Source Control view for the reason, for example that it belongs to a different user.',
			names,
		);
	}
	return folders.length === 1
		? vscode.l10n.t(
				'{0} isn’t a Git repository. Open the repository’s root folder, or run “Git: Initialize Repository”, then start the task.',
				names,
			)
		: vscode.l10n.t(
				'None of the open folders ({0}) is a Git repository. Open a repository’s root folder, then start the task.',
				names,
			);
}

/** Returns whether the repository's folder contains the file in the active editor. */
function holdsOpenFile({ rootUri }: GitRepository): boolean {
	const open = vscode.window.activeTextEditor?.document.uri;
	return open?.scheme === 'file' && (open.path === rootUri.path || open.path.startsWith(`${rootUri.path}/`));
}

/** The innermost repository that contains the open file ranks first. */
const rank = (repository: GitRepository) => (holdsOpenFile(repository) ? repository.rootUri.path.length : 0);

/**
 * Returns the only repository, or the one that contains the open file. Returns undefined if there is no clear choice.
 */
export function likelyRepository(repositories: readonly GitRepository[]): GitRepository | undefined {
	const [first] = [...repositories].sort((a, b) => rank(b) - rank(a));
	return repositories.length === 1 || (first && rank(first) > 0) ? first : undefined;
}

/**
 * Lets the user choose a repository, with that of the open file first. `elsewhere` means a repository that is not open.
 * Resolves with undefined when dismissed.
 */
export function pickRepository(
	repositories: readonly GitRepository[],
	hasOthers: boolean,
): Promise<GitRepository | 'elsewhere' | undefined> {
	const opened = [...repositories]
		.sort((a, b) => rank(b) - rank(a) || a.rootUri.path.localeCompare(b.rootUri.path))
		.map(repository => ({
			label: `$(repo) ${escapeIcons(repositoryName(repository))}`,
			description: escapeIcons(oneLine(repository.state.HEAD?.name ?? '', MAXIMUM_NAME)),
			detail: escapeIcons(plainText(repository.rootUri.fsPath)),
			value: repository,
		}));
	const elsewhere = {
		label: `$(globe) ${vscode.l10n.t('Select Another Repository…')}`,
		description: vscode.l10n.t('not open here'),
		value: 'elsewhere' as const,
	};
	return choose<GitRepository | 'elsewhere'>(
		vscode.l10n.t('Start Task: Repository'),
		[...opened, ...(hasOthers ? [elsewhere] : [])],
		{ placeHolder: vscode.l10n.t('Select a repository for the task'), ignoreFocusOut: true },
	);
}

export function repositoryName({ rootUri }: GitRepository): string {
	return oneLine(rootUri.path.split('/').at(-1) || rootUri.fsPath, MAXIMUM_NAME);
}

/** Returns all branches that the repository knows. Throws a UserFacingError when it has none or cannot be read. */
export async function readBranchesOf(git: GitApi, repository: GitRepository): Promise<Branch[]> {
	const remotes = repository.state.remotes.map(({ name }) => name);
	let branches: Branch[];
	try {
		branches = await listBranches(git.git.path, repository.rootUri.fsPath, remotes);
	} catch (error) {
		throw gitFailure(
			error,
			vscode.l10n.t(
				'Git couldn’t read the branches of “{0}”. See “Git: Show Git Output” for details, then try again.',
				repositoryName(repository),
			),
		);
	}
	if (branches.length === 0) {
		throw new UserFacingError(
			vscode.l10n.t(
				'“{0}” has no commits yet, so there’s no branch to start from. Make a first commit, then start the task.',
				repositoryName(repository),
			),
		);
	}
	return branches;
}

/** A branch that the service sees at the remote but that the local git does not know. */
export interface HostedBranch {
	name: string;
	remote: string;
	/** The service's label. */
	seenBy: string;
}

/**
 * Lets the user choose the branch that the task starts from, with the current one first. `hosted` may bring further
 * branches while the list is open. Resolves with undefined when dismissed.
 */
export function pickBranch(
	repository: GitRepository,
	branches: readonly Branch[],
	hosted?: Promise<readonly HostedBranch[]>,
): Promise<Branch | undefined> {
	const { HEAD } = repository.state;
	const current = HEAD?.name;
	const items = orderBranches(branches, current).map((branch): Choice<Branch> => {
		const isCurrent = branch.remote === undefined && branch.name === current;
		const name = oneLine(branch.name, MAXIMUM_BRANCH);
		const where =
			branch.remote === undefined ? '' : vscode.l10n.t('only on {0}', oneLine(branch.remote, MAXIMUM_BRANCH));
		const notes = [isCurrent ? vscode.l10n.t('current') : where, branch.commit.slice(0, SHORT_COMMIT)];
		return {
			label: `$(${branch.remote === undefined ? 'git-branch' : 'cloud'}) ${escapeIcons(name)}`,
			description: escapeIcons(notes.filter(Boolean).join(' · ')),
			value: branch,
		};
	});
	const isDetached = HEAD?.commit !== undefined && current === undefined;
	return choose(
		isDetached
			? vscode.l10n.t('Start Task: HEAD is detached at {0}, select a branch', HEAD.commit?.slice(0, SHORT_COMMIT) ?? '')
			: vscode.l10n.t('Start Task: Branch'),
		items,
		{
			placeHolder: vscode.l10n.t('Select the branch of “{0}” that the task starts from', repositoryName(repository)),
			later: hosted && { items: hosted.then(found => [...items, ...found.map(hostedItem)]) },
			ignoreFocusOut: true,
		},
	);
}

/** The commit of such a branch is not known, because the service starts from the branch as it finds it. */
function hostedItem({ name, remote, seenBy }: HostedBranch): Choice<Branch> {
	return {
		label: `$(cloud) ${escapeIcons(oneLine(name, MAXIMUM_BRANCH))}`,
		description: escapeIcons(
			vscode.l10n.t('only on {0}, available to {1}', oneLine(remote, MAXIMUM_BRANCH), oneLine(seenBy, MAXIMUM_BRANCH)),
		),
		value: { name, remote, commit: '', committedAt: 0, upstream: undefined },
	};
}

/**
 * Returns the requested branch, or the current one, or undefined if HEAD is on no branch. Throws a UserFacingError if
 * there is no branch of the requested name.
 */
export function firstBranch(
	repository: GitRepository,
	branches: readonly Branch[],
	wished: string | undefined,
): Branch | undefined {
	const name = wished ?? repository.state.HEAD?.name;
	const found =
		branches.find(branch => branch.remote === undefined && branch.name === name) ??
		(wished === undefined ? undefined : branches.find(branch => branch.name === name));
	if (wished !== undefined && !found) {
		throw new UserFacingError(
			vscode.l10n.t(
				'“{0}” has no branch “{1}”. Fetch it, or start the task with a different branch.',
				repositoryName(repository),
				oneLine(wished, MAXIMUM_BRANCH),
			),
		);
	}
	return found;
}
