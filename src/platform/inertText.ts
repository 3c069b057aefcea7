import { showHidden } from '../base/invisible.ts';

/**
 * Returns the text without links and hidden characters. In notifications (also those with progress) and in the line
 * below an input box, the editor draws `[label](command:…)` as a link that runs the command, so a sentence that repeats
 * foreign text must not contain one.
 */
export function inertText(text: string): string {
	return showHidden(text.replaceAll('](', '] ('));
}
