import * as vscode from 'vscode';
import type { WorkspaceTag } from './model/conversation.ts';

/** The parts of the built-in git extension's API that a tag needs. */
interface GitExtension {
	getAPI(version: 1): {
		repositories: { state: { remotes: { name: string; fetchUrl?: string }[] } }[];
	};
}

/** Where this window's conversation belongs. The remote is there only when the git extension already knows it. */
export function workspaceTag(): WorkspaceTag {
	const { name } = vscode.workspace;
	const folders = (vscode.workspace.workspaceFolders ?? []).map(folder => folder.uri.toString());
	const remote = originUrl();
	return { folders, ...(name === undefined ? {} : { name }), ...(remote === undefined ? {} : { remote }) };
}

function originUrl(): string | undefined {
	const git = vscode.extensions.getExtension<GitExtension>('vscode.git');
	if (!git?.isActive) {
		return undefined;
	}
	try {
		const remotes = git.exports.getAPI(1).repositories[0]?.state.remotes;
		const fetchUrl = remotes?.find(remote => remote.name === 'origin')?.fetchUrl;
		return fetchUrl === undefined ? undefined : withoutCredentials(fetchUrl);
	} catch {
		// The git extension refuses its API while git is switched off in the settings.
		return undefined;
	}
}

function withoutCredentials(remote: string): string {
	const url = URL.parse(remote);
	if (!url) {
		return remote;
	}
	url.username = '';
	url.password = '';
	return url.href;
}
