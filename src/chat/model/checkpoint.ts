import type * as z from 'zod';
import type { Immutable } from '../../base/immutable.ts';
import type { checkpointSchema } from './agentWorkSchema.ts';

/** The state of a repository's files before and after a turn, as commits outside all branches. */
export type Checkpoint = Immutable<z.output<typeof checkpointSchema>>;

/** Returns the path of a repository's file relative to the agent's folder. */
export function agentPath({ at }: Pick<Checkpoint, 'at'>, path: string): string {
	return at === undefined ? path : `${at}/${path}`;
}

/** Returns the repository of a path that is relative to the agent's folder, and the path in the repository. */
export function repositoryPath<Kept extends Pick<Checkpoint, 'at'>>(
	kept: readonly Kept[],
	path: string,
): { kept: Kept; path: string } | undefined {
	for (const one of kept) {
		const prefix = agentPath(one, '');
		if (path.startsWith(prefix) && path !== prefix) {
			return { kept: one, path: path.slice(prefix.length) };
		}
	}
	return undefined;
}

/** Finds the checkpoint of the same repository and the same turn. */
export function sameCheckpoint<Kept extends Pick<Checkpoint, 'repository' | 'before'>>(
	kept: readonly Kept[],
	{ repository, before }: Pick<Checkpoint, 'repository' | 'before'>,
): Kept | undefined {
	return kept.find(one => one.repository === repository && one.before === before);
}

/** Gives each repository a folder with a name of its own, or none if there is only one repository. */
export function withFolders<Kept extends { readonly directory: string }>(
	repositories: readonly Kept[],
): { place: Kept; at?: string }[] {
	if (repositories.length === 1) {
		return repositories.map(place => ({ place }));
	}
	const used = new Set<string>();
	return repositories.map(place => {
		const name = place.directory.split(/[\\/:]/).findLast(Boolean) || 'repository';
		let at = name;
		for (let number = 2; used.has(folded(at)); number++) {
			at = `${name}-${number}`;
		}
		used.add(folded(at));
		return { place, at };
	});
}

/** Folds a name for comparison: some file systems ignore case, or the form in which an accent is encoded. */
const folded = (name: string) => name.normalize('NFC').toLowerCase();
