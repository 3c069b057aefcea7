import * as z from 'zod';
import { append } from '../../base/append.ts';
import { findLoosely, nearestLines, withoutNumbers, withPlainCharacters } from './looseText.ts';
import { addedText, type FilePatch, patchedText, readPatch } from './patch.ts';
import { isThere, placeIn } from './place.ts';
import { type FileChange, MAXIMUM_FILE, readText, shownChange, writeTexts } from './textFile.ts';
import { defineTool } from './tool.ts';
import { ToolFailure } from './toolFailure.ts';

const schema = z.object({
	path: z.string().min(1).optional(),
	old: z.string().min(1).optional(),
	new: z.string().optional(),
	replace_all: z.boolean().default(false),
	patch: z.string().min(1).optional(),
});
type Input = z.output<typeof schema>;

export const edit = defineTool({
	name: 'edit',
	description:
		'Changes text files. Give path, old and new: old stands in the file exactly once, with its indentation, unless replace_all. Or give patch: a unified diff of one or more files, applied as a whole or not at all.',
	schema,
	kind: 'edit',
	needsPermission: true,
	show: input => {
		const paths = editedPaths(input);
		return { title: `Edit ${paths.join(', ') || 'files'}`, paths };
	},
	preview: async (input, { folder }) => (await changesOf(input, folder)).flatMap(shownChange),
	async run(input, { folder }) {
		const changes = await changesOf(input, folder);
		await writeTexts(changes);
		const names = changes.map(({ place }) => place.relative).join(', ');
		const remarks = changes.map(({ remark }) => remark).join('');
		return {
			text: `${names} ${changes.length === 1 ? 'was' : 'were'} changed.${remarks}`,
			content: changes.flatMap(shownChange),
		};
	},
});

/** Returns the paths that the arguments of a call name, whether or not it can be made. */
export function editedPaths({ path, patch }: { path?: unknown; patch?: unknown }): string[] {
	const named = new Set(typeof patch === 'string' ? readPatch(patch).flatMap(file => file.path ?? []) : []);
	return typeof path === 'string' && named.size < 2 ? [path] : [...named];
}

/** A text after a change, and a note for the model about how its place was found. */
interface Changed {
	after: string;
	remark: string;
}

/** Returns what a call would do to each file. Throws a ToolFailure if a part of it could not be done. */
async function changesOf(
	{ path, old, new: replacement, replace_all: all, patch }: Input,
	folder: string,
): Promise<(FileChange & Changed)[]> {
	const isReplacement = path !== undefined && old !== undefined && replacement !== undefined && patch === undefined;
	if (!isReplacement && (patch === undefined || old !== undefined || replacement !== undefined)) {
		throw new ToolFailure('Give either old and new, or patch. With old and new, give path too.');
	}
	const changes: (FileChange & Changed)[] = [];
	if (isReplacement) {
		const place = await placeIn(folder, path);
		const before = await readText(place);
		changes.push({ place, before, ...replace(before, old, replacement, all, place.relative) });
	} else {
		append(changes, await patchChanges(readPatch(patch ?? ''), path, folder));
	}
	const same = changes.find(({ before, after }) => before === after);
	if (same !== undefined) {
		throw new ToolFailure(`That changes nothing in ${same.place.relative}.`);
	}
	return changes;
}

/** Returns the changes of a patch. `path` is the file of a patch of one file, whatever it names. */
async function patchChanges(
	files: readonly FilePatch[],
	path: string | undefined,
	folder: string,
): Promise<(FileChange & Changed)[]> {
	const changes = new Map<string, FileChange & Changed>();
	const names = new Set(files.map(file => file.path));
	for (const file of files) {
		const named = names.size === 1 ? (path ?? file.path) : file.path;
		if (named === undefined) {
			throw new ToolFailure('Give path, or name each file in the patch with a line "--- a/path" and one "+++ b/path".');
		}
		if (file.kind === 'delete' || file.kind === 'rename') {
			throw new ToolFailure(`A patch cannot ${file.kind} ${named}. Do that with run, and only the rest with a patch.`);
		}
		const place = await placeIn(folder, named);
		const earlier = changes.get(place.absolute);
		if (file.kind === 'add') {
			if (earlier !== undefined || (await isThere(place))) {
				throw new ToolFailure(`${place.relative} exists already, so it cannot be added. Change it instead.`);
			}
			changes.set(place.absolute, { place, before: null, after: addedText(file), remark: '' });
			continue;
		}
		const before = earlier === undefined ? await readText(place) : earlier.before;
		const { after, remark } = patchedText(earlier?.after ?? before ?? '', file, place.relative);
		changes.set(place.absolute, { place, before, after, remark: (earlier?.remark ?? '') + remark });
	}
	if (changes.size === 0) {
		throw new ToolFailure('The patch has no hunk. A hunk begins with a line such as "@@ -3,4 +3,5 @@".');
	}
	return [...changes.values()];
}

function replace(text: string, old: string, replacement: string, all: boolean, name: string): Changed {
	// Models write line feeds, whatever the file has.
	const isCrlf = text.includes('\r\n') && !old.includes('\r');
	const inFile = (given: string) => (isCrlf ? given.replaceAll('\n', '\r\n') : given);
	const count = text.split(inFile(old)).length - 1;
	if (count === 0) {
		return replaceLoosely(text, old, replacement, all, name);
	}
	if (count > 1 && !all) {
		throw new ToolFailure(
			`The old text stands in ${name} ${count} times. Give more of the lines around it, or set replace_all.`,
		);
	}
	const put = inFile(replacement);
	if (text.length + count * (put.length - inFile(old).length) > MAXIMUM_FILE) {
		throw new ToolFailure(`${name} would become too large.`);
	}
	return { after: text.split(inFile(old)).join(put), remark: '' };
}

/** Replaces a text that was copied with line numbers, or another indentation, if only one place can be meant. */
function replaceLoosely(text: string, old: string, replacement: string, all: boolean, name: string): Changed {
	const bare = withoutNumbers(old, replacement);
	if (bare !== undefined) {
		const { after, remark } = replace(text, bare.old, bare.put, all, name);
		return { after, remark: ` The line numbers are not part of the file and were left out.${remark}` };
	}
	const end = endOf(text);
	const lines = text.split(end);
	const found = findLoosely(lines, old, replacement);
	if (found === undefined) {
		const plain = withPlainCharacters(old, replacement);
		if (plain !== undefined) {
			const { after, remark } = replace(text, plain.old, plain.put, all, name);
			return { after, remark: ` The file has plain quotes, dashes and spaces, so new was given them too.${remark}` };
		}
		const nearest = nearestLines(lines, old.split(/\r?\n/));
		throw new ToolFailure(
			`The old text does not stand in ${name}.${nearest || ' '}Read the file again and copy the text exactly.`,
		);
	}
	const { start, count, lines: put } = found;
	return {
		after: lines
			.slice(0, start)
			.concat(put, lines.slice(start + count))
			.join(end),
		remark: ` The white space of old was not that of the file: lines ${start + 1} to ${start + count} were replaced, which alone fit, and new was indented like them.`,
	};
}

const endOf = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n');
