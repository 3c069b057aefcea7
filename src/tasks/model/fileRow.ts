import { oneLine } from '../../base/plainText.ts';
import { isTestFile } from '../../base/testFile.ts';
import { type ChangedFile, type ChangeStatus, pathOf } from './changedFile.ts';

/** The words of a changed file's row, in the editor's language. */
export interface FileWords {
	status(status: ChangeStatus): string;
	/** Either number may be zero. */
	lines(added: number, removed: number): string;
	/** The same for screen readers. */
	spokenLines(added: number, removed: number): string;
	from(path: string): string;
	executable: string;
	notExecutable: string;
	binary: string;
	link: string;
	submodule: string;
	tooLarge: string;
	/** For a file that belongs to the tests. */
	test: string;
	unreadableName: string;
}

export interface FileRow {
	label: string;
	description: string;
	/** The text for screen readers, and the tooltip. */
	accessibleLabel: string;
	status: ChangeStatus;
}

const MAXIMUM_LABEL = 120;
const MAXIMUM_FOLDER = 160;

/**
 * Returns a file's row in a fixed order: its folder, its lines, its former name, and its kind. `isCounted` is true if the
 * lines are known.
 */
export function describeFile(file: ChangedFile, isCounted: boolean, words: FileWords): FileRow {
	const path = pathOf(file);
	const cut = path.lastIndexOf('/') + 1;
	const label = oneLine(path.slice(cut), MAXIMUM_LABEL);
	const folder = oneLine(path.slice(0, cut).replace(/\/$/, ''), MAXIMUM_FOLDER);
	const rest = [
		file.status === 'R' ? words.from(oneLine(file.before?.path ?? '', MAXIMUM_FOLDER)) : '',
		kindOf(file, isCounted, words),
		isTestFile(path) ? words.test : '',
		modeOf(file, words),
		file.hasUnreadableName ? words.unreadableName : '',
	];
	const counted = file.lines && file.lines.added + file.lines.removed > 0 ? file.lines : undefined;
	const shown = [folder, counted ? words.lines(counted.added, counted.removed) : '', ...rest];
	const spoken = [
		label,
		folder,
		words.status(file.status),
		counted ? words.spokenLines(counted.added, counted.removed) : '',
		...rest,
	];
	const isSomething = (part: string) => part !== '';
	return {
		label,
		description: shown.filter(isSomething).join(' · '),
		accessibleLabel: spoken.filter(isSomething).join(', '),
		status: file.status,
	};
}

/** Returns the kind of a file that is not compared line by line, or an empty text. */
export function kindOf(
	{ before, after, lines, isTooLarge }: ChangedFile,
	isCounted: boolean,
	words: FileWords,
): string {
	const kinds = [before?.kind, after?.kind];
	if (kinds.includes('submodule')) {
		return words.submodule;
	}
	if (kinds.includes('link')) {
		return words.link;
	}
	return lines !== undefined || !isCounted ? '' : isTooLarge ? words.tooLarge : words.binary;
}

/** Returns the change of a file's mode, or an empty text if there is none. */
export function modeOf({ before, after }: ChangedFile, words: FileWords): string {
	if (before?.kind === 'file' && after?.kind === 'executable') {
		return words.executable;
	}
	return before?.kind === 'executable' && after?.kind === 'file' ? words.notExecutable : '';
}
