/** Returns the length of the longest run of backticks in a text. */
export function longestRun(text: string): number {
	let longest = 0;
	for (const [run] of text.matchAll(/`+/g)) {
		longest = Math.max(longest, run.length);
	}
	return longest;
}

/** Returns a code fence longer than any run of backticks in the text, so that the text cannot end the block. */
export function fenceOf(text: string): string {
	return '`'.repeat(Math.max(3, longestRun(text) + 1));
}
