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

/** Returns whether this is the error by which an AbortSignal cancels an operation. */
export function isAbortError(error: unknown): boolean {
	return error instanceof Error && error.name === 'AbortError';
}

/** The action that helps with an error, if there is one. The platform layer maps it to a command. */
export type HelpfulAction = 'showLog' | 'manageKeys' | 'changeKey' | 'enterKey' | 'chooseModel' | 'switchConnection';

/** An error whose message is a whole sentence for the user, with the cause and the next step. */
export class UserFacingError extends Error {
	override readonly name = 'UserFacingError';
	readonly action: HelpfulAction | undefined;

	constructor(message: string, options: { action?: HelpfulAction; cause?: unknown } = {}) {
		super(message, options.cause === undefined ? undefined : { cause: options.cause });
		this.action = options.action;
	}
}

/** The kinds of failures that callers may want to handle differently. A new code changes the interface. */
export type ClientErrorCode =
	| 'no-key'
	| 'unauthorised'
	| 'plan-required'
	| 'forbidden'
	| 'not-found'
	| 'source-link-missing'
	| 'invalid-request'
	| 'session-expired'
	| 'payment-required'
	| 'too-large'
	| 'rate-limited'
	| 'server'
	| 'upstream'
	| 'offline'
	| 'timeout'
	| 'aborted'
	| 'truncated'
	| 'bad-response'
	| 'tampered'
	| 'not-supported';

/** The failure of a model server behind the service, as reported by the service. */
export interface UpstreamProblem {
	/** The name of the server's entry. */
	slug: string;
	/** The name by which the user knows it, if it differs from the slug. */
	label?: string | undefined;
	origin?: string | undefined;
	hasKey?: boolean | undefined;
	code: ClientErrorCode;
	status?: number | undefined;
	/** The system's code, such as `ECONNREFUSED`. */
	system?: string | undefined;
	isPage?: boolean | undefined;
	retryAfterMs?: number | undefined;
	/** The server's own words, or what is wrong with its reply. It is untrusted text and only for display. */
	said?: string | undefined;
}

export interface ClientErrorOptions {
	status?: number | undefined;
	retryable?: boolean;
	retryAfterMs?: number | undefined;
	cause?: unknown;
	/** The service's own message, which is untrusted text and only for display. */
	serviceMessage?: string | undefined;
	/** The service's own word for the failure, which is untrusted text and only for comparison. */
	serviceCode?: string | undefined;
	/** True if a web page came in place of the reply, as from a login or a wrong address. */
	isPage?: boolean;
	/** The origin of a redirect that was not followed. */
	redirectedTo?: string | undefined;
	/** The model servers behind the service that have failed, in the order in which they were tried. */
	upstreams?: readonly UpstreamProblem[] | undefined;
	/** True if no part of the request has left this machine. */
	unsent?: boolean;
}

/** The client's errors. The message is for logs and developers; the features have the texts for users. */
export class ClientError extends Error {
	override readonly name = 'ClientError';
	readonly code: ClientErrorCode;
	readonly status: number | undefined;
	readonly retryable: boolean;
	readonly retryAfterMs: number | undefined;
	readonly serviceMessage: string | undefined;
	readonly serviceCode: string | undefined;
	readonly isPage: boolean;
	readonly redirectedTo: string | undefined;
	readonly upstreams: readonly UpstreamProblem[];
	/** True if the request or a part of it may have left this machine; false only if it certainly has not. */
	readonly wasSent: boolean;

	constructor(code: ClientErrorCode, message: string, options: ClientErrorOptions = {}) {
		super(message, options.cause === undefined ? undefined : { cause: options.cause });
		this.code = code;
		this.status = options.status;
		this.retryable = options.retryable ?? false;
		this.retryAfterMs = options.retryAfterMs;
		this.serviceMessage = options.serviceMessage;
		this.serviceCode = options.serviceCode;
		this.isPage = options.isPage ?? false;
		this.redirectedTo = options.redirectedTo;
		this.upstreams = options.upstreams ?? [];
		this.wasSent = !options.unsent;
	}

	/** Returns the same error with `wasSent` set, for callers who know whether the request has left this machine. */
	withSent(wasSent: boolean): ClientError {
		return wasSent === this.wasSent ? this : this.with({ unsent: !wasSent });
	}

	withWords(serviceMessage: string): ClientError {
		return serviceMessage === this.serviceMessage ? this : this.with({ serviceMessage });
	}

	withoutUpstreams(): ClientError {
		return this.upstreams.length === 0 ? this : this.with({ upstreams: [] });
	}

	private with(changes: ClientErrorOptions): ClientError {
		const { code, message, wasSent, ...rest } = this;
		return new ClientError(code, message, { ...rest, cause: this.cause, unsent: !wasSent, ...changes });
	}

	static is(error: unknown, code?: ClientErrorCode): error is ClientError {
		return error instanceof ClientError && (code === undefined || error.code === code);
	}
}
