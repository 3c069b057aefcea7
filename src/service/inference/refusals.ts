// The reasons why the gateway does not serve a request, as sentences for the client.
import { defined } from '../../base/defined.ts';
import type { UpstreamProblem } from '../../base/errors.ts';
import { explainUpstream } from '../../base/explainFailure.ts';
import { RequestRefused } from '../replies.ts';
import type { ExcludedProvider } from './candidates.ts';
import type { ProviderFailure, ProviderFailureCode } from './provider.ts';

const MAXIMUM_NAMED = 20;

export interface TriedProvider {
	slug: string;
	failure: ProviderFailure;
}

/** A model may be missing because its server did not list it, so the servers that listed nothing are named. */
export function unknownModel(known: readonly string[], problems: readonly UpstreamProblem[]): RequestRefused {
	const upstreams = problems.slice(0, MAXIMUM_NAMED);
	const missing = upstreams.map(problem => ` ${explainUpstream(problem).cause}`);
	const message = `There is no such model here. There is ${listed(known)}.${missing.join('')}`;
	return new RequestRefused(404, message, 'model_not_found', { upstreams });
}

function listed(ids: readonly string[]): string {
	const shown = ids.slice(0, MAXIMUM_NAMED).map(id => `"${id}"`);
	const more = ids.length > shown.length ? ` and ${ids.length - shown.length} more` : '';
	return `${shown.join(', ')}${more}`;
}

/** contract: not shown. `taking` are the models that are known to accept images. */
export function noImages(asked: readonly string[], taking: readonly string[]): RequestRefused {
	const subject = asked.length === 1 ? `${listed(asked)} takes no images` : `none of ${listed(asked)} takes images`;
	const others = taking.length === 0 ? '' : `ask ${listed(taking)}, or `;
	const step = `${others}say "images": true of it where its server is named if it does`;
	return new RequestRefused(400, `messages: ${subject}; ${step}.`);
}

/** Names the providers that host the model, and the field that excludes each of them. */
export function noProvider(exclusions: readonly ExcludedProvider[]): RequestRefused {
	const fields = [...new Set(exclusions.map(({ by }) => by))];
	const isRouting = fields.some(field => field.startsWith('provider.'));
	const named = exclusions.slice(0, MAXIMUM_NAMED).map(({ slug, by, reason }) => {
		const field = fields.length > 1 ? ` (${by})` : '';
		return `"${slug}" ${reason}${field}`;
	});
	const message = `${fields.join(', ')}: it leaves no provider for this model: ${named.join('; ')}.`;
	return isRouting ? new RequestRefused(404, message, 'no_provider') : new RequestRefused(400, message);
}

export const STATUSES: Readonly<Record<ProviderFailureCode, number>> = {
	upstream_error: 502,
	rate_limited: 429,
	unavailable: 503,
	timeout: 504,
	unauthorized: 502,
	payment_required: 402,
	model_not_found: 502,
	invalid_request: 400,
};

/**
 * Names all providers that were tried and their errors. The status is that of the last failure, as nothing was left to
 * try after it.
 */
export function nobodyServed(tried: readonly TriedProvider[]): RequestRefused {
	const last = tried.at(-1)?.failure;
	const code = last?.code ?? 'unavailable';
	const status = STATUSES[code];
	const said = tried.map(({ slug, failure: { message, upstream } }) => (upstream ? message : `"${slug}": ${message}`));
	const waits = tried.flatMap(({ failure }) => failure.retryAfterMs ?? []);
	return new RequestRefused(status, said.join(' '), code, {
		upstreams: tried.flatMap(({ failure }) => failure.upstream ?? []),
		...defined({
			retryAfterMs: (status === 429 || status === 503) && waits.length > 0 ? Math.min(...waits) : undefined,
		}),
	});
}
