import { defined } from '../../base/defined.ts';
import type { ToolDiff } from './events.ts';

const ELLIPSIS = '…';

/**
 * Shortens a text to at most `maximum` UTF-16 code units, the last of which is then an ellipsis. A shortened text is a
 * copy: a slice would keep the whole text in memory for as long as it is referenced.
 */
export function cutText(text: string, maximum: number): string {
	return text.length <= maximum ? text : `${Buffer.from(text.slice(0, maximum - 1)).toString()}${ELLIPSIS}`;
}

/**
 * Shortens both sides of a change to at most `maximum` UTF-16 code units each. Common lines are removed first, so that
 * the differences remain for whoever is asked about it.
 */
export function cutDiff({ oldText, newText }: Pick<ToolDiff, 'oldText' | 'newText'>, maximum: number) {
	const fits = (...sides: readonly string[]) => sides.every(side => side.length <= maximum);
	if (fits(oldText ?? '', newText)) {
		return { ...defined({ oldText }), newText };
	}
	const [before, after] = oldText === undefined ? [undefined, newText] : withoutCommonLines(oldText, newText);
	return {
		...defined({ oldText: before === undefined ? undefined : cutText(before, maximum) }),
		newText: cutText(after, maximum),
		...defined({ isCut: fits(before ?? '', after) ? undefined : (true as const) }),
	};
}

/** Removes the lines that both texts have in common at the beginning and at the end. */
function withoutCommonLines(one: string, other: string): [string, string] {
	const shortest = Math.min(one.length, other.length);
	let start = 0;
	while (start < shortest && one.charCodeAt(start) === other.charCodeAt(start)) {
		start++;
	}
	start = start === 0 ? 0 : one.lastIndexOf('\n', start - 1) + 1;
	let end = 0;
	while (end < shortest - start && one.charCodeAt(one.length - 1 - end) === other.charCodeAt(other.length - 1 - end)) {
		end++;
	}
	const lineEnd = one.indexOf('\n', one.length - end);
	end = lineEnd < 0 ? 0 : one.length - lineEnd - 1;
	return [copied(one.slice(start, one.length - end)), copied(other.slice(start, other.length - end))];
}

/** A slice would keep the whole text in memory. */
function copied(text: string): string {
	return Buffer.from(text).toString();
}
