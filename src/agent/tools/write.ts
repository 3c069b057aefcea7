import * as z from 'zod';
import { fileSizeOf, isThere, placeIn } from './place.ts';
import { type FileChange, readText, shownChange, writeTexts } from './textFile.ts';
import { defineTool } from './tool.ts';

export const write = defineTool({
	name: 'write',
	description: 'Writes a whole file with its folders. To change a part, use edit.',
	schema: z.object({
		path: z.string().min(1),
		content: z.string(),
	}),
	kind: 'edit',
	needsPermission: true,
	show: ({ path: named }) => ({ title: `Write ${named}`, paths: [named] }),
	preview: async ({ path: named, content }, { folder }) => shownChange(await changeOf(named, content, folder)),
	async run({ path: named, content }, { folder }) {
		const change = await changeOf(named, content, folder);
		await writeTexts([change]);
		return { text: `${change.place.relative} was written.`, content: shownChange(change) };
	},
});

async function changeOf(named: string, after: string, folder: string): Promise<FileChange> {
	const place = await placeIn(folder, named);
	const isNew = !(await isThere(place));
	if (!isNew) {
		await fileSizeOf(place);
	}
	// The existing file may not be text. It is replaced all the same, and only the new text is shown then.
	return { place, before: isNew ? null : await readText(place).catch(() => ''), after };
}
