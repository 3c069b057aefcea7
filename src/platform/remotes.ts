import { stat } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { readRemoteUrl } from '../base/remoteUrl.ts';
import type { GitPlace } from './git.ts';
import { runDirectoryGit, runGit, runRemoteGit } from './gitCommand.ts';

/** Returns a remote's address with the user's rewrites (`url.<base>.insteadOf`), or undefined if git cannot tell. */
export async function readRemoteAddress(
	gitPath: string,
	directory: string,
	name: string,
	use: 'fetch' | 'push' = 'fetch',
): Promise<string | undefined> {
	const options = use === 'push' ? ['--push'] : [];
	const output = await runGit(gitPath, directory, ['remote', 'get-url', ...options, '--', name]).catch(() => undefined);
	return output?.replace(/\n$/, '');
}

/** Returns the directory that a remote's URL names, if it is one on this machine. */
export async function remoteDirectory(remoteUrl: string, repositoryPath: string): Promise<string | undefined> {
	const place = readRemoteUrl(remoteUrl);
	if (place.kind !== 'directory') {
		return undefined;
	}
	try {
		const named = /^file:/i.test(place.path) ? fileURLToPath(place.path) : place.path;
		// The service's look-ups return directories without a trailing slash.
		const directory = path.resolve(repositoryPath, named);
		return (await stat(directory)).isDirectory() ? directory : undefined;
	} catch {
		return undefined;
	}
}

/**
 * Runs a git command that connects to a remote, which may be on another machine or a directory on this one, without
 * hooks. `commandLine` gets the options that start the git there. Rejects like `runRemoteGit`.
 */
export async function runAtRemote(
	{ gitPath, directory, credentials }: GitPlace,
	remote: string,
	program: 'upload-pack' | 'receive-pack',
	commandLine: (...started: string[]) => readonly string[],
	input?: string,
): Promise<string> {
	const use = program === 'upload-pack' ? 'fetch' : 'push';
	const address = await readRemoteAddress(gitPath, directory, remote, use);
	const folder = address === undefined ? undefined : await remoteDirectory(address, directory);
	return folder === undefined
		? runRemoteGit(gitPath, directory, remote, commandLine(), credentials, input)
		: runDirectoryGit(gitPath, directory, folder, program, commandLine, input);
}
