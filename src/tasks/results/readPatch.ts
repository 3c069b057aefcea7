import { cut } from '../../base/plainText.ts';
import { runGit } from '../../platform/gitCommand.ts';
import { type ChangedFile, pathOf } from '../model/changedFile.ts';
import { MAXIMUM_COMPARED } from './readChanges.ts';
import type { ResultChanges } from './taskChanges.ts';

/** The maximum length of a patch that is passed on, in UTF-16 code units. A model does not understand more. */
const MAXIMUM_PATCH = 200_000;

export interface Patch {
	text: string;
	/** True if the patch is only the beginning. */
	isCut: boolean;
}

/** A plumbing command ignores the user's configuration for diffs, and these options keep it from running programs. */
const HOW = ['-r', '-p', '--find-renames', '--no-textconv', '--no-ext-diff', '--no-color', '--ignore-submodules=none'];

/** Returns the changes of a result as a unified diff, with a list of the files before it. Rejects when git fails. */
export async function readPatch(changes: ResultChanges): Promise<Patch> {
	const diff = await diffOf(changes, []);
	const listed = changes.files.map(file => `${file.status} ${pathOf(file)}`).join('\n');
	return whole(`${listed}\n\n${diff}`);
}

/** Returns the changes of one of its files as a unified diff. Rejects when git fails. */
export async function readFilePatch(changes: ResultChanges, { before, after }: ChangedFile): Promise<Patch> {
	const names = new Set([before, after].flatMap(side => (side ? [`:(top,literal)${side.path}`] : [])));
	return whole(await diffOf(changes, [...names]));
}

function diffOf({ repository: { place }, base, tip }: ResultChanges, paths: readonly string[]): Promise<string> {
	const large = `core.bigFileThreshold=${MAXIMUM_COMPARED}`;
	return runGit(place.gitPath, place.directory, ['-c', large, 'diff-tree', ...HOW, base, tip, '--', ...paths]);
}

const whole = (text: string): Patch => ({ text: cut(text, MAXIMUM_PATCH), isCut: text.length > MAXIMUM_PATCH });
