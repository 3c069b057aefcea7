/** Returns the calendar month of a time in the time zone of this machine, in the form `2026-11`. */
export function monthOf(time: number): string {
	const date = new Date(time);
	return `${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, '0')}`;
}
