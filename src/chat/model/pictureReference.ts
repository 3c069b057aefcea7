/** Formats an image reference as Markdown. `place` is an address, or a path with slashes, relative to the text. */
export function pictureReference(alternative: string, place: string): string {
	const words = alternative.replace(/[\\[\]]/g, '\\$&');
	// Characters that could end the address or begin an escape are percent-encoded.
	const address = place.replace(/[%\s()<>\\#?]/g, character =>
		encodeURIComponent(character).replace(/[()]/g, escapeBracket),
	);
	return `![${words}](${address})`;
}

function escapeBracket(character: string): string {
	return character === '(' ? '%28' : '%29';
}
