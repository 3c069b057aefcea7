import * as vscode from 'vscode';
import { getGitApi } from '../../platform/git.ts';
import { GitRefusal } from '../../platform/gitCommand.ts';
import { inWords } from '../../platform/gitRefusalMessages.ts';
import { isIgnored, listNotIgnored } from './repositoryReading.ts';

/** The limit for a list of files, which is more than anybody would look through. */
const MAXIMUM_LISTED = 50_000;

/** Resolves to the innermost repository of a file, or to undefined if there is none or no git. */
export async function repositoryOf(uri: vscode.Uri): Promise<{ git: string; root: vscode.Uri } | undefined> {
	const api = await getGitApi().catch(() => undefined);
	const roots = (api?.repositories ?? [])
		.map(({ rootUri }) => rootUri)
		.filter(root => root.scheme === uri.scheme && isWithin(root.path, uri.path))
		.sort((one, other) => other.path.length - one.path.length);
	return api && roots[0] ? { git: api.git.path, root: roots[0] } : undefined;
}

export async function openRepositories(): Promise<{ git: string; root: vscode.Uri }[]> {
	const api = await getGitApi();
	return api.repositories.map(({ rootUri }) => ({ git: api.git.path, root: rootUri }));
}

/**
 * Resolves to whether git or the user's settings exclude a file, or a folder with files; to undefined if neither does.
 */
export async function exclusionOf(
	uri: vscode.Uri,
	kind: 'file' | 'folder',
): Promise<'ignored' | 'excluded' | undefined> {
	const repository = await repositoryOf(uri);
	if (repository) {
		const ignored = await isIgnored(repository.git, repository.root.fsPath, uri.fsPath).catch(error => {
			throw inWords(error);
		});
		if (ignored) {
			return 'ignored';
		}
	}
	const within = vscode.workspace.getWorkspaceFolder(uri);
	if (!within || within.uri.path === uri.path) {
		return undefined;
	}
	const folder = uri.with({ path: uri.path.slice(0, uri.path.lastIndexOf('/')) });
	const name = uri.path.slice(uri.path.lastIndexOf('/') + 1).replace(/[[\]{}*?]/g, '[$&]');
	// Without a pattern of its own, the search excludes exactly what `files.exclude` names.
	const pattern = new vscode.RelativePattern(folder, kind === 'file' ? name : `${name}/**`);
	const found = await vscode.workspace.findFiles(pattern, undefined, 1);
	return found.length === 0 ? 'excluded' : undefined;
}

/** Resolves to the files below a folder that neither git nor `files.exclude` excludes. */
export async function listFiles(folder: vscode.Uri): Promise<vscode.Uri[]> {
	const pattern = new vscode.RelativePattern(folder, '**/*');
	const [found, known] = await Promise.all([
		vscode.workspace.findFiles(pattern, undefined, MAXIMUM_LISTED),
		notIgnored(folder),
	]);
	const files = known ? found.filter(({ path }) => known.has(path)) : found;
	return files.sort((one, other) => (one.path < other.path ? -1 : 1));
}

/** Resolves to the paths below the folder that git does not ignore, or to undefined if it is in no repository. */
async function notIgnored(folder: vscode.Uri): Promise<ReadonlySet<string> | undefined> {
	const repository = await repositoryOf(folder);
	if (!repository) {
		return undefined;
	}
	const listed = await listNotIgnored(repository.git, repository.root.fsPath, folder.fsPath).catch(error => {
		if (error instanceof GitRefusal) {
			throw inWords(error);
		}
		return undefined;
	});
	const root = repository.root.path.replace(/\/$/, '');
	return listed && new Set(listed.map(path => `${root}/${path}`));
}

function isWithin(root: string, path: string): boolean {
	return path === root || path.startsWith(root.endsWith('/') ? root : `${root}/`);
}
