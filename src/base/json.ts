/** Returns undefined for a text that is not JSON. The parser's own error would quote the text, which no log may hold. */
export function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

/**
 * Whether the arrays and objects of a JSON value are nested more than `levels` deep. It does not recurse, so it works
 * at any depth.
 */
export function isDeeperThan(value: unknown, levels: number): boolean {
	let level = [value];
	for (let depth = 0; depth <= levels; depth++) {
		level = level.flatMap(entry => (typeof entry === 'object' && entry !== null ? Object.values(entry) : []));
	}
	return level.length > 0;
}
