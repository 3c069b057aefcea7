// Converts the client's error into a provider's failure, and the failure into the error that the service's client gets.
import { defined } from '../../base/defined.ts';
import type { ClientError, ClientErrorCode } from '../../base/errors.ts';
import { explainUpstream } from '../../base/explainFailure.ts';
import { tooLong } from '../../client/core/tooLong.ts';
import { type NamedUpstream, upstreamProblemOf } from '../../contract/upstreamProblem.ts';
import { RequestRefused } from '../replies.ts';
import { ProviderFailure, type ProviderFailureCode } from './provider.ts';

const CODES: Partial<Record<ClientErrorCode, ProviderFailureCode>> = {
	'rate-limited': 'rate_limited',
	offline: 'unavailable',
	timeout: 'timeout',
	unauthorised: 'unauthorized',
	forbidden: 'unauthorized',
	'no-key': 'unauthorized',
	'payment-required': 'payment_required',
	'not-found': 'model_not_found',
	'invalid-request': 'invalid_request',
	'too-large': 'invalid_request',
};

export function providerFailureOf(server: NamedUpstream, error: ClientError): ProviderFailure {
	const { code, status, retryAfterMs } = error;
	// Servers with the Messages API send 529 where others send 503.
	const own = status === 503 || status === 529 ? 'unavailable' : (CODES[code] ?? 'upstream_error');
	const upstream = upstreamProblemOf(server, tooLong(error) ?? error);
	return new ProviderFailure(own, explainUpstream(upstream).cause, { retryAfterMs, upstream, cause: error });
}

/** Returns the client's form of an error in the middle of a reply. */
export function errorInReply({ message, code, upstream }: ProviderFailure): object {
	return { message, code, ...defined({ upstreams: upstream && [upstream] }) };
}

/**
 * Returns the refusal for a whole reply that failed after it had begun: status 502 with the provider's error, or the
 * error itself if it is not the provider's.
 */
export function brokenReply(error: unknown): unknown {
	if (!(error instanceof ProviderFailure)) {
		return error;
	}
	const { message, code, upstream } = error;
	return new RequestRefused(502, message, code, { upstreams: upstream ? [upstream] : [] });
}
