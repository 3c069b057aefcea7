import * as vscode from 'vscode';

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
