import * as l10n from '@vscode/l10n';

/** Formats a duration in the unit a person would use, such as `1.2 s` or `3 min 5 s`. */
export function formatDuration(milliseconds: number, language: string): string {
	const seconds = Math.round(milliseconds / 100) / 10;
	if (seconds < 59.5) {
		const format = new Intl.NumberFormat(language, { maximumFractionDigits: seconds < 10 ? 1 : 0 });
		return l10n.t('{0} s', seconds < 0.1 ? `< ${format.format(0.1)}` : format.format(seconds));
	}
	const whole = Math.round(seconds);
	return l10n.t('{0} min {1} s', Math.floor(whole / 60), whole % 60);
}

/** Formats the time of day or, on another day, the date. */
export function formatMoment(moment: Date, now: Date, language: string): string {
	return moment.toDateString() === now.toDateString()
		? moment.toLocaleTimeString(language, { timeStyle: 'short' })
		: moment.toLocaleDateString(language, { dateStyle: 'medium' });
}

/**
 * Formats US dollars. Amounts below a dollar keep two significant digits, because most replies cost less than a cent.
 */
export function formatCost(usd: number, language: string): string {
	const isSmall = usd > 0 && usd < 1;
	return new Intl.NumberFormat(language, {
		style: 'currency',
		currency: 'USD',
		maximumSignificantDigits: isSmall ? 2 : undefined,
	}).format(usd);
}
