/** Finds a name that a tree has twice, such as a file and a folder. git would silently drop one of them. */
export function findTwice(names: readonly string[]): string | undefined {
	const seen = new Set<string>();
	const folders = new Set<string>();
	for (const name of names) {
		if (seen.has(name)) {
			return name;
		}
		seen.add(name);
		let end = name.lastIndexOf('/');
		while (end > 0 && !folders.has(name.slice(0, end))) {
			folders.add(name.slice(0, end));
			end = name.lastIndexOf('/', end - 1);
		}
	}
	return names.find(name => folders.has(name));
}
