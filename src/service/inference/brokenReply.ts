import { RequestRefused } from '../replies.ts';
import { ProviderFailure } from './provider.ts';

/**
 * Returns the refusal of a request for a whole reply that failed after it had begun: status 502 with the provider's
 * error, or the error itself if it is not the provider's.
 */
export function brokenReply(error: unknown): unknown {
	return error instanceof ProviderFailure ? new RequestRefused(502, error.message, error.code) : error;
}
