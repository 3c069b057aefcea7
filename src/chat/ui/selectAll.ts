/**
 * Selects all of a text field at once, for the keys that do so. The editor does it once more a moment after it has heard
 * of them: a letter that was typed meanwhile would be selected then, and lost with the next one. So it does not hear of
 * them.
 */
export function selectAllAtOnce(event: KeyboardEvent): void {
	const [field] = event.composedPath();
	const hasModifier = navigator.platform.startsWith('Mac') ? event.metaKey : event.ctrlKey;
	const isKey = event.key.toLowerCase() === 'a' && hasModifier && !event.shiftKey && !event.altKey;
	if (isKey && field instanceof HTMLTextAreaElement) {
		event.preventDefault();
		event.stopPropagation();
		field.select();
	}
}
