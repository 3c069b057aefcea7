import { execFile } from 'node:child_process';
import path from 'node:path';
import { childEnvironment } from '../../base/childEnvironment.ts';
import { safeArguments, safeEnvironment } from '../../base/gitConfiguration.ts';

const TIMEOUT_MS = 30_000;
const MAXIMUM_OUTPUT = 64 * 1024 * 1024;

/**
 * Runs a git command that only reads commits, trees and references, so that no hook and no filter is involved.
 * `settings` are further ones, as `key=value`. Rejects with the error of a failed git.
 */
export function runGit(
	folder: string,
	commandLine: readonly string[],
	settings: readonly string[] = [],
): Promise<string> {
	const env = childEnvironment(process.env, safeEnvironment('none'));
	// Windows looks for programs in the working folder first, and a client may have started this program in the
	// repository.
	const limits = { cwd: path.dirname(process.execPath), timeout: TIMEOUT_MS, maxBuffer: MAXIMUM_OUTPUT };
	return new Promise((resolve, reject) => {
		const whole = [...safeArguments(settings), '-C', folder, ...commandLine];
		execFile('git', whole, { env, windowsHide: true, ...limits }, (error, output) =>
			error ? reject(error) : resolve(output),
		);
	});
}

/**
 * Returns the branch that is checked out in a repository, or undefined if there is none or the folder is not a
 * repository.
 */
export async function currentBranch(folder: string): Promise<string | undefined> {
	const name = await runGit(folder, ['symbolic-ref', '--quiet', '--short', 'HEAD']).catch(() => '');
	return name.trim() || undefined;
}
