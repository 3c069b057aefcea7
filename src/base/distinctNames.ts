/**
 * Returns a name for each candidate, distinct from the others where possible. Each candidate lists its name and then
 * details that may distinguish it from others of the same name: the first that does is used, and a number if none does.
 */
export function distinctNames(candidates: readonly (readonly string[])[]): string[] {
	const names = candidates.map(([name = '']) => name);
	const depth = Math.max(0, ...candidates.map(parts => parts.length));
	for (let part = 1; part < depth; part++) {
		for (const group of sameOf(names)) {
			const more = group.map(at => candidates[at]?.[part] ?? '');
			if (new Set(more).size > 1) {
				for (const [index, at] of group.entries()) {
					names[at] = joined(names[at] ?? '', more[index] ?? '');
				}
			}
		}
	}
	for (const group of sameOf(names)) {
		for (const [index, at] of group.entries()) {
			names[at] = joined(names[at] ?? '', String(index + 1));
		}
	}
	return names;
}

function joined(name: string, more: string): string {
	return name === '' || more === '' ? name || more : `${name} (${more})`;
}

/** Returns the groups of positions that share a name; names that occur once are left out. */
function sameOf(names: readonly string[]): number[][] {
	const places = Map.groupBy(names.keys(), at => names[at] ?? '');
	return [...places.values()].filter(group => group.length > 1);
}
