import { childEnvironment } from '../../base/childEnvironment.ts';
import { runChild } from '../../base/childProcess.ts';
import { systemErrorCode } from '../../base/errors.ts';
import { safeArguments, safeEnvironment } from '../../base/gitConfiguration.ts';
import { ToolFailure } from '../failures.ts';
import { KeptOutput } from './outputBuffer.ts';
import type { ToolContext } from './tool.ts';

const LIMIT_MS = 30_000;

/** The exit code with which git refuses an expression or a pattern. */
const FAILED = 128;

/**
 * Runs `git grep` over the files that git does not ignore, and resolves with its output, whose middle is cut out beyond
 * `maximum` characters. Throws a ToolFailure if it cannot be run or takes too long.
 */
export async function gitGrep(
	args: readonly string[],
	maximum: number,
	{ folder, signal }: ToolContext,
): Promise<string> {
	const output = new KeptOutput(maximum);
	const limit = AbortSignal.timeout(LIMIT_MS);
	try {
		const { exitCode } = await runChild({
			command: 'git',
			// A search with the index would read wherever the repository's own configuration says that its files are.
			args: [...safeArguments(), 'grep', '--no-index', '--exclude-standard', ...args],
			cwd: folder,
			env: childEnvironment(process.env, safeEnvironment('none')),
			signal: AbortSignal.any([signal, limit]),
			onOutput: (_, bytes) => output.add(bytes),
		});
		const text = output.text();
		if (exitCode === FAILED) {
			throw new ToolFailure(`The search failed: ${text.trim()}`);
		}
		return text;
	} catch (error) {
		signal.throwIfAborted();
		if (limit.aborted) {
			throw new ToolFailure(`The search did not end within ${LIMIT_MS / 1000} seconds. Search in a smaller folder.`);
		}
		if (systemErrorCode(error) === 'ENOENT') {
			throw new ToolFailure('git is not installed here, so nothing can be searched. Use run with grep instead.');
		}
		throw error;
	}
}
