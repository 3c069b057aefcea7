import { RequestRefused } from '../replies.ts';
import type { AppContext } from '../server.ts';
import { ProviderFailure } from './provider.ts';

/**
 * Answers a request for a whole reply that failed after it had begun: a connection that broke is broken here too.
 * @throws RequestRefused 502 with the provider's error, or the error itself if it is not the provider's.
 */
export function refuseBrokenReply(context: AppContext, error: unknown): Response {
	if (!(error instanceof ProviderFailure)) {
		throw error;
	}
	if (error.code === 'cut') {
		context.env.outgoing.destroy();
		return new Response(null);
	}
	throw new RequestRefused(502, error.message, error.code);
}
