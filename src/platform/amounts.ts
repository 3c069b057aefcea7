import * as vscode from 'vscode';
import type { KnownCost } from '../base/knownCost.ts';

/** Formats a cost without ever inventing an unknown number. */
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

/** A list has many numbers, and `toLocaleString` would create a format for each. */
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
		maximumSignificantDigits: cost > 0 && cost < TEN_CENTS ? 2 : undefined,
	});
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Returns a duration in the unit that a person would say. */
export function durationText(milliseconds: number): string {
	if (milliseconds < MINUTE) {
		return vscode.l10n.t('{0} s', Math.round(milliseconds / SECOND));
	}
	return milliseconds < HOUR
		? vscode.l10n.t('{0} min', Math.round(milliseconds / MINUTE))
		: vscode.l10n.t('{0} h', (milliseconds / HOUR).toLocaleString(vscode.env.language, { maximumFractionDigits: 1 }));
}

export function timeLimitText(seconds: number): string {
	return seconds % 60 === 0 ? vscode.l10n.t('{0} min at most', seconds / 60) : vscode.l10n.t('{0} s at most', seconds);
}

/** Says how many lines were added and removed; nothing of none. */
export function linesText(added: number, removed: number): string {
	const parts = [added > 0 ? `+${formatNumber(added)}` : '', removed > 0 ? `−${formatNumber(removed)}` : ''];
	return parts.filter(part => part !== '').join(' ');
}

export function changesText(added: number, removed: number, files: number): string {
	const lines = linesText(added, removed);
	if (lines === '') {
		return files === 1 ? vscode.l10n.t('1 file') : vscode.l10n.t('{0} files', formatNumber(files));
	}
	return files === 1
		? vscode.l10n.t('{0} in 1 file', lines)
		: vscode.l10n.t('{0} in {1} files', lines, formatNumber(files));
}
