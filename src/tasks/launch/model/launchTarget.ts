import type { Branch } from './branches.ts';
import { readRemoteUrl } from './cloneUrl.ts';

/** What is known of the repository and the branch that a task is to start from. */
export interface LaunchFacts {
	/** The service runs on this machine and can read its directories. */
	isLocal: boolean;
	/** The working repository's directory. */
	repositoryPath: string;
	branch: Branch;
	branches: readonly Branch[];
	remotes: readonly { name: string; url: string }[];
	/** Set where `origin` is a directory of this machine; `commit` is that of the branch there, if it is there. */
	originDirectory: { path: string; commit: string | undefined } | undefined;
}

export type LaunchTarget =
	| {
			ok: true;
			/** What the service clones: an address or a directory. Never carries credentials. */
			repoUrl: string;
			/** The branch's name there. */
			branch: string;
			/** The commit the task starts from, as far as is known here. */
			commit: string;
			place: 'remote' | 'origin-directory' | 'working-repository';
			/** The place has another commit of the branch than the one chosen here. */
			differs: boolean;
	  }
	| { ok: false; problem: 'no-remote' }
	| { ok: false; problem: 'unusable-remote'; remote: string }
	| { ok: false; problem: 'not-on-remote'; remote: string }
	| { ok: false; problem: 'only-on-remote'; remote: string };

/**
 * Decides what the service is told to clone. A service elsewhere gets the https address of the branch's remote, and the
 * branch has to be there. The local one gets the directory behind `origin`, so that the result goes there, or else the
 * working repository itself.
 */
export function launchTarget(facts: LaunchFacts): LaunchTarget {
	return facts.isLocal ? localTarget(facts) : remoteTarget(facts);
}

function localTarget({ branch, originDirectory, repositoryPath }: LaunchFacts): LaunchTarget {
	if (originDirectory?.commit !== undefined && (branch.remote === undefined || branch.remote === 'origin')) {
		return {
			ok: true,
			repoUrl: originDirectory.path,
			branch: branch.name,
			commit: originDirectory.commit,
			place: 'origin-directory',
			differs: originDirectory.commit !== branch.commit,
		};
	}
	if (branch.remote !== undefined) {
		// A clone of the working repository has the branches of that repository alone.
		return { ok: false, problem: 'only-on-remote', remote: branch.remote };
	}
	return {
		ok: true,
		repoUrl: repositoryPath,
		branch: branch.name,
		commit: branch.commit,
		place: 'working-repository',
		differs: false,
	};
}

function remoteTarget({ branch, branches, remotes }: LaunchFacts): LaunchTarget {
	const name =
		branch.remote ??
		branch.upstream?.remote ??
		(remotes.find(candidate => candidate.name === 'origin') ?? remotes[0])?.name;
	const remote = remotes.find(candidate => candidate.name === name);
	if (!remote) {
		return { ok: false, problem: 'no-remote' };
	}
	const place = readRemoteUrl(remote.url);
	if (place.kind !== 'url') {
		return { ok: false, problem: 'unusable-remote', remote: remote.name };
	}
	const nameThere = branch.remote === undefined ? (branch.upstream?.name ?? branch.name) : branch.name;
	const there = branches.find(candidate => candidate.remote === remote.name && candidate.name === nameThere);
	if (!there) {
		return { ok: false, problem: 'not-on-remote', remote: remote.name };
	}
	return {
		ok: true,
		repoUrl: place.url,
		branch: nameThere,
		commit: there.commit,
		place: 'remote',
		differs: there.commit !== branch.commit,
	};
}
