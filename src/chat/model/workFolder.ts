import { isWithin } from '../../base/filePlace.ts';

/**
 * Returns which of a window's folders an agent works in: the one that it has worked in before in the conversation, as long as
 * that is open, so that a look at another file moves no work. Otherwise it is the one of the active editor, or the first.
 * `before` is the top folder of the repository of that work.
 */
export function workFolder(
	folders: readonly string[],
	active: string | undefined,
	before: string | undefined,
): string | undefined {
	const isOfWork = (folder: string) => before !== undefined && (folder === before || isWithin(before, folder));
	const known = folders.filter(isOfWork);
	const candidates = known.length > 0 ? known : folders;
	return candidates.find(folder => folder === active) ?? candidates[0];
}
