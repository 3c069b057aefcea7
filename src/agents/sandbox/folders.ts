import { runChild } from '../../base/childProcess.ts';
import { makeTemporaryFolder } from './agentHome.ts';
import { UNPRIVILEGED_ID } from './wrap.ts';

/** The kept length of the output of `chown`, which may complain about every file. */
const MAXIMUM_ERROR_CHARACTERS = 1_000;

export interface SandboxFolders {
	tree: string;
	/** The home folder, which must exist, like the tree. */
	home: string;
	/** The relay's socket, which must already be listening. */
	socket?: string;
	signal: AbortSignal;
}

/**
 * Prepares the folders of a sandbox before each start: the home folder gets its `tmp`, and if this process is root, all
 * of it is given to the user that the sandbox runs as. The agent may have left anything there, so no link is followed.
 * No agent may be running in the folders. Rejects with the system's error, or with the signal's reason.
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
