/**
 * Returns a name for each of several, unlike the others where possible. `candidates` are, for each, its name and what may
 * tell it from others of the same name, the first that does counts; where nothing does, a number is added.
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

/** Returns the positions of those that have the same name, for each name that several have. */
function sameOf(names: readonly string[]): number[][] {
	const places = Map.groupBy(names.keys(), at => names[at] ?? '');
	return [...places.values()].filter(group => group.length > 1);
}
