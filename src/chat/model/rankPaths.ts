/**
 * Returns at most `count` paths that contain the query's characters in order, best match first: a match in the name
 * before one in the folders, at the name's start before its middle, adjacent characters before scattered ones, short
 * paths before long ones.
 */
export function rankPaths(paths: readonly string[], query: string, count: number): string[] {
	const wanted = query.toLowerCase();
	const ranked: { path: string; score: number }[] = [];
	for (const path of paths) {
		const score = scoreOf(path.toLowerCase(), wanted);
		if (score !== undefined) {
			ranked.push({ path, score });
		}
	}
	ranked.sort((one, other) => one.score - other.score || (one.path < other.path ? -1 : 1));
	return ranked.slice(0, count).map(({ path }) => path);
}

function scoreOf(path: string, query: string): number | undefined {
	const name = path.slice(path.lastIndexOf('/') + 1);
	const length = path.length / 1_000;
	if (name.startsWith(query)) {
		return length;
	}
	if (name.includes(query)) {
		return 1 + length;
	}
	if (path.includes(query)) {
		return 2 + length;
	}
	if (isSubsequence(query, name)) {
		return 3 + length;
	}
	return isSubsequence(query, path) ? 4 + length : undefined;
}

function isSubsequence(query: string, text: string): boolean {
	let from = 0;
	for (const character of query) {
		const index = text.indexOf(character, from);
		if (index < 0) {
			return false;
		}
		from = index + character.length;
	}
	return true;
}
