import * as z from 'zod';
import { applyPatch } from './patch.ts';
import { placeIn } from './place.ts';
import { type FileChange, MAXIMUM_FILE, readText, shownChange, writeText } from './textFile.ts';
import { defineTool, ToolFailure } from './tool.ts';

const schema = z.object({
	path: z.string().min(1).describe('The file, from the working folder'),
	old: z.string().min(1).optional().describe('The text to replace, exactly as it stands in the file'),
	new: z.string().optional().describe('The text in its place'),
	replace_all: z.boolean().default(false),
	patch: z.string().min(1).optional().describe('Hunks of a unified diff, in place of old and new'),
});

export const edit = defineTool({
	name: 'edit',
	description:
		'Changes a part of a text file. Give old and new: old must stand in the file exactly once, with its indentation, unless replace_all is set. Or give patch: the hunks of a unified diff for this one file.',
	schema,
	kind: 'edit',
	needsPermission: true,
	show: ({ path }) => ({ title: `Edit ${path}`, paths: [path] }),
	preview: async (input, { folder }) => shownChange(await changeOf(input, folder)),
	async run(input, { folder }) {
		const change = await changeOf(input, folder);
		await writeText(change.place, change.after);
		return { text: `${change.place.relative} was changed.`, content: shownChange(change) };
	},
});

async function changeOf(
	{ path, old, new: replacement, replace_all: all, patch }: z.output<typeof schema>,
	folder: string,
): Promise<FileChange> {
	const place = await placeIn(folder, path);
	const before = await readText(place);
	let after: string;
	if (old !== undefined && replacement !== undefined && patch === undefined) {
		after = replace(before, old, replacement, all, place.relative);
	} else if (patch !== undefined && old === undefined && replacement === undefined) {
		after = applyPatch(before, patch, place.relative);
	} else {
		throw new ToolFailure('Give either old and new, or patch.');
	}
	if (after === before) {
		throw new ToolFailure(`That changes nothing in ${place.relative}.`);
	}
	return { place, before, after };
}

function replace(text: string, old: string, replacement: string, all: boolean, name: string): string {
	// A model writes line feeds, whatever the file has.
	const inFile = text.includes('\r\n') && !old.includes('\r') ? old.replaceAll('\n', '\r\n') : old;
	const put = inFile === old ? replacement : replacement.replaceAll('\n', '\r\n');
	const count = text.split(inFile).length - 1;
	if (count === 0) {
		throw new ToolFailure(`The old text does not stand in ${name}. Read the file again and copy the text exactly.`);
	}
	if (count > 1 && !all) {
		throw new ToolFailure(
			`The old text stands in ${name} ${count} times. Give more of the lines around it, or set replace_all.`,
		);
	}
	if (text.length + count * (put.length - inFile.length) > MAXIMUM_FILE) {
		throw new ToolFailure(`${name} would become too large.`);
	}
	return text.split(inFile).join(put);
}
