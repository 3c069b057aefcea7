// Converts failures to ClientErrors: a transport's rejection, an HTTP status, or the contents of an error.
import { defined } from '../../base/defined.ts';
import { ClientError, type ClientErrorCode, causesOf, describeError, systemErrorCode } from '../../base/errors.ts';
import { networkFaultOf } from '../../base/networkFault.ts';
import type { ErrorBody } from '../../contract/errorBody.ts';

const TIMEOUT_CODES: ReadonlySet<string> = new Set([
	'ETIMEDOUT',
	'UND_ERR_CONNECT_TIMEOUT',
	'UND_ERR_HEADERS_TIMEOUT',
	'UND_ERR_BODY_TIMEOUT',
]);

export const RETRYABLE: ReadonlySet<ClientErrorCode> = new Set([
	'rate-limited',
	'server',
	'upstream',
	'offline',
	'timeout',
	'truncated',
]);

/** Codes for a reply that is not HTTP, contradicts itself, or is not in its stated coding (zlib, zstd and Brotli). */
const MALFORMED_CODE =
	/^(HPE_|Z_|ZSTD_|ERR_(BROTLI|_ERROR_FORMAT)|UND_ERR_(HEADERS_OVERFLOW|RES_CONTENT_LENGTH_MISMATCH)$)/;

function isMalformed(error: unknown, system: string | undefined): boolean {
	if (system !== undefined) {
		return MALFORMED_CODE.test(system);
	}
	for (const { name, message } of causesOf(error)) {
		// The parser's own words: a premature end is a broken connection, not another protocol.
		if (name === 'HTTPParserError') {
			return !/invalid eof/i.test(message);
		}
	}
	return false;
}

/**
 * Returns the ClientError for a transport's rejection. Anything but an error of our own or a timeout means that no
 * exchange was possible.
 */
export function failureOf(error: unknown): ClientError {
	if (ClientError.is(error)) {
		return error;
	}
	const system = systemErrorCode(error);
	if (isMalformed(error, system)) {
		const message = `the reply is malformed: ${system ?? describeError(error)}`;
		return new ClientError('bad-response', message, { cause: error });
	}
	const code = system !== undefined && TIMEOUT_CODES.has(system) ? 'timeout' : 'offline';
	const message = `the exchange failed: ${system ?? describeError(error)}`;
	// Retryable even if somebody has to fix something first, because that happens unseen by us.
	return new ClientError(code, message, { retryable: true, cause: error, unsent: isWithoutConnection(error) });
}

/** Returns whether there was never a connection by which the request could have left. */
function isWithoutConnection(error: unknown): boolean {
	// A certificate is checked, and a proxy is asked for a tunnel, before any part of the request is written.
	const fault = networkFaultOf(error)?.kind;
	if (fault === 'certificate' || fault === 'proxy-refused' || fault === 'proxy-credentials') {
		return true;
	}
	for (const cause of causesOf(error)) {
		// A name with several addresses fails once for each.
		const { syscall, code } = (cause instanceof AggregateError ? cause.errors[0] : cause) as NodeJS.ErrnoException;
		if (syscall === 'connect' || syscall === 'getaddrinfo' || code === 'UND_ERR_CONNECT_TIMEOUT') {
			return true;
		}
	}
	return false;
}

const CODE_OF_STATUS: ReadonlyMap<number, ClientErrorCode> = new Map<number, ClientErrorCode>([
	[401, 'unauthorised'],
	[402, 'payment-required'],
	[403, 'forbidden'],
	[404, 'not-found'],
	[408, 'timeout'],
	[413, 'too-large'],
	[429, 'rate-limited'],
	[502, 'upstream'],
	[504, 'timeout'],
]);

/**
 * contract: not shown. Services of this shape answer 429 both to too many requests and to an account that has used up
 * its allowance; only the body tells which. Another attempt helps with the first only.
 */
const USED_UP = /insufficient.?(quota|credit|balance|funds)|quota.?(exceeded|exhausted)|billing|payment|credit/i;

/** Returns the code for a status other than 2xx and its body, if the route has no meaning of its own for it. */
export function codeOfReply(status: number, { code, type }: ErrorBody): ClientErrorCode {
	const isUsedUp = status === 429 && [code, type].some(word => word !== undefined && USED_UP.test(word));
	return isUsedUp ? 'payment-required' : codeOfStatus(status);
}

/** Returns the code for an HTTP status other than 2xx, if nothing else is more specific. */
export function codeOfStatus(status: number): ClientErrorCode {
	const code = CODE_OF_STATUS.get(status);
	if (code) {
		return code;
	}
	if (status >= 500) {
		return 'server';
	}
	return status >= 400 ? 'invalid-request' : 'bad-response';
}

/** contract: not shown. Words that services of this shape use as an error's `code` or `type`. */
const CODE_OF_WORD: readonly (readonly [RegExp, ClientErrorCode])[] = [
	[/rate.?limit|too.?many|throttl/i, 'rate-limited'],
	[/quota|credit|billing|payment/i, 'payment-required'],
	[/auth|api.?key|credential/i, 'unauthorised'],
	[/permission|forbidden/i, 'forbidden'],
	[/not.?found/i, 'not-found'],
	[/too.?large/i, 'too-large'],
	[/invalid|bad.?request|context.?length|unsupported|content.?filter/i, 'invalid-request'],
	[/time.?out/i, 'timeout'],
	[/upstream|provider|gateway/i, 'upstream'],
];

/** Returns the error that came in a reply with a success status. Its own code decides; a number is an HTTP status. */
export function failureInReply(body: ErrorBody): ClientError {
	const code = codeOfContents(body);
	return new ClientError(code, `the service sent an error instead of a reply (${code})`, {
		retryable: RETRYABLE.has(code),
		serviceCode: body.code,
		...defined({ serviceMessage: body.message, upstreams: body.upstreams }),
	});
}

function codeOfContents(body: ErrorBody): ClientErrorCode {
	const { code, type } = body;
	const status = Number(code);
	if (Number.isInteger(status) && status >= 400 && status <= 599) {
		return codeOfReply(status, body);
	}
	for (const word of [code, type]) {
		const known = word === undefined ? undefined : CODE_OF_WORD.find(([pattern]) => pattern.test(word));
		if (known) {
			return known[1];
		}
	}
	return 'server';
}
