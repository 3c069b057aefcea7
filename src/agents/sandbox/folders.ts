import { runChild } from '../../base/childProcess.ts';
import { makeTemporaryFolder } from './agentHome.ts';
import { UNPRIVILEGED_ID } from './wrap.ts';

/** The most that is kept of the output of `chown`, which may complain about every file. */
const MAXIMUM_ERROR_CHARACTERS = 1_000;

export interface SandboxFolders {
	tree: string;
	/** It must exist, like the tree. */
	home: string;
	/** The relay's socket, which must be listening already. */
	socket?: string;
	signal: AbortSignal;
}

/**
 * Makes the folders of a sandbox ready before each start: the home folder gets its `tmp`, and where this process is root,
 * all of it is given to the user that the sandbox runs as. What an agent has left there is hostile: no link is followed.
 * No agent may be running in the folders meanwhile. Rejects with the system's error, or with the signal's reason.
 */
export async function prepareFolders({ tree, home, socket, signal }: SandboxFolders): Promise<void> {
	await makeTemporaryFolder(home);
	if (process.getuid?.() === 0) {
		await giveAway([tree, home, ...(socket === undefined ? [] : [socket])], signal);
	}
}

async function giveAway(owned: readonly string[], signal: AbortSignal): Promise<void> {
	let errors = '';
	const { exitCode } = await runChild({
		command: '/bin/chown',
		// Neither a link on the way nor one that is found is followed.
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
