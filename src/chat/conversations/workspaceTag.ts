import * as vscode from 'vscode';
import { defined } from '../../base/defined.ts';
import type { GitApi } from '../../platform/git.ts';
import type { WorkspaceTag } from '../model/conversation.ts';
import type { OpenWorkspace } from '../model/workspaceMatch.ts';

/** Returns the workspace tag for this window's conversation. It has the remote only if the git extension knows it. */
export function workspaceTag(): WorkspaceTag {
	const { name } = vscode.workspace;
	const [remote] = originUrls();
	return {
		folders: openFolders(),
		...defined({ name, remote }),
	};
}

/** Returns the open folders and the remotes that the git extension knows. */
export function openWorkspace(): OpenWorkspace {
	return { folders: openFolders(), remotes: originUrls() };
}

function openFolders(): string[] {
	return (vscode.workspace.workspaceFolders ?? []).map(folder => folder.uri.toString());
}

function originUrls(): string[] {
	const git = vscode.extensions.getExtension<{ getAPI(version: 1): GitApi }>('vscode.git');
	if (!git?.isActive) {
		return [];
	}
	try {
		return git.exports
			.getAPI(1)
			.repositories.map(({ state }) => state.remotes.find(({ name }) => name === 'origin')?.fetchUrl)
			.filter(url => url !== undefined)
			.map(withoutCredentials);
	} catch {
		// The git extension refuses its API while git is switched off in the settings.
		return [];
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
