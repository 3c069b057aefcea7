/** The number of a commit's new files, and the folder with most of them. */
export interface NewFiles {
	count: number;
	/** The innermost folder that holds more than half of them, and how many it holds. Empty for the top folder. */
	folder: string;
	inFolder: number;
}

export function countNewFiles(names: readonly string[]): NewFiles {
	let folder = '';
	let inside = names;
	for (;;) {
		const groups = Map.groupBy(inside, name => name.slice(0, name.indexOf('/', folder.length) + 1));
		groups.delete('');
		const [largest, own = []] = [...groups].reduce<[string, string[]] | []>(
			(most, group) => (group[1].length > (most[1]?.length ?? 0) ? group : most),
			[],
		);
		if (largest === undefined || own.length * 2 <= names.length) {
			return { count: names.length, folder, inFolder: inside.length };
		}
		folder = largest;
		inside = own;
	}
}
