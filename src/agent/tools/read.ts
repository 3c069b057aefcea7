import * as z from 'zod';
import { readImage } from './imageFile.ts';
import { placeIn } from './place.ts';
import { readText } from './textFile.ts';
import { defineTool } from './tool.ts';

const DEFAULT_LINES = 1_000;
const MAXIMUM_LINE = 2_000;
/** The maximum characters of one result, below the general limit, so that none is cut in the middle. */
const MAXIMUM_TEXT = 25_000;

export const read = defineTool({
	name: 'read',
	description:
		'Reads an image, or a text file with numbers of its lines. Give from_line and lines for a part of a long one.',
	schema: z.object({
		path: z.string().min(1),
		from_line: z.int().min(1).default(1),
		lines: z.int().min(1).max(DEFAULT_LINES).default(DEFAULT_LINES),
	}),
	kind: 'read',
	needsPermission: false,
	show: ({ path, from_line: from, lines }) => ({
		title: `Read ${path}${from === 1 && lines === DEFAULT_LINES ? '' : `:${from}-${from + lines - 1}`}`,
		paths: [path],
	}),
	async run({ path, from_line: from, lines: count }, { folder, imageProblem }) {
		const place = await placeIn(folder, path);
		const image = await readImage(place, imageProblem);
		if (image !== undefined) {
			return image;
		}
		const lines = (await readText(place)).split('\n');
		if (lines.at(-1) === '') {
			lines.pop();
		}
		let text = '';
		let next = from - 1;
		for (; next < lines.length && next < from - 1 + count; next++) {
			const line = lines[next] ?? '';
			const shown = line.length > MAXIMUM_LINE ? `${line.slice(0, MAXIMUM_LINE).toWellFormed()} […]` : line;
			const numbered = `${String(next + 1).padStart(5)}\t${shown}\n`;
			if (text.length + numbered.length > MAXIMUM_TEXT) {
				break;
			}
			text += numbered;
		}
		if (lines.length === 0) {
			return { text: 'The file is empty.' };
		}
		const rest = next < lines.length ? `(The file has ${lines.length} lines. Read on from line ${next + 1}.)` : '';
		return { text: text + rest };
	},
});
