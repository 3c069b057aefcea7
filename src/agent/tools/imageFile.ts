import { open } from 'node:fs/promises';
import { dataUrl } from '../../base/dataUrl.ts';
import { imageTypeOf, readImageHeader } from '../../base/imageHeader.ts';
import { MAXIMUM_IMAGE } from '../limits.ts';
import { fileSizeOf, type Place } from './place.ts';
import type { ToolResult } from './tool.ts';
import { ToolFailure } from './toolFailure.ts';

/** The bytes by which the types of images differ. */
const HEAD = 12;

/** The maximum width and height of an image in pixels. Services refuse larger ones. */
const MAXIMUM_SIDE = 8_000;

/**
 * Reads an image file for the model; undefined for any other file. Throws a ToolFailure if the model cannot be shown it,
 * for which `imageProblem` gives the reason, or if services would refuse it.
 */
export async function readImage(place: Place, imageProblem: () => string | undefined): Promise<ToolResult | undefined> {
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
