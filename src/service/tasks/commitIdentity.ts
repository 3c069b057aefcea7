import os from 'node:os';
import { defined } from '../../base/defined.ts';
import { type CommitIdentity, type GitLocation, runGit } from '../../base/git.ts';
import { unlessGitFails } from '../../base/gitError.ts';
import { hasHidden } from '../../base/invisible.ts';
import { locateSource } from './sourceSide.ts';

export function commitEnvironment({ name, address }: CommitIdentity): Record<string, string> {
	return {
		GIT_AUTHOR_NAME: name,
		GIT_AUTHOR_EMAIL: address,
		GIT_COMMITTER_NAME: name,
		GIT_COMMITTER_EMAIL: address,
	};
}

/** The maximum length of a name or an address, in UTF-16 code units. */
const MAXIMUM_LENGTH = 200;
/** A line break or an angle bracket would end the field of the commit that holds the value. */
const UNUSABLE = /[<>\p{Cc}\ufffd]/u;
/** git refuses a name that consists of punctuation alone. */
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;

/**
 * Reads `user.name` and `user.email` as git resolves them for the source repository: its own configuration comes before
 * the user's and the machine's. Returns undefined if one of the two is missing or cannot be used in a commit unchanged,
 * as whoever made the repository may have chosen it, or if git cannot read a configuration.
 */
export async function readIdentity(
	own: GitLocation,
	sourceFolder: string,
	signal: AbortSignal,
): Promise<CommitIdentity | undefined> {
	const { gitFolder } = await locateSource(own, sourceFolder, signal);
	const { configuration: _, ...place } = own;
	const location = { ...place, ...defined({ gitFolder }), home: os.homedir() };
	const ask = ['config', '--null', '--includes', '--get-regexp', '^user\\.(name|email)$'];
	// git exits with 1 if there is neither, and with another code if a configuration cannot be read. An agent's work is
	// worth more than its author's name.
	const listed = await runGit(location, ask, { signal }).catch(unlessGitFails(''));
	const values = new Map<string, string>();
	for (const entry of listed.split('\0')) {
		// A later value wins.
		const [key = '', ...lines] = entry.split('\n');
		values.set(key, lines.join('\n').trim());
	}
	const [name, address] = [values.get('user.name'), values.get('user.email')];
	return isUsable(name) && isUsable(address) ? { name, address } : undefined;
}

function isUsable(value: string | undefined): value is string {
	return (
		value !== undefined &&
		value.length <= MAXIMUM_LENGTH &&
		LETTER_OR_DIGIT.test(value) &&
		!UNUSABLE.test(value) &&
		!hasHidden(value)
	);
}
