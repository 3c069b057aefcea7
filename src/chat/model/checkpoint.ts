/** The state of a repository's files before and after a turn, as commits that no branch has. */
export interface Checkpoint {
	/** The top folder of the repository. */
	readonly repository: string;
	/** The folder of the agent's that has the repository's files. Absent where it has those of one repository alone. */
	readonly at?: string;
	readonly before: string;
	/** `before` with those of the agent's changes that the user's files have. Absent until they have any. */
	readonly taken?: string;
	/** Absent while the agent works, and where the end could not be kept. */
	readonly after?: string;
}

/** Returns a path of a repository as it is from the agent's folder. */
export function agentPath({ at }: Pick<Checkpoint, 'at'>, path: string): string {
	return at === undefined ? path : `${at}/${path}`;
}

/** Returns the repository that a path from the agent's folder lies in, and the path there. */
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

/** Gives each repository a folder of its own name for its files, or none where there is only one. */
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

/** Some file systems do not tell upper and lower case apart, or the two ways to write an accent. */
const folded = (name: string) => name.normalize('NFC').toLowerCase();
