import type { UpstreamProblem } from '../../../base/errors.ts';
import { explainUpstream } from '../../../base/explainFailure.ts';
import { withoutWords } from '../../../contract/upstreamProblem.ts';
import { ProviderFailure } from '../../inference/provider.ts';
import { RequestRefused } from '../../replies.ts';
import type { Measured } from './callMeter.ts';

/** A finished call of an agent for its model. It contains nothing of the request or the reply. */
export interface ModelCall extends Measured {
	/** The id of the model that served the call. */
	model: string;
	/** The slug of the provider that served the call, or undefined if none did. */
	provider: string | undefined;
	/** `left` means that the agent did not read the reply to its end. */
	outcome: 'whole' | 'left' | 'failed';
	/** A phrase that says why, if the call failed. */
	failure: string | undefined;
	seconds: number;
}

/** Breaks off a reply because the budget of the run is spent. */
export class OverBudget extends ProviderFailure {
	constructor(sentence: string) {
		super('unavailable', sentence);
	}
}

/** Describes why a call failed, without content of its request or reply. */
export function failureWords(error: unknown): string {
	if (error instanceof OverBudget) {
		return 'it was broken off, as the limit of the cost is spent';
	}
	if (error instanceof RequestRefused) {
		// No provider serves the model. The gateway's own words name only models, providers and fields of the policy.
		return error.status === 404 ? error.message.replace(/\.$/, '') : wordsOf(error.code, error.upstreams);
	}
	return error instanceof ProviderFailure
		? wordsOf(error.code, error.upstream ? [error.upstream] : [])
		: 'the gateway failed';
}

/** Explains the failure without the server's own words, which may quote the request. The agent receives those. */
function wordsOf(code: string, upstreams: readonly UpstreamProblem[]): string {
	const causes = upstreams.map(problem => explainUpstream(withoutWords(problem)).cause.replace(/\.$/, ''));
	return causes.length === 0 ? `it was refused (${code})` : causes.join('; ');
}

/** Returns a line about the call for the log of a task. */
export function describeCall(call: ModelCall): string {
	const { model, provider, outcome, failure, inputTokens, outputTokens, isEstimated, cost, seconds } = call;
	const who = provider === undefined ? model : `${model} by ${provider}`;
	const about = isEstimated ? 'about ' : '';
	const used =
		inputTokens + outputTokens === 0 ? [] : [`${about}${inputTokens} tokens in, ${outputTokens} out`, costWords(cost)];
	const end = { whole: [], left: ['not read to its end'], failed: [`failed: ${failure}`] }[outcome];
	return `${who}: ${[...used, `${seconds.toFixed(1)} s`, ...end].join(', ')}.`;
}

/** Returns a cost in US dollars as text, or says that it is not known. */
export function costWords(cost: number | undefined): string {
	return cost === undefined ? 'cost not known' : `US$ ${cost.toFixed(4)}`;
}
