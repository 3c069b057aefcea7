import { ProviderFailure } from '../inference/provider.ts';
import { RequestRefused } from '../replies.ts';

/**
 * A provider's error message may quote the conversation, and a refusal is sent in clear text. These fixed sentences
 * replace it.
 */
const SENTENCES: Readonly<Record<string, string>> = {
	rate_limited: 'The provider takes no more requests for now.',
	unavailable: 'The provider cannot be reached or is not ready.',
	timeout: 'The provider did not answer in time.',
	unauthorized: 'The provider refuses the key that the service has for it.',
	payment_required: 'The provider wants to be paid first.',
	model_not_found: 'The provider does not know the model.',
	invalid_request: 'The provider refuses the conversation.',
	cut: 'The provider broke its reply off.',
};
const OTHER = 'The provider failed at the conversation.';

/**
 * Replaces the message of a gateway error by one that quotes nothing. A 404 for an unknown model or for a policy that
 * no provider meets keeps its message, which is our own.
 */
export function inClear(error: unknown): unknown {
	if (error instanceof ProviderFailure) {
		return new RequestRefused(502, sentenceOf(error.code), error.code);
	}
	if (error instanceof RequestRefused && error.status !== 404) {
		const { status, code, retryAfterMs } = error;
		return new RequestRefused(status, sentenceOf(code), code, retryAfterMs === undefined ? {} : { retryAfterMs });
	}
	return error;
}

function sentenceOf(code: string): string {
	return SENTENCES[code] ?? OTHER;
}
