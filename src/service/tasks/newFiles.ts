import { listed } from './taskNames.ts';

/** The number of a commit's new files, and the folder with most of them. */
export interface NewFiles {
	count: number;
	/** The innermost folder that holds more than half of them, and how many it holds. Empty for the top folder. */
	folder: string;
	inFolder: number;
}

/** Counts new files by folder. */
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

/** Returns a sentence that says how many new files there are, and suggests what git should ignore. */
export function newFilesText({ count, folder, inFolder }: NewFiles): string {
	const [most, what] =
		folder === '' ? ['', 'what need not be kept'] : [`, ${inFolder} of them in ${listed([folder])}`, 'that folder'];
	return `The agent made ${count} new files${most}. If they do not belong to the branch, ask it to name ${what} in .gitignore.`;
}
