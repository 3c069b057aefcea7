// Branches of a repository, as `git for-each-ref` lists them.

export interface Branch {
	/** The name without `refs/heads/` or the remote's name. */
	name: string;
	/** The remote that has the branch; undefined for a local branch. */
	remote: string | undefined;
	/** The full object name. */
	commit: string;
	/** Seconds since the epoch. */
	committedAt: number;
	/** The remote branch that it tracks. */
	upstream: { remote: string; name: string } | undefined;
}

/** Prints one line for each branch. Fields are separated by a zero byte, which no name can contain. */
export const BRANCH_FORMAT = '%(refname)%00%(objectname)%00%(upstream)%00%(committerdate:unix)%00%(symref)';

/** Reads the output of `for-each-ref --format=BRANCH_FORMAT refs/heads refs/remotes`. */
export function readBranches(output: string, remotes: readonly string[]): Branch[] {
	const branches: Branch[] = [];
	for (const line of output.split('\n')) {
		const [refname = '', commit = '', upstream = '', committedAt = '', symref = ''] = line.split('\0');
		// A symbolic ref (`origin/HEAD`) is only a second name of another branch.
		if (symref !== '' || commit === '') {
			continue;
		}
		const place = readRef(refname, remotes);
		if (place) {
			const follows = readRef(upstream, remotes);
			branches.push({
				...place,
				commit,
				committedAt: Number(committedAt) || 0,
				upstream: follows?.remote === undefined ? undefined : { remote: follows.remote, name: follows.name },
			});
		}
	}
	return branches;
}

function readRef(refname: string, remotes: readonly string[]): Pick<Branch, 'name' | 'remote'> | undefined {
	if (refname.startsWith('refs/heads/')) {
		return { name: refname.slice('refs/heads/'.length), remote: undefined };
	}
	if (!refname.startsWith('refs/remotes/')) {
		return undefined;
	}
	const path = refname.slice('refs/remotes/'.length);
	// A remote's name may contain slashes, so the longest one that matches is used.
	const remote = remotes
		.filter(name => path.startsWith(`${name}/`))
		.reduce<string | undefined>((longest, name) => (name.length > (longest?.length ?? 0) ? name : longest), undefined);
	return remote === undefined ? undefined : { name: path.slice(remote.length + 1), remote };
}

export function refName(branch: Pick<Branch, 'name' | 'remote'>): string {
	return branch.remote === undefined ? `refs/heads/${branch.name}` : `refs/remotes/${branch.remote}/${branch.name}`;
}

/**
 * Sorts the current branch first, then the other local ones, then those that only a remote has, each newest first. A
 * remote branch with the same name as a local one is left out.
 */
export function orderBranches(branches: readonly Branch[], current: string | undefined): Branch[] {
	const local = new Set(branches.filter(branch => branch.remote === undefined).map(branch => branch.name));
	const rank = (branch: Branch) => (branch.remote !== undefined ? 2 : branch.name === current ? 0 : 1);
	return branches
		.filter(branch => branch.remote === undefined || !local.has(branch.name))
		.sort((a, b) => rank(a) - rank(b) || b.committedAt - a.committedAt || a.name.localeCompare(b.name));
}
