/** Returns the message of any thrown value for a log line. It must not be shown to the user as it is. */
export function describeError(error: unknown): string {
	if (error instanceof Error) {
		return error.message || error.name;
	}
	return typeof error === 'string' ? error : 'no further information';
}

/** The number of causes to follow, which also ends a cycle of causes. */
const MAXIMUM_CAUSES = 5;

/** Yields an error and its causes, the outermost first. */
export function* causesOf(error: unknown): Generator<Error> {
	for (
		let current = error, depth = 0;
		current instanceof Error && depth < MAXIMUM_CAUSES;
		current = current.cause, depth++
	) {
		yield current;
	}
}

/** Returns the system error code (`ECONNREFUSED`, `ENOENT`) of an error or of one of its causes. */
export function systemErrorCode(error: unknown): string | undefined {
	for (const { code } of causesOf(error) as Iterable<Error & { code?: unknown }>) {
		if (typeof code === 'string') {
			return code;
		}
	}
	return undefined;
}

/** Whether this is the error by which an AbortSignal cancels an operation. */
export function isAbortError(error: unknown): boolean {
	return error instanceof Error && error.name === 'AbortError';
}

/** The action that helps with an error, if there is one. The platform layer maps it to a command. */
export type HelpfulAction = 'showLog' | 'manageKeys' | 'switchConnection';

/** An error whose message is a whole sentence for the user, with the cause and the next step. */
export class UserFacingError extends Error {
	override readonly name = 'UserFacingError';
	readonly action: HelpfulAction | undefined;

	constructor(message: string, options: { action?: HelpfulAction; cause?: unknown } = {}) {
		super(message, options.cause === undefined ? undefined : { cause: options.cause });
		this.action = options.action;
	}
}
