import { type ExecutionUse, knownCost } from '../store/modelUseStore.ts';
import { costWords } from './relay/modelCall.ts';
import type { CostSettings } from './relay/taskGateway.ts';
import type { RunModels } from './runServices.ts';

/**
 * Describes, for the log of a task, the cost of an agent's run, the providers that served it, and the used part of its
 * limit. `use` covers all turns, and `maxCost` is the limit in US dollars.
 */
export function describeCost(
	use: readonly ExecutionUse[],
	{ turn, maxCost, settings }: { turn: number } & Pick<RunModels, 'maxCost' | 'settings'>,
): string {
	const run = use.filter(part => part.turn === turn);
	const earlier = use.filter(part => part.turn < turn);
	const lines =
		run.length === 0 ? ['No model was asked.'] : [`The models have cost ${sumOf(run)}:`, ...run.map(partOf)];
	if (maxCost !== undefined) {
		lines.push(limitOf(run, maxCost, settings));
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
	const about = estimatedCalls === 0 ? '' : 'about ';
	const used =
		inputTokens + outputTokens === 0
			? []
			: [`${about}${inputTokens} tokens in, ${outputTokens} out`, costWords(cost ?? undefined)];
	return `${who}: ${[...times, ...used].join(', ')}.`;
}

function limitOf(run: readonly ExecutionUse[], maxCost: number, settings: CostSettings): string {
	const share = maxCost > 0 ? Math.round((knownCost(run) / maxCost) * 100) : 100;
	const used = `${share} % of the limit of US$ ${maxCost} (${settings.maxCost}) is used`;
	return run.every(({ cost }) => cost !== null) ? `${used}.` : `${used}; it does not count models without a price.`;
}
