import { ClientError, type ClientErrorCode, UserFacingError } from '../../base/errors.ts';
import type { CallError } from './callAnswer.ts';

/** A failed call as it is reported to its agent. */
export interface CallFailure extends CallError {
	/** The time in milliseconds after which a retry may succeed. */
	retryAfterMs: number | undefined;
}

/** The status where the service's own says nothing, or there is none. */
const STATUS: Partial<Record<ClientErrorCode, number>> = {
	'invalid-request': 400,
	'no-key': 401,
	unauthorised: 401,
	'payment-required': 402,
	forbidden: 403,
	'too-large': 413,
	'rate-limited': 429,
	timeout: 504,
};

/** An agent that gets this status for the responses endpoint may use chat completions instead. */
const NOT_FOUND = 404;
const NOT_THERE: ReadonlySet<ClientErrorCode> = new Set(['not-found', 'not-supported', 'plan-required']);

const FAILED: CallFailure = {
	status: 500,
	code: 'server_error',
	message: 'Errand failed at this call, and its log says why.',
	retryAfterMs: undefined,
};

/** Describes an error of the client. The client has removed the key from its words. */
export function describeFailure(error: unknown): CallFailure {
	if (error instanceof UserFacingError) {
		return { ...FAILED, status: 502, message: error.message };
	}
	if (!ClientError.is(error)) {
		return FAILED;
	}
	const { code, retryAfterMs } = error;
	return { status: statusOf(error), code: code.replaceAll('-', '_'), message: messageOf(error), retryAfterMs };
}

function statusOf({ code, status }: ClientError): number {
	if (NOT_THERE.has(code)) {
		return NOT_FOUND;
	}
	const isRefusal = status !== undefined && status >= 400 && status <= 599;
	return isRefusal ? status : (STATUS[code] ?? 502);
}

/** Agents look for words of the service, such as those for a conversation that is too long. */
function messageOf({ code, message, serviceMessage }: ClientError): string {
	if (serviceMessage === undefined) {
		return message;
	}
	// About a reply that it did not finish, a service says only a word for the reason.
	return code === 'truncated' ? `${message}: ${serviceMessage}` : serviceMessage;
}
