/** The milliseconds for which the editor waits for the second key of a chord. */
const CHORD_TIME = 5_000;

const hasModifier = (event: KeyboardEvent): boolean =>
	navigator.platform.startsWith('Mac') ? event.metaKey : event.ctrlKey;

const isWith = (event: KeyboardEvent, key: string): boolean =>
	event.key.toLowerCase() === key && hasModifier(event) && !event.shiftKey && !event.altKey;

/**
 * Selects all of a text field at once, for the keys that do so, and hides these keys from the editor. The editor would
 * select all once more a moment later: a letter typed meanwhile would then be selected, and replaced by the next one.
 */
export function selectAllAtOnce(event: KeyboardEvent): void {
	const [field] = event.composedPath();
	if (isWith(event, 'a') && field instanceof HTMLTextAreaElement) {
		event.preventDefault();
		event.stopPropagation();
		field.select();
	}
}

/**
 * Returns a listener that keeps the second key of a chord, such as Ctrl+K A, out of the text: the editor hears all keys
 * of the page, but the page would type the letter as well.
 */
export function chordListener(): (event: KeyboardEvent) => void {
	let start = Number.NEGATIVE_INFINITY;
	return event => {
		if (['Control', 'Meta', 'Shift', 'Alt'].includes(event.key)) {
			return;
		}
		const isSecond = event.timeStamp - start < CHORD_TIME;
		start = !isSecond && isWith(event, 'k') ? event.timeStamp : Number.NEGATIVE_INFINITY;
		if (isSecond && event.key.length === 1 && !hasModifier(event)) {
			event.preventDefault();
		}
	};
}
