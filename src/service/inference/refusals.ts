// Why the gateway does not serve a request, in sentences for whoever sent it.
import { RequestRefused } from '../replies.ts';
import type { Exclusion } from './candidates.ts';
import type { ProviderFailure, ProviderFailureCode } from './provider.ts';

const MAXIMUM_NAMED = 20;

export interface TriedProvider {
	slug: string;
	failure: ProviderFailure;
}

export function unknownModel(known: readonly string[]): RequestRefused {
	const shown = known.slice(0, MAXIMUM_NAMED).map(id => `"${id}"`);
	const more = known.length > shown.length ? ` and ${known.length - shown.length} more` : '';
	return new RequestRefused(
		404,
		`There is no such model here. There is ${shown.join(', ')}${more}.`,
		'model_not_found',
	);
}

/** Names who hosts the model and what keeps each of them out. */
export function noProvider(exclusions: readonly Exclusion[]): RequestRefused {
	const fields = [...new Set(exclusions.map(({ by }) => by))];
	const isRouting = fields.some(field => field.startsWith('provider.'));
	const named = exclusions.slice(0, MAXIMUM_NAMED).map(({ slug, by, reason }) => {
		const field = fields.length > 1 ? ` (${by})` : '';
		return `"${slug}" ${reason}${field}`;
	});
	const message = `${fields.join(', ')}: it leaves no provider for this model: ${named.join('; ')}.`;
	return isRouting ? new RequestRefused(404, message, 'no_provider') : new RequestRefused(400, message);
}

const STATUS: Readonly<Record<ProviderFailureCode, number>> = {
	upstream_error: 502,
	rate_limited: 429,
	unavailable: 503,
	timeout: 504,
	unauthorized: 502,
	model_not_found: 502,
	invalid_request: 400,
	cut: 502,
};

/** Names everybody who was tried and what each said. The last one's kind is the reply's: nothing else was left to try. */
export function nobodyServed(tried: readonly TriedProvider[]): RequestRefused {
	const last = tried.at(-1)?.failure;
	const code = last?.code ?? 'unavailable';
	const status = STATUS[code];
	const said = tried.map(({ slug, failure }) => `"${slug}": ${failure.message.replace(/\.$/, '')}`);
	const waits = tried.flatMap(({ failure }) => failure.retryAfterMs ?? []);
	return new RequestRefused(status, `${said.join('; ')}.`, code, {
		...((status === 429 || status === 503) && waits.length > 0 ? { retryAfterMs: Math.min(...waits) } : {}),
	});
}
