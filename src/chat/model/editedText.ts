import type { StepDiff } from './agentWork.ts';

/**
 * Returns what a file becomes by exactly the changes that were shown, in their order. `text` is undefined where there is no
 * such file. Returns undefined where the changes do not say it, because the file is not the one that they show.
 */
export function editedText(
	text: string | undefined,
	changes: readonly Pick<StepDiff, 'before' | 'after'>[],
): string | undefined {
	let edited = text;
	// Git may give the agent other line ends than it keeps.
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
			// Some agents show a file that is not there as an empty one.
			edited = after;
		} else {
			const at = edited === undefined || before === '' ? -1 : edited.indexOf(before);
			// A part that stands in the file more than once does not say which of them is meant.
			if (edited === undefined || at < 0 || edited.indexOf(before, at + 1) >= 0) {
				return undefined;
			}
			edited = edited.slice(0, at) + after + edited.slice(at + before.length);
		}
	}
	return edited;
}
