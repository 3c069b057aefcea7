import { GitError } from '../../base/gitError.ts';
import { cut } from '../../base/plainText.ts';
import type { GitPlace } from '../../platform/git.ts';
import { FIND_RENAMES, listDifference, prepareGit, type ReadingGit, runGit } from '../../platform/gitCommand.ts';
import { type ChangedFile, pathOf, readChangedFiles } from '../model/changedFile.ts';

/** The maximum size of a file that is compared line by line, in bytes. */
export const MAXIMUM_COMPARED = 8 * 1024 * 1024;
const THRESHOLD = `core.bigFileThreshold=${MAXIMUM_COMPARED}`;

/** Only files that were moved unchanged count as renamed. Git reads no content to find these. */
const EXACT_RENAMES = ['--find-renames=100%'];

/** Matches git's message about content that a partial clone has left on its remote. Errand does not fetch it. */
const LACKS_CONTENT = /promisor remote|unable to read/;

/** Otherwise the `.gitmodules` of the working tree could hide that a submodule has changed. */
const SUBMODULES = '--ignore-submodules=none';

/** Only a plumbing command is used, which ignores the user's configuration for diffs and runs nothing. */
const COUNTING = [
	'diff-tree',
	'-r',
	'-z',
	'--raw',
	'--numstat',
	...FIND_RENAMES,
	SUBMODULES,
	'--no-textconv',
	'--no-ext-diff',
];

/**
 * Lists the files that differ between two commits with their lines, sorted by path as git does. Rejects when git fails.
 */
export async function listChangedFiles(
	{ gitPath, directory }: GitPlace,
	base: string,
	tip: string,
): Promise<ChangedFile[]> {
	const git = await prepareGit(gitPath, directory);
	const output = await git(['-c', THRESHOLD, ...COUNTING, base, tip, '--'], { encoding: 'latin1' });
	const files = readChangedFiles(output);
	await markLarge(git, files);
	return files;
}

/** Git counts neither the lines of a large file nor those of a file that is not text. */
async function markLarge(git: ReadingGit, files: readonly ChangedFile[]): Promise<void> {
	const uncounted = files.filter(({ lines }) => lines === undefined);
	const versions = uncounted.flatMap(file => [file.before, file.after].flatMap(side => (side ? [{ file, side }] : [])));
	const sizes = await readSizes(
		git,
		versions.map(({ side }) => side.object),
	);
	for (const { file, side } of versions) {
		if ((sizes.get(side.object) ?? 0) > MAXIMUM_COMPARED) {
			file.isTooLarge = true;
		}
	}
}

/** Returns the sizes of files in bytes, by their objects. Anything else, and what is missing, is left out. */
export async function readSizes(git: ReadingGit, objects: readonly string[]): Promise<Map<string, number>> {
	const how = ['cat-file', '--batch-check=%(objectname) %(objecttype) %(objectsize)'];
	const listed = objects.length === 0 ? '' : await git(how, asInput(objects));
	const lines = listed.split('\n').map(line => line.split(' '));
	return new Map(lines.flatMap(([object = '', type, size]) => (type === 'blob' ? [[object, Number(size)]] : [])));
}

const asInput = (objects: readonly string[]) => ({
	input: objects.map(object => `${object}\n`).join(''),
	encoding: 'latin1' as const,
});

/**
 * Lists the files without their lines, for which git would have to read all of them. `start` and `tip` are commits or
 * full names of references; the merge base of both is compared with the tip. Rejects when git fails, or if there are
 * several merge bases.
 */
export async function listChangedNames(
	{ gitPath, directory }: GitPlace,
	start: string,
	tip: string,
): Promise<ChangedFile[]> {
	const list = (renames: readonly string[]) => listDifference(gitPath, directory, [...renames, SUBMODULES], start, tip);
	const output = await list(FIND_RENAMES).catch((error: unknown) => {
		if (error instanceof GitError && LACKS_CONTENT.test(error.stderr)) {
			return list(EXACT_RENAMES);
		}
		throw error;
	});
	return readChangedFiles(output);
}

/** An object as it was read: its content, or its size in bytes if it is too large. */
export type ReadObject = { content: Buffer } | { tooLarge: number };

/** The maximum output of one git process, in bytes. */
const MAXIMUM_BATCH = 32 * 1024 * 1024;

/**
 * Reads many files as git has stored them, with few processes, however many files there are. Returns them by their
 * names, which must be git's own; what is missing is left out. Rejects when git fails.
 */
export async function readObjects(
	git: ReadingGit,
	objects: readonly string[],
	maximumBytes: number,
): Promise<Map<string, ReadObject>> {
	const sizes = await readSizes(git, objects);
	const read = new Map<string, ReadObject>();
	const batches: string[][] = [];
	let bytes = Number.POSITIVE_INFINITY;
	for (const [object, size] of sizes) {
		if (size > maximumBytes) {
			read.set(object, { tooLarge: size });
			continue;
		}
		bytes += size;
		if (bytes > MAXIMUM_BATCH) {
			batches.push([]);
			bytes = size;
		}
		batches.at(-1)?.push(object);
	}
	for (const batch of batches) {
		const output = await git(['cat-file', '--batch'], asInput(batch));
		let next = 0;
		for (const object of batch) {
			// A line with name, type and size comes before each content, and a line feed after it.
			const start = output.indexOf('\n', next) + 1;
			const end = start + (sizes.get(object) ?? 0);
			read.set(object, { content: Buffer.from(output.slice(start, end), 'latin1') });
			next = end + 1;
		}
	}
	return read;
}

/** The maximum length of a patch that is passed on, in UTF-16 code units. A model does not understand more. */
const MAXIMUM_PATCH = 200_000;

interface Patch {
	text: string;
	/** True if the patch is only the beginning. */
	isCut: boolean;
}

/** The files that differ between two commits. */
interface Difference {
	repository: { place: GitPlace };
	base: string;
	tip: string;
	files: readonly ChangedFile[];
}

/** A plumbing command ignores the user's configuration for diffs, and these options keep it from running programs. */
const HOW = ['-r', '-p', '--find-renames', '--no-textconv', '--no-ext-diff', '--no-color', '--ignore-submodules=none'];

/** Returns the changes of a result as a unified diff, with a list of the files before it. Rejects when git fails. */
export async function readPatch(changes: Difference): Promise<Patch> {
	const diff = await diffOf(changes, []);
	const listed = changes.files.map(file => `${file.status} ${pathOf(file)}`).join('\n');
	return whole(`${listed}\n\n${diff}`);
}

/** Returns the changes of one of its files as a unified diff. Rejects when git fails. */
export async function readFilePatch(changes: Difference, { before, after }: ChangedFile): Promise<Patch> {
	const names = new Set([before, after].flatMap(side => (side ? [`:(top,literal)${side.path}`] : [])));
	return whole(await diffOf(changes, [...names]));
}

function diffOf({ repository: { place }, base, tip }: Difference, paths: readonly string[]): Promise<string> {
	return runGit(place.gitPath, place.directory, ['-c', THRESHOLD, 'diff-tree', ...HOW, base, tip, '--', ...paths]);
}

const whole = (text: string): Patch => ({ text: cut(text, MAXIMUM_PATCH), isCut: text.length > MAXIMUM_PATCH });
