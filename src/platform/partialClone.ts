import * as vscode from 'vscode';
import { gitReason } from '../base/gitReason.ts';
import { findMissing } from '../base/partialClone.ts';
import { shortName } from '../base/plainText.ts';
import type { GitPlace } from './git.ts';
import { prepareGit, readPromisors } from './gitCommand.ts';
import { gitFailure } from './gitRefusalMessages.ts';
import { withProgress } from './progressNotice.ts';
import { runAtRemote } from './remotes.ts';

/** The files of a commit that a partial clone lacks. */
export interface MissingFiles {
	remote: string;
	/** The number of objects known to be missing, without the contents of folders that are themselves missing. */
	objects: number;
}

/** The maximum number of objects per request, because a command has limited time. */
const AT_ONCE = 10_000;

/** Resolves with undefined if nothing is missing. Rejects if git fails. */
export async function findMissingFiles(
	{ gitPath, directory }: Pick<GitPlace, 'gitPath' | 'directory'>,
	commit: string,
): Promise<MissingFiles | undefined> {
	const [remote] = await readPromisors(gitPath, directory);
	if (remote === undefined) {
		return undefined;
	}
	const objects = (await findMissing(await prepareGit(gitPath, directory), commit)).length;
	return objects === 0 ? undefined : { remote, objects };
}

/** Fetches the missing files of a commit from the remote, as git itself would on demand. Rejects if git fails. */
export async function fetchMissingFiles(place: GitPlace, commit: string, remote: string): Promise<void> {
	const options = ['--quiet', '--no-tags', '--no-write-fetch-head', '--recurse-submodules=no', '--filter=blob:none'];
	const fetch = (...started: string[]) => [
		...['-c', 'fetch.negotiationAlgorithm=noop', 'fetch'],
		...options,
		...started,
		'--stdin',
		'--',
		remote,
	];
	const git = await prepareGit(place.gitPath, place.directory);
	let asked = new Set<string>();
	// Folders come before their contents.
	for (let missing = await findMissing(git, commit); missing.length > 0; missing = await findMissing(git, commit)) {
		if (missing.some(object => asked.has(object))) {
			throw new Error(`${remote} has not sent all objects that it was asked for`);
		}
		asked = new Set(missing.slice(0, AT_ONCE));
		await runAtRemote(place, remote, 'upload-pack', fetch, [...asked].map(object => `${object}\n`).join(''));
	}
}

/** Fetches the missing files of a commit from the remote of a partial clone. Throws a UserFacingError. */
export async function getMissingFiles(place: GitPlace, commit: string, remote: string): Promise<void> {
	const title = vscode.l10n.t('Getting missing files from {0}…', shortName(remote));
	try {
		await withProgress(title, () => fetchMissingFiles(place, commit, remote), { isNotice: true });
	} catch (error) {
		throw gitFailure(
			error,
			vscode.l10n.t(
				'Git couldn’t get the missing files from {0}: {1} Check your access, then try again.',
				shortName(remote),
				gitReason(error),
			),
		);
	}
}
