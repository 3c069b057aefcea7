import * as z from 'zod';
import { readImage } from './imageFile.ts';
import { placeIn } from './place.ts';
import { readText } from './textFile.ts';
import { defineTool } from './tool.ts';

/** The number of lines that a result has at most, and by default. */
const MAXIMUM_LINES = 1_000;
const MAXIMUM_LINE = 2_000;
/** The maximum characters of one result, below the general limit, so that none is cut in the middle. */
const MAXIMUM_TEXT = 25_000;

export const read = defineTool({
	name: 'read',
	description: 'Reads an image, or a text file with line numbers. Give from_line and lines for a part.',
	schema: z.object({
		path: z.string().min(1),
		from_line: z.int().min(0).default(1).describe('Counted from 1'),
		lines: z.int().min(1).default(MAXIMUM_LINES),
	}),
	kind: 'read',
	needsPermission: false,
	show({ path, ...wanted }) {
		const { from, count } = linesIn(wanted);
		return {
			title: `Read ${path}${from === 1 && count === MAXIMUM_LINES ? '' : `:${from}-${from + count - 1}`}`,
			paths: [path],
		};
	},
	async run({ path, ...wanted }, { folder, imageProblem }) {
		const { from, count } = linesIn(wanted);
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

/** Returns the lines to read. Some models count from 0, and ask for more lines than one result has. */
function linesIn({ from_line: from, lines: count }: { from_line: number; lines: number }) {
	return { from: Math.max(1, from), count: Math.min(count, MAXIMUM_LINES) };
}
