/**
 * Selects all of a text field at once, for the keys that do so, and hides these keys from the editor. The editor would
 * select all once more a moment later: a letter typed meanwhile would then be selected, and replaced by the next one.
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
