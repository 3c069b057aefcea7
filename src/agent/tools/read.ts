import { open } from 'node:fs/promises';
import * as z from 'zod';
import { dataUrl } from '../../base/dataUrl.ts';
import { imageTypeOf, readImageHeader } from '../../base/imageHeader.ts';
import { ToolFailure } from '../failures.ts';
import { fileSizeOf, type Place, placeIn } from './place.ts';
import { readText } from './textFile.ts';
import { defineTool, type ToolResult } from './tool.ts';

/** The number of lines that a result has at most, and by default. */
const MAXIMUM_LINES = 1_000;
const MAXIMUM_LINE = 2_000;
/** The maximum characters of one result, below the general limit, so that none is cut in the middle. */
const MAXIMUM_TEXT = 25_000;

/** The maximum size of an image in bytes. */
const MAXIMUM_IMAGE = 1_500_000;

/** The bytes by which the types of images differ. */
const HEAD = 12;

/** The maximum width and height of an image in pixels. Services refuse larger ones. */
const MAXIMUM_SIDE = 8_000;

export const read = defineTool({
	name: 'read',
	description: 'Reads an image, or numbered lines of a text file.',
	schema: z.object({
		path: z.string().min(1),
		from_line: z.int().min(0).default(1),
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
		if (from > lines.length) {
			return { text: `There is no line ${from}: the file has ${lines.length}.` };
		}
		const rest = next < lines.length ? `(The file has ${lines.length} lines. Read on from line ${next + 1}.)` : '';
		return { text: text + rest };
	},
});

/** Returns the lines to read. Some models count from 0, and ask for more lines than one result has. */
function linesIn({ from_line: from, lines: count }: { from_line: number; lines: number }) {
	return { from: Math.max(1, from), count: Math.min(count, MAXIMUM_LINES) };
}

/**
 * Reads an image file for the model; undefined for any other file. Throws a ToolFailure if the model cannot be shown it,
 * for which `imageProblem` gives the reason, or if services would refuse it.
 */
async function readImage(place: Place, imageProblem: () => string | undefined): Promise<ToolResult | undefined> {
	const { absolute, relative } = place;
	const size = await fileSizeOf(place);
	const file = await open(absolute);
	try {
		const head = Buffer.alloc(HEAD);
		await file.read(head, 0, HEAD, 0);
		if (imageTypeOf(head) === undefined) {
			return undefined;
		}
		const problem = size > MAXIMUM_IMAGE ? `It has ${size} bytes, and ${MAXIMUM_IMAGE} is the most.` : imageProblem();
		if (problem !== undefined) {
			throw new ToolFailure(`${relative} is an image. ${problem}`);
		}
		const bytes = await file.readFile();
		const found = readImageHeader(bytes);
		const sides = [found?.width ?? 0, found?.height ?? 0];
		if (found === undefined || Math.min(...sides) < 1 || Math.max(...sides) > MAXIMUM_SIDE) {
			throw new ToolFailure(
				`${relative} is an image that is damaged, or has a side of more than ${MAXIMUM_SIDE} pixels.`,
			);
		}
		return { text: `${relative}: ${found.type}, ${sides.join('×')}`, image: dataUrl(found.type, bytes) };
	} finally {
		await file.close();
	}
}
