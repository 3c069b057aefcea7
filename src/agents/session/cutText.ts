const ELLIPSIS = '…';

/**
 * Shortens a text to at most `maximum` UTF-16 code units, the last of which is then an ellipsis. A shortened text is a
 * copy: a slice would keep the whole text in memory for as long as it is referenced.
 */
export function cutText(text: string, maximum: number): string {
	return text.length <= maximum ? text : `${Buffer.from(text.slice(0, maximum - 1)).toString()}${ELLIPSIS}`;
}
