// The built-in git extension's API, version 1: the parts that Errand uses, as types.
import * as vscode from 'vscode';
import { UserFacingError } from '../base/errors.ts';

export interface GitRemote {
	readonly name: string;
	readonly fetchUrl?: string;
	readonly pushUrl?: string;
}

export interface GitRepository {
	readonly rootUri: vscode.Uri;
	readonly state: {
		/** `name` is undefined while HEAD is detached, `commit` while there is no commit yet. */
		readonly HEAD: { readonly name?: string; readonly commit?: string } | undefined;
		readonly remotes: readonly GitRemote[];
	};
	/** Reads the state again. */
	status(): Promise<void>;
	/** As the user's own push: with the editor's credentials, and hooks. `branch` may be a refspec. */
	push(remote: string, branch: string, setUpstream: boolean): Promise<void>;
}

export interface GitApi {
	readonly state: 'uninitialized' | 'initialized';
	readonly onDidChangeState: vscode.Event<'uninitialized' | 'initialized'>;
	readonly repositories: readonly GitRepository[];
	readonly onDidOpenRepository: vscode.Event<GitRepository>;
	readonly git: {
		/** The git program. */
		readonly path: string;
		/** What the editor adds to git's environment, so that it answers for credentials. Not in every version. */
		readonly env?: Readonly<Record<string, string | undefined>>;
	};
}

interface GitExtension {
	readonly enabled: boolean;
	getAPI(version: 1): GitApi;
}

const EXTENSION = 'vscode.git';
const INITIALISATION_MS = 15_000;

/**
 * The API, once it has looked at the open folders. Throws a sentence for the user when the extension is off, or has found
 * no git on this machine.
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
			vscode.l10n.t('Git is turned off by the setting “git.enabled”. Turn it on, then try again.'),
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
	await initialised(api);
	return api;
}

/** Resolves when the open folders were looked at, or when that takes longer than anybody should wait. */
function initialised(api: GitApi): Promise<boolean> {
	return waitUntil(() => api.state === 'initialized', api.onDidChangeState, INITIALISATION_MS);
}

/** Looks at a condition now and at each event. Resolves with false when it has not come true within `timeoutMs`. */
export function waitUntil(isTrue: () => boolean, event: vscode.Event<unknown>, timeoutMs: number): Promise<boolean> {
	if (isTrue()) {
		return Promise.resolve(true);
	}
	return new Promise(resolve => {
		const done = (outcome: boolean) => {
			clearTimeout(timer);
			listener.dispose();
			resolve(outcome);
		};
		const timer = setTimeout(() => done(false), timeoutMs);
		const listener = event(() => {
			if (isTrue()) {
				done(true);
			}
		});
	});
}
