import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { UserFacingError } from '../../base/errors.ts';
import { escapeIcons, oneLine, plainText } from '../../base/plainText.ts';
import { type GitApi, type GitRepository, getGitApi, waitUntil } from '../../platform/git.ts';

const MAXIMUM_NAME = 80;

/**
 * How long a window that has just opened may take to know its folders, and the git extension to open their
 * repositories.
 */
const OPENING_MS = 15_000;

/**
 * Returns the git API and the repositories of this window, at least one. Throws a UserFacingError that says why there
 * is none.
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
		throw new UserFacingError(
			vscode.l10n.t('No folder is open. Open the folder of a Git repository, then start the task.'),
		);
	}
	if (local.length === 0) {
		throw new UserFacingError(
			vscode.l10n.t(
				'This workspace is virtual, and a task needs a Git repository on a file system. Open a clone of it.',
			),
		);
	}
	if (!vscode.workspace.isTrusted) {
		throw new UserFacingError(
			vscode.l10n.t(
				'This workspace is not trusted, so its repository is not read. Trust it (“Workspaces: Manage Workspace Trust”), then start the task.',
			),
		);
	}
	const git = await getGitApi();
	const isComplete = await repositoriesOpened(git, local);
	const repositories = git.repositories.filter(({ rootUri }) => rootUri.scheme === 'file');
	if (repositories.length === 0) {
		throw new UserFacingError(noRepository(local, isComplete));
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
			'The Git extension has not opened the repository in {0}. The Source Control view says why, for example that it belongs to another user.',
			names,
		);
	}
	return folders.length === 1
		? vscode.l10n.t(
				'{0} is not a Git repository. Open the repository’s top folder, or run “Git: Initialize Repository”, then start the task.',
				names,
			)
		: vscode.l10n.t(
				'None of the open folders ({0}) is a Git repository. Open a repository’s top folder, then start the task.',
				names,
			);
}

/** Whether the repository's folder contains the file in the active editor. */
function holdsOpenFile({ rootUri }: GitRepository): boolean {
	const open = vscode.window.activeTextEditor?.document.uri;
	return open?.scheme === 'file' && (open.path === rootUri.path || open.path.startsWith(`${rootUri.path}/`));
}

/** The innermost repository that contains the open file ranks first. */
const rank = (repository: GitRepository) => (holdsOpenFile(repository) ? repository.rootUri.path.length : 0);

/** Returns the only repository, or the one that contains the open file. Returns undefined where that is not clear. */
export function likelyRepository(repositories: readonly GitRepository[]): GitRepository | undefined {
	const [first] = [...repositories].sort((a, b) => rank(b) - rank(a));
	return repositories.length === 1 || (first && rank(first) > 0) ? first : undefined;
}

/**
 * Lets the user choose a repository, with that of the open file first. `elsewhere` stands for one that is not open.
 * Resolves with undefined when dismissed.
 */
export async function pickRepository(
	repositories: readonly GitRepository[],
	hasOthers: boolean,
): Promise<GitRepository | 'elsewhere' | undefined> {
	const opened = [...repositories]
		.sort((a, b) => rank(b) - rank(a) || a.rootUri.path.localeCompare(b.rootUri.path))
		.map(repository => ({
			label: `$(repo) ${escapeIcons(repositoryName(repository))}`,
			description: escapeIcons(oneLine(repository.state.HEAD?.name ?? '', MAXIMUM_NAME)),
			detail: escapeIcons(plainText(repository.rootUri.fsPath)),
			repository,
		}));
	const elsewhere = {
		label: `$(globe) ${vscode.l10n.t('Choose Another Repository…')}`,
		description: vscode.l10n.t('not open here'),
		repository: 'elsewhere' as const,
	};
	const picked = await vscode.window.showQuickPick([...opened, ...(hasOthers ? [elsewhere] : [])], {
		title: vscode.l10n.t('Start Task: Repository'),
		placeHolder: vscode.l10n.t('Which repository should the task work on?'),
		matchOnDetail: true,
		ignoreFocusOut: true,
	});
	return picked?.repository;
}

export function repositoryName({ rootUri }: GitRepository): string {
	return oneLine(rootUri.path.split('/').at(-1) || rootUri.fsPath, MAXIMUM_NAME);
}
