import { cut } from '../../base/plainText.ts';
import { runGit } from '../../platform/gitCommand.ts';
import { MAXIMUM_COMPARED } from '../changes/readChanges.ts';
import type { ResultChanges } from '../changes/taskChanges.ts';
import { pathOf } from '../model/changedFile.ts';

/** The most text of a patch that is handed on, in UTF-16 code units. A model reads no more with understanding. */
const MAXIMUM_PATCH = 200_000;

export interface Patch {
	text: string;
	/** Only the beginning is there. */
	isCut: boolean;
}

/** Returns the changes of a result as a unified diff, with a list of the files before it. Rejects when git fails. */
export async function readPatch({ repository: { place }, base, tip, files }: ResultChanges): Promise<Patch> {
	// A plumbing command heeds no configuration of the user's for diffs, and these options keep it from running programs.
	const how = [
		'-r',
		'-p',
		'--find-renames',
		'--no-textconv',
		'--no-ext-diff',
		'--no-color',
		'--ignore-submodules=none',
	];
	const large = `core.bigFileThreshold=${MAXIMUM_COMPARED}`;
	const diff = await runGit(place.gitPath, place.directory, ['-c', large, 'diff-tree', ...how, base, tip, '--']);
	const listed = files.map(file => `${file.status} ${pathOf(file)}`).join('\n');
	const text = `${listed}\n\n${diff}`;
	return { text: cut(text, MAXIMUM_PATCH), isCut: text.length > MAXIMUM_PATCH };
}
