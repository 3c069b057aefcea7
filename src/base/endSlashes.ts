/** Returns a text without the slashes at its end. Takes linear time, whatever number of slashes stands before them. */
export function withoutEndSlashes(text: string): string {
	let end = text.length;
	while (text[end - 1] === '/') {
		end--;
	}
	return text.slice(0, end);
}
