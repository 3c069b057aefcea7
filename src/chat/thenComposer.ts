import { goesToEditor } from '../platform/editorUse.ts';
import type { PickerEnd } from './policy/policyPickers.ts';

/**
 * Runs what asks in lists, after which the editor gives the keyboard to no webview: the composer has it back, unless the
 * user or a choice has gone elsewhere.
 */
export async function thenComposer(run: () => PromiseLike<PickerEnd>, focusComposer: () => void): Promise<void> {
	let end: PickerEnd;
	const hasGone = await goesToEditor(async () => {
		end = await run();
	});
	if (end !== 'elsewhere' && !hasGone) {
		focusComposer();
	}
}
