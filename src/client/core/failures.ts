// What went wrong, as a ClientError: from a transport's rejection, an HTTP status, an error's contents.
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

const RETRYABLE: ReadonlySet<ClientErrorCode> = new Set([
	'rate-limited',
	'server',
	'upstream',
	'offline',
	'timeout',
	'truncated',
]);

export function isRetryable(code: ClientErrorCode): boolean {
	return RETRYABLE.has(code);
}

/** A reply that is no HTTP, contradicts itself, or is not in the coding that it names (zlib, zstd and Brotli). */
const MALFORMED_CODE =
	/^(HPE_|Z_|ZSTD_|ERR_(BROTLI|_ERROR_FORMAT)|UND_ERR_(HEADERS_OVERFLOW|RES_CONTENT_LENGTH_MISMATCH)$)/;

function isMalformed(error: unknown, system: string | undefined): boolean {
	if (system !== undefined) {
		return MALFORMED_CODE.test(system);
	}
	for (const { name, message } of causesOf(error)) {
		// The parser’s own words: an end that comes too early is a broken connection, not another protocol.
		if (name === 'HTTPParserError') {
			return !/invalid eof/i.test(message);
		}
	}
	return false;
}

/**
 * Returns the ClientError for what a transport rejected with. Anything but an own error or a timeout means that no
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
	// Retryable also where somebody has to put something right: that happens unseen by us.
	return new ClientError(code, message, { retryable: true, cause: error, unsent: isWithoutConnection(error) });
}

/** Returns whether there was never a connection that a request could have left by. */
function isWithoutConnection(error: unknown): boolean {
	// A certificate is looked at, and a proxy asked for a tunnel, before anything of the request is written.
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
 * contract: not shown. Services of this shape answer with 429 both to too many requests and when the account has used
 * up what it may; only the body tells which. Trying again helps with the first alone.
 */
const USED_UP = /insufficient.?(quota|credit|balance|funds)|quota.?(exceeded|exhausted)|billing|payment|credit/i;

/** The code of a status other than 2xx with its body, where the route has no meaning of its own for it. */
export function codeOfReply(status: number, { code, type }: ErrorBody): ClientErrorCode {
	const isUsedUp = status === 429 && [code, type].some(word => word !== undefined && USED_UP.test(word));
	return isUsedUp ? 'payment-required' : codeOfStatus(status);
}

/** The code of an HTTP status other than 2xx, where nothing else tells more. */
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

/** An error that came inside a reply with a status of success: its own code decides, a number being an HTTP status. */
export function failureInReply(body: ErrorBody): ClientError {
	const code = codeOfContents(body);
	return new ClientError(code, `the service sent an error instead of a reply (${code})`, {
		retryable: isRetryable(code),
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
