/** The message of anything that was thrown, for a log line. Never shown to the user as it is. */
export function describeError(error: unknown): string {
	if (error instanceof Error) {
		return error.message || error.name;
	}
	return typeof error === 'string' ? error : 'no further information';
}

/** How deep causes are looked into; a circle of causes ends there as well. */
const MAXIMUM_CAUSES = 5;

/** An error and what caused it, the outermost first. */
export function* causesOf(error: unknown): Generator<Error> {
	for (
		let current = error, depth = 0;
		current instanceof Error && depth < MAXIMUM_CAUSES;
		current = current.cause, depth++
	) {
		yield current;
	}
}

/** The system error code (`ECONNREFUSED`, `ENOENT`) of an error or of what caused it. */
export function systemErrorCode(error: unknown): string | undefined {
	for (const { code } of causesOf(error) as Iterable<Error & { code?: unknown }>) {
		if (typeof code === 'string') {
			return code;
		}
	}
	return undefined;
}

/** True for the error by which an AbortSignal ends what it was given to. */
export function isAbortError(error: unknown): boolean {
	return error instanceof Error && error.name === 'AbortError';
}

/** What helps with an error, where one thing does. The editor's layer knows which command that is. */
export type HelpfulAction = 'showLog' | 'manageKeys' | 'switchConnection';

/** An error whose message is a whole sentence meant for the user, with the cause and the next step. */
export class UserFacingError extends Error {
	override readonly name = 'UserFacingError';
	readonly action: HelpfulAction | undefined;

	constructor(message: string, options: { action?: HelpfulAction; cause?: unknown } = {}) {
		super(message, options.cause === undefined ? undefined : { cause: options.cause });
		this.action = options.action;
	}
}
