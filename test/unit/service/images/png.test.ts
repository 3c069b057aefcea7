import assert from 'node:assert/strict';
import { crc32, inflateSync } from 'node:zlib';
import { encodePng } from '../../../../src/service/images/png.ts';

/** The chunks of a PNG by name, each with its checksum seen to be right. */
function chunksOf(file: Buffer): Map<string, Buffer> {
	const chunks = new Map<string, Buffer>();
	for (let at = 8; at < file.length; ) {
		const length = file.readUInt32BE(at);
		const body = file.subarray(at + 4, at + 8 + length);
		assert.equal(file.readUInt32BE(at + 8 + length), crc32(body));
		chunks.set(body.toString('latin1', 0, 4), body.subarray(4));
		at += 12 + length;
	}
	return chunks;
}

describe('encodePng', () => {
	it('writes size, palette and rows as the format has them', () => {
		const file = encodePng(3, Uint8Array.from([0, 1, 0, 1, 1, 0]), [
			[255, 255, 255],
			[1, 2, 3],
		]);
		assert.equal(file.toString('hex', 0, 8), '89504e470d0a1a0a');
		const chunks = chunksOf(file);
		assert.deepEqual([...chunks.keys()], ['IHDR', 'PLTE', 'IDAT', 'IEND']);
		assert.equal(chunks.get('IHDR')?.toString('hex'), '00000003000000020803000000');
		assert.deepEqual([...(chunks.get('PLTE') ?? [])], [255, 255, 255, 1, 2, 3]);
		assert.deepEqual([...inflateSync(chunks.get('IDAT') ?? Buffer.alloc(0))], [0, 0, 1, 0, 0, 1, 1, 0]);
	});
});
