// Branches of a repository, as `git for-each-ref` tells them.

export interface Branch {
	/** Without `refs/heads/` or the remote's name. */
	name: string;
	/** The remote that holds it; undefined for a branch of the repository itself. */
	remote: string | undefined;
	/** The full object name. */
	commit: string;
	/** Seconds since the epoch. */
	committedAt: number;
	/** The branch of a remote that it follows. */
	upstream: { remote: string; name: string } | undefined;
}

/** One line a branch; fields are parted by a zero byte, which no name can hold. */
export const BRANCH_FORMAT = '%(refname)%00%(objectname)%00%(upstream)%00%(committerdate:unix)%00%(symref)';

/** Reads what `for-each-ref --format=BRANCH_FORMAT refs/heads refs/remotes` printed. */
export function readBranches(output: string, remotes: readonly string[]): Branch[] {
	const branches: Branch[] = [];
	for (const line of output.split('\n')) {
		const [refname = '', commit = '', upstream = '', committedAt = '', symref = ''] = line.split('\0');
		// A symbolic one (`origin/HEAD`) is another branch's second name.
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
	// A remote's name may hold slashes: the longest one that fits is meant.
	const remote = remotes
		.filter(name => path.startsWith(`${name}/`))
		.reduce<string | undefined>((longest, name) => (name.length > (longest?.length ?? 0) ? name : longest), undefined);
	return remote === undefined ? undefined : { name: path.slice(remote.length + 1), remote };
}

export function refName(branch: Pick<Branch, 'name' | 'remote'>): string {
	return branch.remote === undefined ? `refs/heads/${branch.name}` : `refs/remotes/${branch.remote}/${branch.name}`;
}

/**
 * The current branch first, then those of the repository, then those that only a remote has; newest first.
 * A remote's branch that a local one of the same name stands for is left out.
 */
export function orderBranches(branches: readonly Branch[], current: string | undefined): Branch[] {
	const local = new Set(branches.filter(branch => branch.remote === undefined).map(branch => branch.name));
	const rank = (branch: Branch) => (branch.remote !== undefined ? 2 : branch.name === current ? 0 : 1);
	return branches
		.filter(branch => branch.remote === undefined || !local.has(branch.name))
		.sort((a, b) => rank(a) - rank(b) || b.committedAt - a.committedAt || a.name.localeCompare(b.name));
}
