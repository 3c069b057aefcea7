import type { StepDiff } from './agentWork.ts';

/**
 * Returns the content of a file after exactly the changes that were shown, in their order. `text` is undefined if the
 * file does not exist. Returns undefined if the changes do not apply, because they were made for other content.
 */
export function editedText(
	text: string | undefined,
	changes: readonly Pick<StepDiff, 'before' | 'after'>[],
): string | undefined {
	let edited = text;
	// Git may give the agent other line endings than those in the repository.
	const isConverted = text !== undefined && !text.includes('\r');
	const kept = (part: string) => (isConverted ? part.replaceAll('\r\n', '\n') : part);
	for (const [index, change] of changes.entries()) {
		const before = change.before === undefined ? undefined : kept(change.before);
		const after = kept(change.after);
		if (before === undefined) {
			if (edited !== undefined || index > 0) {
				return undefined;
			}
			edited = after;
		} else if (edited === before || (edited === undefined && before === '')) {
			// Some agents show a file that does not exist as an empty one.
			edited = after;
		} else {
			const at = edited === undefined || before === '' ? -1 : edited.indexOf(before);
			// If the text occurs more than once, the change does not say which occurrence it replaces.
			if (edited === undefined || at < 0 || edited.indexOf(before, at + 1) >= 0) {
				return undefined;
			}
			edited = edited.slice(0, at) + after + edited.slice(at + before.length);
		}
	}
	return edited;
}
