import * as vscode from 'vscode';
import { oneLine } from '../../base/plainText.ts';
import { costText, dollars, formatNumber } from '../../platform/amounts.ts';
import { costOf, percentOf, servedBy, type Usage } from '../model/modelUse.ts';

/** The maximum number of models, and of providers for each, in one line. */
const MAXIMUM_NAMED = 3;
const MAXIMUM_NAME = 60;

/** Returns the tokens that the agent's models have read and written, their cost, and its share of the limit. */
export function usageText(usage: Usage = {}): string {
	const { inputTokens, outputTokens, budget } = usage;
	const cost = costOf(usage);
	const parts = [
		inputTokens === undefined ? undefined : vscode.l10n.t('{0} tokens in', formatNumber(inputTokens)),
		outputTokens === undefined ? undefined : vscode.l10n.t('{0} out', formatNumber(outputTokens)),
		cost && costText(cost),
		budget && budgetText(budget),
	];
	return parts.filter(part => part !== undefined).join(', ');
}

function budgetText(budget: NonNullable<Usage['budget']>): string {
	const [percent, limit] = [formatNumber(percentOf(budget)), dollars(budget.limit)];
	if (budget.atLeast === true && budget.spent === 0) {
		return vscode.l10n.t('not counted toward the limit of {0}', limit);
	}
	return budget.atLeast === true
		? vscode.l10n.t('at least {0} % of the limit of {1}', percent, limit)
		: vscode.l10n.t('{0} % of the limit of {1}', percent, limit);
}

/** Returns the models that have answered, with their providers, or undefined if they are not known. */
export function servedText({ models = [] }: Usage = {}): string | undefined {
	const served = servedBy(models).map(({ model, providers }) => {
		const shown = oneLine(model, MAXIMUM_NAME);
		const by = providers.map(provider => oneLine(provider, MAXIMUM_NAME));
		return by.length === 0 ? shown : vscode.l10n.t('{0} by {1}', shown, named(by, ' + '));
	});
	return served.length === 0 ? undefined : named(served, ', ');
}

function named(names: readonly string[], separator: string): string {
	const others = names.length - MAXIMUM_NAMED;
	const more = others > 0 ? [vscode.l10n.t('{0} more', formatNumber(others))] : [];
	return [...names.slice(0, MAXIMUM_NAMED), ...more].join(separator);
}
