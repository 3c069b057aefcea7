import { lstat } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { append } from '../../base/append.ts';
import { ToolFailure } from '../failures.ts';
import { findLoosely, nearestLines, withoutNumbers, withPlainCharacters } from './looseText.ts';
import { addedText, type FilePatch, patchedText, readPatch } from './patch.ts';
import { isThere, notThere, type Place, placeIn } from './place.ts';
import { type FileChange, MAXIMUM_FILE, readText, shownChange, writeTexts } from './textFile.ts';
import { type CallDisplay, defineTool } from './tool.ts';

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
		'Changes files. Give path, old and new: old stands in the file exactly once, unless replace_all. Or give patch: a unified diff of one or more files, which may be new, renamed or deleted.',
	schema,
	kind: 'edit',
	needsPermission: true,
	show: input => ({ ...shownPatch(input), paths: editedPaths(input) }),
	preview: async (input, { folder }) => (await changesOf(input, folder)).flatMap(shownChange),
	async run(input, { folder }) {
		const changes = await changesOf(input, folder);
		await writeTexts(changes);
		const [gone, changed] = [true, false].map(isGone => changes.filter(({ after }) => (after === null) === isGone));
		const remarks = changes.map(({ remark }) => remark).join('');
		return {
			text: [...said(changed ?? [], 'changed'), ...said(gone ?? [], 'deleted')].join(' ') + remarks,
			content: changes.flatMap(shownChange),
		};
	},
});

function said(changes: readonly TextChange[], what: string): string[] {
	const names = changes.map(({ place }) => place.relative).join(', ');
	return names === '' ? [] : [`${names} ${changes.length === 1 ? 'was' : 'were'} ${what}.`];
}

/** Returns the paths that the arguments of a call name, whether or not it can be made. */
export function editedPaths({ path: given, patch }: { path?: unknown; patch?: unknown }): string[] {
	const files = typeof patch === 'string' ? readPatch(patch) : [];
	const named = new Set(files.flatMap(file => [file.path ?? [], file.to ?? []].flat()));
	return typeof given === 'string' && named.size < 2 ? [given] : [...named];
}

/** Returns what is shown of a call before it is made: the files that it changes, deletes and renames. */
function shownPatch(input: Input): Pick<CallDisplay, 'title' | 'kind'> {
	const files = readPatch(input.patch ?? '');
	const gone = files.filter(file => file.kind === 'delete').map(file => `delete ${file.path}`);
	const moved = files.flatMap(({ path: from, to }) => (to === undefined ? [] : [`move ${from} to ${to}`]));
	if (gone.length + moved.length === 0) {
		return { title: `Edit ${editedPaths(input).join(', ') || 'files'}` };
	}
	const changed = new Set(files.flatMap(({ path: named, to, kind }) => (kind === 'delete' || to ? [] : (named ?? []))));
	const title = [...(changed.size === 0 ? [] : [`edit ${[...changed].join(', ')}`]), ...moved, ...gone].join('; ');
	const kind = gone.length === files.length ? 'delete' : moved.length === files.length ? 'move' : undefined;
	return { title: title.charAt(0).toUpperCase() + title.slice(1), ...(kind && { kind }) };
}

/** A text after a change, and a note for the model about how its place was found. */
interface Changed {
	after: string;
	remark: string;
}

type TextChange = FileChange & Pick<Changed, 'remark'>;

/** Returns what a call would do to each file. Throws a ToolFailure if a part of it could not be done. */
async function changesOf(
	{ path, old, new: replacement, replace_all: all, patch }: Input,
	folder: string,
): Promise<TextChange[]> {
	const isReplacement = path !== undefined && old !== undefined && replacement !== undefined && patch === undefined;
	if (!isReplacement && (patch === undefined || old !== undefined || replacement !== undefined)) {
		throw new ToolFailure('Give either old and new, or patch. With old and new, give path too.');
	}
	const changes: TextChange[] = [];
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

/** Returns the changes of a patch. `given` is the file of a patch of one file, whatever it names. */
async function patchChanges(
	files: readonly FilePatch[],
	given: string | undefined,
	folder: string,
): Promise<TextChange[]> {
	const changes = new Map<string, TextChange>();
	const put = (change: TextChange) => changes.set(change.place.absolute, change);
	/** Returns the change that begins with a file as the patch has left it so far. */
	const changeAt = async (place: Place): Promise<TextChange> => {
		const earlier = changes.get(place.absolute);
		const before = earlier || !(await isThere(place)) ? null : await readText(place);
		return earlier ?? { place, before, after: before, remark: '' };
	};
	const names = new Set(files.map(file => file.path));
	for (const file of files) {
		const { kind, to } = file;
		const isGone = kind === 'delete' || to !== undefined;
		const named = names.size === 1 && !isGone ? (given ?? file.path) : file.path;
		if (named === undefined) {
			throw new ToolFailure('Give path, or name each file in the patch with a line "--- a/path" and one "+++ b/path".');
		}
		if (isGone && given !== undefined && given !== named) {
			throw new ToolFailure(`The patch would ${kind === 'delete' ? 'delete' : 'rename'} ${named}, not ${given}.`);
		}
		const place = await placeIn(folder, named);
		const change = await changeAt(place);
		if (kind === 'add') {
			checkFree(change);
			put({ ...change, after: addedText(file) });
			continue;
		}
		const { after: text } = change;
		if (text === null) {
			throw notThere(place);
		}
		const isWhole = isGone && file.hunks.length === 0;
		const { after, remark } = isWhole ? { after: text, remark: '' } : patchedText(text, file, place.relative);
		if (!isGone) {
			put({ ...change, after, remark: change.remark + remark });
			continue;
		}
		await checkNoLink(folder, named);
		if (kind === 'delete' && !isWhole && after !== '') {
			throw new ToolFailure(`The patch would delete ${named}, but leaves lines of it. Read the file again.`);
		}
		const mode = change.before === null ? change.mode : (await lstat(place.absolute)).mode & 0o777;
		put({ ...change, after: null, mode });
		if (to !== undefined) {
			const target = await changeAt(await placeIn(folder, to));
			checkFree(target);
			put({ ...target, after, remark, mode: target.mode ?? mode });
		}
	}
	const kept = [...changes.values()].filter(({ before, after }) => before !== null || after !== null);
	if (kept.length === 0) {
		throw new ToolFailure('The patch has no hunk. A hunk begins with a line such as "@@ -3,4 +3,5 @@".');
	}
	return kept;
}

/** Throws a ToolFailure if there is a file already. */
function checkFree({ place, after }: FileChange): void {
	if (after !== null) {
		throw new ToolFailure(`${place.relative} exists already, so it cannot be added. Change it instead.`);
	}
}

/** Throws a ToolFailure for a link: what is deleted or renamed would be the file that it leads to. */
async function checkNoLink(folder: string, named: string): Promise<void> {
	const status = await lstat(path.resolve(folder, named)).catch(() => undefined);
	if (status?.isSymbolicLink()) {
		throw new ToolFailure(`${named} is a link, which a patch cannot delete or rename. Do that with run.`);
	}
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
