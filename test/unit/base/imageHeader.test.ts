import assert from 'node:assert/strict';
import { readImageHeader } from '../../../src/base/imageHeader.ts';
import { demoImage } from '../../../src/service/inference/demo/demoImage.ts';

const bytes = (...parts: (string | number[])[]) =>
	Buffer.concat(parts.map(part => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))));

describe('the header of an image', () => {
	it('is what its bytes say, with its size', () => {
		assert.deepEqual(readImageHeader(demoImage('a fox')), { type: 'image/png', width: 256, height: 256 });
		assert.deepEqual(readImageHeader(bytes('GIF89a', [2, 0, 3, 0, 0, 0])), {
			type: 'image/gif',
			width: 2,
			height: 3,
		});
		const jpeg = bytes('\xff\xd8\xff\xe0', [0, 4, 1, 2], '\xff\xff\xc2', [0, 11, 8, 0, 9, 0, 7, 1, 1]);
		assert.deepEqual(readImageHeader(jpeg), { type: 'image/jpeg', width: 7, height: 9 });
		const riff = (form: string, rest: number[]) => bytes('RIFF\0\0\0\0WEBP', form, rest, Array(20).fill(0));
		assert.deepEqual(readImageHeader(riff('VP8 ', [0, 0, 0, 0, 0, 0, 0, 0x9d, 1, 0x2a, 5, 0, 6, 0])), {
			type: 'image/webp',
			width: 5,
			height: 6,
		});
		assert.deepEqual(readImageHeader(riff('VP8L', [0, 0, 0, 0, 0x2f, 4, 0x40, 1, 0])), {
			type: 'image/webp',
			width: 5,
			height: 6,
		});
		assert.deepEqual(readImageHeader(riff('VP8X', [0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 5, 0, 0])), {
			type: 'image/webp',
			width: 5,
			height: 6,
		});
	});

	it('is none where a page, a drawing with a script, or a beginning alone came', () => {
		for (const text of [
			'<html>',
			'<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>',
			'',
			'GIF89a',
			'\xff\xd8\xff',
		]) {
			assert.equal(readImageHeader(bytes(text)), undefined, text);
		}
		assert.equal(readImageHeader(demoImage('a fox').subarray(0, 20)), undefined);
		assert.equal(readImageHeader(bytes('\xff\xd8\xff\xe0', [0, 0], Array(40).fill(0))), undefined);
	});
});
