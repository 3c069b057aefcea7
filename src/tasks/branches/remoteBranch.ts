// The state of a branch on a remote.

import { withoutCredentials } from '../../base/remoteUrl.ts';
import type { GitPlace } from '../../platform/git.ts';
import { runGit } from '../../platform/gitCommand.ts';
import { readRemoteAddress } from '../../platform/remotes.ts';
import { findScratchBranch } from '../launch/scratchBranches.ts';
import type { NamedRemote } from '../model/comparePage.ts';
import { commitOf } from '../results/taskBranch.ts';
import { type Standing, standingOf } from './localBranch.ts';

/**
 * Returns the remotes with their push addresses, without user names and passwords, except in ssh addresses. Rejects
 * when git fails.
 */
export async function listPushRemotes({ gitPath, directory }: GitPlace): Promise<NamedRemote[]> {
	const listed = (await runGit(gitPath, directory, ['remote'])).split('\n');
	// The editor's own push would take a name that begins with a dash for an option, which can name a program.
	const names = listed.filter(name => name !== '' && !name.startsWith('-'));
	return Promise.all(
		names.map(async name => ({
			name,
			address: withoutCredentials((await readRemoteAddress(gitPath, directory, name, 'push')) ?? ''),
		})),
	);
}

/**
 * Asks a remote for a branch and compares it with a commit of this repository. If this repository lacks the remote's
 * commit, it counts as diverged by an unknown number (`NaN`). Rejects when git fails or the remote cannot be reached.
 */
export async function readRemoteBranch(
	place: GitPlace,
	remote: string,
	branch: string,
	tip: string,
): Promise<{ commit: string | undefined; standing: Standing }> {
	const commit = await findScratchBranch(place, { name: branch, remote, commit: '' });
	if (commit !== undefined && (await commitOf(place, commit)) === undefined) {
		return { commit, standing: { kind: 'diverged', ahead: Number.NaN, behind: Number.NaN } };
	}
	return { commit, standing: await standingOf(place, commit, tip) };
}

/** Returns the number of commits of `tip` that no branch of the remote is known to have. Rejects when git fails. */
export async function countNew({ gitPath, directory }: GitPlace, remote: string, tip: string): Promise<number> {
	const known = `--remotes=${remote.replace(/[*?[\\]/g, '\\$&')}/*`;
	return Number(await runGit(gitPath, directory, ['rev-list', '--count', tip, '--not', known, '--']));
}

/** Returns the number of commits that would be on no branch or tag without these references. Rejects when git fails. */
export async function countLost(
	{ gitPath, directory }: GitPlace,
	commit: string,
	references: readonly string[],
): Promise<number> {
	// Each kind of reference has its own exclusions, which apply only to the next option.
	const excluding = (prefix: string) =>
		references.filter(name => name.startsWith(prefix)).map(name => `--exclude=${name.slice(prefix.length)}`);
	const kept = [...excluding('refs/heads/'), '--branches', ...excluding('refs/remotes/'), '--remotes', '--tags'];
	return Number(await runGit(gitPath, directory, ['rev-list', '--count', commit, '--not', ...kept, '--']));
}
