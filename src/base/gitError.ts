/** A git command failed. `stderr` is in English (`safeEnvironment`), because its readers look for words in it. */
export class GitError extends Error {
	override readonly name = 'GitError';
	/** Undefined if a signal ended git. */
	readonly exitCode: number | undefined;
	readonly stdout: string;
	readonly stderr: string;

	constructor(
		message: string,
		{ exitCode, stdout, stderr, cause }: Pick<GitError, 'exitCode' | 'stdout' | 'stderr' | 'cause'>,
	) {
		super(message, cause === undefined ? undefined : { cause });
		this.exitCode = exitCode;
		this.stdout = stdout;
		this.stderr = stderr;
	}
}

/** Returns a handler that gives `value` in place of a GitError and throws any other error. */
export const unlessGitFails =
	<T>(value: T) =>
	(error: unknown): T => {
		if (error instanceof GitError) {
			return value;
		}
		throw error;
	};
