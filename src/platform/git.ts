// The types of the parts of the built-in Git extension's API, version 1, that Errand uses.
import * as vscode from 'vscode';
import { UserFacingError } from '../base/errors.ts';
import { waitUntil } from '../base/event.ts';

export interface GitRemote {
	readonly name: string;
	readonly fetchUrl?: string;
	readonly pushUrl?: string;
}

export interface GitRepository {
	readonly rootUri: vscode.Uri;
	readonly state: {
		/** `name` is undefined while HEAD is detached, `commit` while there is no commit. */
		readonly HEAD: { readonly name?: string; readonly commit?: string } | undefined;
		readonly remotes: readonly GitRemote[];
		readonly onDidChange: vscode.Event<void>;
	};
	/** Reads the state again. */
	status(): Promise<void>;
	/** Pushes as the user would: with the editor's credentials, and with hooks. `branch` may be a refspec. */
	push(remote: string, branch: string, setUpstream: boolean): Promise<void>;
}

export interface GitApi {
	readonly state: 'uninitialized' | 'initialized';
	readonly onDidChangeState: vscode.Event<'uninitialized' | 'initialized'>;
	readonly repositories: readonly GitRepository[];
	readonly onDidOpenRepository: vscode.Event<GitRepository>;
	readonly git: {
		readonly path: string;
		/**
		 * The variables that the editor adds to git's environment in order to answer requests for credentials. Not every
		 * version of the extension has them.
		 */
		readonly env?: Readonly<Record<string, string | undefined>>;
	};
}

/** The repository in which git runs, and how to run it there. */
export interface GitPlace {
	gitPath: string;
	/** The repository's top folder. */
	directory: string;
	/** The environment variables by which the editor answers git's requests for credentials. */
	credentials: Readonly<Record<string, string | undefined>>;
}

interface GitExtension {
	readonly enabled: boolean;
	getAPI(version: 1): GitApi;
}

const EXTENSION = 'vscode.git';
const INITIALISATION_MS = 15_000;

/**
 * Returns the API once it has discovered the repositories of the open folders. Throws an error with a sentence for the
 * user if the extension is disabled or has found no git on this machine.
 */
export async function getGitApi(): Promise<GitApi> {
	const extension = vscode.extensions.getExtension<GitExtension>(EXTENSION);
	if (!extension) {
		throw new UserFacingError(
			vscode.l10n.t('The built-in Git extension is disabled. Enable it in the Extensions view, then try again.'),
		);
	}
	const git = await extension.activate();
	if (!git.enabled) {
		throw new UserFacingError(
			vscode.l10n.t('Git is disabled by the setting “git.enabled”. Enable it, then try again.'),
		);
	}
	let api: GitApi;
	try {
		api = git.getAPI(1);
	} catch (error) {
		throw new UserFacingError(
			vscode.l10n.t('Git was not found on this machine. Install it or set “git.path”, then reload the window.'),
			{ cause: error },
		);
	}
	// A scan of the open folders that takes too long is not waited for.
	await waitUntil(() => api.state === 'initialized', api.onDidChangeState, INITIALISATION_MS);
	return api;
}

/** Returns the place for running git in a repository, given its top folder. */
export function placeOf(git: GitApi, directory: string): GitPlace {
	return { gitPath: git.git.path, directory, credentials: git.git.env ?? {} };
}
