const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Says how long ago a moment was, in the unit that a person would use. Anything older than a week becomes a date. */
export function ageText(moment: number, now: number, language: string): string {
	const age = Math.max(0, now - moment);
	if (age >= 7 * DAY) {
		return new Intl.DateTimeFormat(language, { dateStyle: 'medium' }).format(moment);
	}
	const format = new Intl.RelativeTimeFormat(language, { style: 'short', numeric: 'auto' });
	if (age < MINUTE) {
		return format.format(0, 'second');
	}
	if (age < HOUR) {
		return format.format(-Math.floor(age / MINUTE), 'minute');
	}
	return age < DAY ? format.format(-Math.floor(age / HOUR), 'hour') : format.format(-Math.floor(age / DAY), 'day');
}
