import { readRemoteUrl } from '../../base/remoteUrl.ts';
import type { Branch } from './branches.ts';

/** The facts about the repository and the branch from which a task should start. */
export interface TargetFacts {
	/** True if the service runs on this machine and can read its directories. */
	isLocal: boolean;
	/** The working repository's directory. */
	repositoryPath: string;
	branch: Branch;
	branches: readonly Branch[];
	remotes: readonly { name: string; url: string }[];
	/** Set if `origin` is a directory on this machine. `commit` is that of the branch there, if it exists. */
	originDirectory: { path: string; commit: string | undefined } | undefined;
}

/** The repository that the service is told to clone, and the state of the branch there. */
export interface LaunchPlace {
	ok: true;
	kind: 'remote' | 'origin-directory' | 'working-repository';
	/** An address or a directory. It never contains credentials. */
	repoUrl: string;
	/** The name of the branch there. */
	branch: string;
	/** The remote to push to; undefined if the service clones the working repository itself. */
	remote: string | undefined;
	/** The commit of the branch there; undefined if it does not exist yet. */
	there: string | undefined;
	/** The commit of the local branch; undefined for a branch that only the remote has. */
	here: string | undefined;
}

/** Why there is no repository that the service can clone. */
export type TargetBlocker =
	| { kind: 'no-remote' }
	| { kind: 'unusable-remote'; remote: string }
	| { kind: 'only-on-remote'; remote: string };

export type LaunchTarget = LaunchPlace | { ok: false; blocker: TargetBlocker };

/**
 * Decides which repository the service is told to clone. A remote service gets the https address of the branch's
 * remote. The local service gets the directory behind `origin`, so that the result goes there, or otherwise the working
 * repository itself.
 */
export function launchTarget(facts: TargetFacts): LaunchTarget {
	return facts.isLocal ? localTarget(facts) : remoteTarget(facts);
}

function localTarget({ branch, originDirectory, repositoryPath }: TargetFacts): LaunchTarget {
	if (originDirectory?.commit !== undefined && (branch.remote === undefined || branch.remote === 'origin')) {
		return {
			ok: true,
			kind: 'origin-directory',
			repoUrl: originDirectory.path,
			branch: branch.name,
			remote: 'origin',
			there: originDirectory.commit,
			here: branch.remote === undefined ? branch.commit : undefined,
		};
	}
	if (branch.remote !== undefined) {
		// A clone of the working repository has only that repository's own branches.
		return { ok: false, blocker: { kind: 'only-on-remote', remote: branch.remote } };
	}
	return {
		ok: true,
		kind: 'working-repository',
		repoUrl: repositoryPath,
		branch: branch.name,
		remote: undefined,
		there: branch.commit,
		here: branch.commit,
	};
}

function remoteTarget({ branch, branches, remotes }: TargetFacts): LaunchTarget {
	const name =
		branch.remote ??
		branch.upstream?.remote ??
		(remotes.find(candidate => candidate.name === 'origin') ?? remotes[0])?.name;
	const remote = remotes.find(candidate => candidate.name === name);
	if (!remote) {
		return { ok: false, blocker: { kind: 'no-remote' } };
	}
	const place = readRemoteUrl(remote.url);
	if (place.kind !== 'url') {
		return { ok: false, blocker: { kind: 'unusable-remote', remote: remote.name } };
	}
	// An upstream on another remote says nothing about the name on this one.
	const upstream = branch.upstream?.remote === remote.name ? branch.upstream.name : undefined;
	const nameThere = branch.remote === undefined ? (upstream ?? branch.name) : branch.name;
	return {
		ok: true,
		kind: 'remote',
		repoUrl: place.url,
		branch: nameThere,
		remote: remote.name,
		there: branches.find(candidate => candidate.remote === remote.name && candidate.name === nameThere)?.commit,
		here: branch.remote === undefined ? branch.commit : undefined,
	};
}
