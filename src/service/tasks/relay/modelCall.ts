import { ProviderFailure, type ProviderFailureCode } from '../../inference/provider.ts';
import { RequestRefused } from '../../replies.ts';
import type { Measured } from './callMeter.ts';

/** One call of an agent for its model, after its end. It holds nothing of the request or the reply. */
export interface ModelCall extends Measured {
	/** The id of the model that served. */
	model: string;
	/** The slug of the provider that served. Undefined if none did. */
	provider: string | undefined;
	/** `left`: the agent did not read the reply to its end. */
	outcome: 'whole' | 'left' | 'failed';
	/** A phrase, if the call failed. */
	failure: string | undefined;
	seconds: number;
}

/** A reply is broken off in its middle, as the budget of the run is spent. */
export class OverBudget extends ProviderFailure {
	constructor(sentence: string) {
		super('unavailable', sentence);
	}
}

/** The words of a provider are left out: they may quote the request. The agent gets them. */
const PHRASES: Readonly<Record<ProviderFailureCode, string>> = {
	upstream_error: 'the provider failed',
	rate_limited: 'the provider takes no more requests for now',
	unavailable: 'the provider cannot be reached or is not ready',
	timeout: 'the provider did not answer in time',
	unauthorized: 'the provider refuses its key',
	payment_required: 'the provider wants to be paid first',
	model_not_found: 'the provider does not know the model',
	invalid_request: 'the request was refused as invalid',
};

/** Describes why a call failed, without anything of its request or reply. */
export function failureWords(error: unknown): string {
	if (error instanceof RequestRefused) {
		// Nobody serves the model, which the gateway says in words of its own: models, providers and fields of the policy.
		return error.status === 404 ? error.message.replace(/\.$/, '') : phraseOf(error.code);
	}
	if (error instanceof OverBudget) {
		return 'it was broken off, as the limit of the cost is spent';
	}
	return error instanceof ProviderFailure ? phraseOf(error.code) : 'the gateway failed';
}

function phraseOf(code: string): string {
	return Object.hasOwn(PHRASES, code) ? PHRASES[code as ProviderFailureCode] : `it was refused (${code})`;
}

/** Returns a line for the log of a task. */
export function describeCall(call: ModelCall): string {
	const { model, provider, outcome, failure, inputTokens, outputTokens, isEstimated, cost, seconds } = call;
	const who = provider === undefined ? model : `${model} by ${provider}`;
	const about = isEstimated ? 'about ' : '';
	const used =
		inputTokens + outputTokens === 0 ? [] : [`${about}${inputTokens} tokens in, ${outputTokens} out`, costWords(cost)];
	const end = { whole: [], left: ['not read to its end'], failed: [`failed: ${failure}`] }[outcome];
	return `${who}: ${[...used, `${seconds.toFixed(1)} s`, ...end].join(', ')}.`;
}

/** Writes a cost in US dollars, or says that it is not known. */
export function costWords(cost: number | undefined): string {
	return cost === undefined ? 'cost not known' : `US$ ${cost.toFixed(4)}`;
}
