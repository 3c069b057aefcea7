import * as vscode from 'vscode';
import { DisposableOwner } from '../../base/disposable.ts';
import { Emitter } from '../../base/event.ts';
import { repositoryKey } from '../../base/remoteUrl.ts';
import { type GitApi, getGitApi } from '../../platform/git.ts';

/** The repositories of this window, by their folders and remotes. It is empty until they have been found. */
export class OwnRepositories extends DisposableOwner {
	private readonly changed = this.disposables.add(new Emitter<void>());
	readonly onDidChange = this.changed.event;
	private git: GitApi | undefined;

	/**
	 * Finds the repositories, if the workspace is trusted. Never rejects: without git, no task belongs to this window.
	 */
	async find(): Promise<void> {
		if (!vscode.workspace.isTrusted || (vscode.workspace.workspaceFolders ?? []).length === 0) {
			return;
		}
		this.git = await getGitApi().catch(() => undefined);
		if (this.git && !this.disposables.isDisposed) {
			this.disposables.add(this.git.onDidOpenRepository(() => this.changed.fire()));
			this.changed.fire();
		}
	}

	/** Returns a function that tells whether an address belongs to one of the current repositories. */
	matcher(): (address: string | undefined) => boolean {
		const keys = new Set<string | undefined>();
		for (const { rootUri, state } of this.git?.repositories ?? []) {
			keys.add(repositoryKey(rootUri.fsPath));
			for (const { fetchUrl, pushUrl } of state.remotes) {
				keys.add(repositoryKey(fetchUrl ?? ''));
				keys.add(repositoryKey(pushUrl ?? ''));
			}
		}
		keys.delete(undefined);
		const known = new Map<string, boolean>();
		return address => {
			if (address === undefined || keys.size === 0) {
				return false;
			}
			const isOwn = known.get(address) ?? keys.has(repositoryKey(address));
			known.set(address, isOwn);
			return isOwn;
		};
	}
}
