import * as vscode from 'vscode';
import type { KnownCost } from '../base/knownCost.ts';

/** Tells a cost, and never a number that is not known. */
export function costText(cost: KnownCost): string {
	switch (cost.known) {
		case 'whole':
			return cost.isEstimated ? vscode.l10n.t('about {0}', dollars(cost.dollars)) : dollars(cost.dollars);
		case 'part':
			return vscode.l10n.t('at least {0}', dollars(cost.dollars));
		case 'nothing':
			return vscode.l10n.t('cost not known');
	}
}

/** A list has many numbers, and `toLocaleString` would make a format for each. */
const numbers = new Intl.NumberFormat(vscode.env.language);

/** Formats a number in the editor's language, with its separators. */
export const formatNumber = (value: number | bigint): string => numbers.format(value);

const TEN_CENTS = 0.1;

/** Formats US dollars. Amounts below ten cents keep two significant digits. */
export function dollars(cost: number): string {
	return cost.toLocaleString(vscode.env.language, {
		style: 'currency',
		currency: 'USD',
		currencyDisplay: 'narrowSymbol',
		...(cost > 0 && cost < TEN_CENTS ? { maximumSignificantDigits: 2 } : {}),
	});
}
