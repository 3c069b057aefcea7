// Prepares the folders of a sandbox before something is started in it. No process of the agent may be running then.
import { lstat, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { runChild } from '../../base/childProcess.ts';
import { UNPRIVILEGED_ID } from './wrap.ts';

/** The kept length of the output of `chown`, which may complain about every file. */
const MAXIMUM_ERROR_CHARACTERS = 1_000;

/**
 * Prepares the folders of a sandbox before each start: the home folder gets its `tmp`, and if this process is root, all
 * of it is given to the user that the sandbox runs as, with the tree and the relay's socket, which must already be
 * listening. The agent may have left anything there, so no link is followed. Rejects with the system's error, or with the
 * signal's reason.
 */
export async function prepareFolders({
	tree,
	home,
	socket,
	signal,
}: {
	tree: string;
	home: string;
	socket?: string | undefined;
	signal: AbortSignal;
}): Promise<void> {
	await makeTemporaryFolder(home);
	if (process.getuid?.() === 0) {
		await giveAway([tree, home, ...(socket === undefined ? [] : [socket])], signal);
	}
}

async function giveAway(owned: readonly string[], signal: AbortSignal): Promise<void> {
	let errors = '';
	const { exitCode } = await runChild({
		command: '/bin/chown',
		// Links are not followed, neither on the way nor when found.
		args: ['-R', '-P', '-h', `${UNPRIVILEGED_ID}:${UNPRIVILEGED_ID}`, '--', ...owned],
		env: {},
		cwd: '/',
		signal,
		onOutput(_stream, bytes) {
			if (errors.length < MAXIMUM_ERROR_CHARACTERS) {
				errors += bytes.toString('utf8', 0, MAXIMUM_ERROR_CHARACTERS);
			}
		},
	});
	if (exitCode !== 0) {
		const [line = ''] = errors.split('\n');
		throw new Error(`The folders of the sandbox could not be given to its user: ${line}`);
	}
}

/**
 * Creates the folder for temporary files below an agent's home, which exists. Anything else at its path is replaced: an
 * earlier run may have left a link there. Rejects with the system's error.
 */
export function makeTemporaryFolder(home: string): Promise<void> {
	return makeFolder(path.join(home, 'tmp'));
}

/**
 * Writes an agent's configuration files below its home, with their folders. An earlier run of the agent may have left
 * links there to redirect the files: anything that is not a folder where one is needed, and anything at the path of a
 * file, is replaced. Rejects with the system's error.
 */
export async function writeAgentHome(home: string, files: Readonly<Record<string, string>>): Promise<void> {
	for (const [name, text] of Object.entries(files)) {
		const parts = name.split('/');
		if (parts.some(part => part === '' || part === '.' || part === '..')) {
			throw new Error('A configuration file lies outside the home.');
		}
		let folder = home;
		for (const part of parts.slice(0, -1)) {
			folder = path.join(folder, part);
			await makeFolder(folder);
		}
		const file = path.join(home, ...parts);
		await rm(file, { recursive: true, force: true });
		await writeFile(file, text, { mode: 0o600, flag: 'wx' });
	}
}

async function makeFolder(folder: string): Promise<void> {
	const status = await lstat(folder).catch(() => undefined);
	if (status?.isDirectory()) {
		return;
	}
	await rm(folder, { force: true });
	await mkdir(folder, { mode: 0o700 });
}
