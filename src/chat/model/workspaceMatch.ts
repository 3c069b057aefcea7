import { isSameRepository } from '../../base/remoteUrl.ts';
import type { WorkspaceTag } from './conversation.ts';

/** The folders that a window has open, and the remotes of all its repositories. */
export interface OpenWorkspace {
	readonly folders: readonly string[];
	readonly remotes: readonly string[];
}

/**
 * Returns whether a conversation belongs to the open workspace: one of its folders is open, or a clone of its
 * repository is, so that a folder that was moved or split into several keeps its history. A window without a folder has
 * the conversations that were started without one.
 */
export function belongsTo({ folders, remote }: WorkspaceTag, open: OpenWorkspace): boolean {
	if (folders.length === 0 && remote === undefined) {
		return open.folders.length === 0;
	}
	return (
		folders.some(folder => open.folders.includes(folder)) ||
		(remote !== undefined && open.remotes.some(other => isSameRepository(other, remote)))
	);
}

/** Returns a text that is the same for the same folders in any order. */
export function foldersKey(folders: readonly string[]): string {
	return folders.toSorted().join('\n');
}
