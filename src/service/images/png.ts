import { crc32, deflateSync } from 'node:zlib';
import { PNG_SIGNATURE } from '../../base/imageHeader.ts';

const SIGNATURE = Buffer.from(PNG_SIGNATURE, 'latin1');
const BIT_DEPTH = 8;
const INDEXED_COLOUR = 3;

export type Colour = readonly [red: number, green: number, blue: number];

/**
 * Encodes a PNG with `width` columns. Each byte of `pixels`, row by row, is an index into the palette of at most 256
 * colours.
 */
export function encodePng(width: number, pixels: Uint8Array, palette: readonly Colour[]): Buffer<ArrayBuffer> {
	const height = pixels.length / width;
	const header = Buffer.alloc(13);
	header.writeUInt32BE(width, 0);
	header.writeUInt32BE(height, 4);
	header.set([BIT_DEPTH, INDEXED_COLOUR], 8);
	// Each row begins with its filter type, which is 0 for none.
	const rows = Buffer.alloc(height * (width + 1));
	for (let row = 0; row < height; row++) {
		rows.set(pixels.subarray(row * width, (row + 1) * width), row * (width + 1) + 1);
	}
	return Buffer.concat([
		SIGNATURE,
		chunk('IHDR', header),
		chunk('PLTE', Buffer.from(palette.flat())),
		chunk('IDAT', deflateSync(rows)),
		chunk('IEND', Buffer.alloc(0)),
	]);
}

function chunk(name: string, data: Buffer): Buffer {
	const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
	const frame = Buffer.alloc(body.length + 8);
	frame.writeUInt32BE(data.length, 0);
	frame.set(body, 4);
	frame.writeUInt32BE(crc32(body), body.length + 4);
	return frame;
}
