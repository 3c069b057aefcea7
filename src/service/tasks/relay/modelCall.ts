import type { UpstreamProblem } from '../../../base/errors.ts';
import { explainUpstream } from '../../../base/explainFailure.ts';
import { withoutWords } from '../../../contract/upstreamProblem.ts';
import { ProviderFailure } from '../../inference/provider.ts';
import { RequestRefused } from '../../replies.ts';
import { type ExecutionUse, knownCost } from '../../store/modelUseStore.ts';
import type { Measured } from './callMeter.ts';

/** A finished call of an agent for its model. It contains nothing of the request or the reply. */
export interface ModelCall extends Measured {
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

export function describeCall(call: ModelCall): string {
	const { model, provider, outcome, failure, seconds } = call;
	const who = provider === undefined ? model : `${model} by ${provider}`;
	const end = { whole: [], left: ['not read to its end'], failed: [`failed: ${failure}`] }[outcome];
	return `${who}: ${[...usedWords(call), `${seconds.toFixed(1)} s`, ...end].join(', ')}.`;
}

function usedWords({ inputTokens, outputTokens, isEstimated, cost }: Measured): string[] {
	const about = isEstimated ? 'about ' : '';
	return inputTokens + outputTokens === 0
		? []
		: [`${about}${inputTokens} tokens in, ${outputTokens} out`, costWords(cost)];
}

/** Returns a cost in US dollars as text, or says that it is not known. */
function costWords(cost: number | undefined): string {
	return cost === undefined ? 'cost not known' : `US$ ${cost.toFixed(4)}`;
}

/**
 * Describes, for the log of a task, the cost of an agent's run, the providers that served it, and the used part of its
 * limit. `use` covers all turns, `maxCost` is the limit in US dollars, and `settings` has the name of its setting.
 */
export function describeCost(
	use: readonly ExecutionUse[],
	{ turn, maxCost, settings }: { turn: number; maxCost: number | undefined; settings: { maxCost: string } },
): string {
	const run = use.filter(part => part.turn === turn);
	const earlier = use.filter(part => part.turn < turn);
	const lines =
		run.length === 0 ? ['No model was asked.'] : [`The models have cost ${sumOf(run)}:`, ...run.map(partOf)];
	if (maxCost !== undefined) {
		lines.push(limitOf(run, maxCost, settings.maxCost));
	}
	if (earlier.length > 0) {
		lines.push(`With the earlier turns, the task has cost ${sumOf(use)}.`);
	}
	return lines.join('\n');
}

/** A sum with unknown parts is a lower bound, and one without any known part says nothing. */
function sumOf(use: readonly ExecutionUse[]): string {
	const isWhole = use.every(({ cost }) => cost !== null);
	const cost = knownCost(use);
	const isEstimated = use.some(({ estimatedCalls }) => estimatedCalls > 0);
	if (isWhole) {
		return `${isEstimated ? 'about ' : ''}${costWords(cost)}`;
	}
	return cost > 0 ? `at least ${costWords(cost)}` : 'what is not known, as they have no price here';
}

function partOf({ model, provider, calls, failedCalls, estimatedCalls, ...amounts }: ExecutionUse): string {
	const { inputTokens, outputTokens, cost } = amounts;
	const who = provider === null ? `${model}, no provider known` : `${model} by ${provider}`;
	const times = [`${calls} ${calls === 1 ? 'call' : 'calls'}`, ...(failedCalls === 0 ? [] : [`${failedCalls} failed`])];
	const used = usedWords({ inputTokens, outputTokens, isEstimated: estimatedCalls > 0, cost: cost ?? undefined });
	return `${who}: ${[...times, ...used].join(', ')}.`;
}

function limitOf(run: readonly ExecutionUse[], maxCost: number, setting: string): string {
	const share = maxCost > 0 ? Math.round((knownCost(run) / maxCost) * 100) : 100;
	const used = `${share} % of the limit of US$ ${maxCost} (${setting}) is used`;
	return run.every(({ cost }) => cost !== null) ? `${used}.` : `${used}; it does not count models without a price.`;
}
