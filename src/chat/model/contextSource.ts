// Where context comes from. A source is small and names a place; what it says is read when the message is sent.
import * as z from 'zod';
import { PICTURE_TYPES } from '../../base/pictureHeader.ts';
import { PICTURE_FILE } from './picture.ts';

const position = z.object({ line: z.int().nonnegative(), character: z.int().nonnegative() });
const uri = z.string();
const pixels = z.int().positive();

export const attachedImageSchema = z.object({
	file: z.string().regex(PICTURE_FILE),
	type: z.enum(PICTURE_TYPES),
	width: pixels,
	height: pixels,
	bytes: z.int().positive(),
});

/** Also what the workspace's state keeps of the chips that were not sent yet. URIs are strings, positions count from 0. */
export const contextSourceSchema = z.discriminatedUnion('kind', [
	z.object({ kind: z.literal('selection'), uri, range: z.object({ start: position, end: position }) }),
	z.object({ kind: z.literal('file'), uri }),
	z.object({ kind: z.literal('folder'), uri }),
	/** Of one file, or, where lines are given, those that touch them; otherwise of all. */
	z.object({
		kind: z.literal('problems'),
		uri: uri.exactOptional(),
		lines: z.object({ first: z.int().nonnegative(), last: z.int().nonnegative() }).exactOptional(),
	}),
	/** `uri` is the root of the repository. */
	z.object({ kind: z.literal('diff'), uri }),
	/** What can be read only once is in the source itself. */
	z.object({ kind: z.literal('terminal'), label: z.string(), text: z.string() }),
	z.object({ kind: z.literal('text'), label: z.string(), text: z.string() }),
	/** Kept as it was when it was added; `uri` and `path` say where, if it has a place. */
	z.object({
		kind: z.literal('image'),
		label: z.string(),
		image: attachedImageSchema,
		uri: uri.exactOptional(),
		path: z.string().exactOptional(),
	}),
]);
export type ContextSource = z.output<typeof contextSourceSchema>;

/** Two sources with the same key are one chip. */
export function sourceKey(source: ContextSource): string {
	if (source.kind === 'image') {
		return `image ${source.image.file}`;
	}
	return JSON.stringify(
		source,
		Object.keys(source).sort().concat('start', 'end', 'line', 'character', 'first', 'last'),
	);
}
