import assert from 'node:assert/strict';
import { extensionOf, readPicture } from '../../../../../src/chat/modes/model/picture.ts';
import { pictureReference } from '../../../../../src/chat/modes/model/pictureReference.ts';
import { demoImage } from '../../../../../src/service/inference/demo/demoImage.ts';

const bytes = (...parts: (string | number[])[]) =>
	Buffer.concat(parts.map(part => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))));

describe('a picture', () => {
	it('is what its bytes say, with its size', () => {
		assert.deepEqual(readPicture(demoImage('a fox')), { type: 'image/png', width: 256, height: 256 });
		assert.deepEqual(readPicture(bytes('GIF89a', [2, 0, 3, 0, 0, 0])), { type: 'image/gif', width: 2, height: 3 });
		const jpeg = bytes('\xff\xd8\xff\xe0', [0, 4, 1, 2], '\xff\xff\xc2', [0, 11, 8, 0, 9, 0, 7, 1, 1]);
		assert.deepEqual(readPicture(jpeg), { type: 'image/jpeg', width: 7, height: 9 });
		const riff = (form: string, rest: number[]) => bytes('RIFF\0\0\0\0WEBP', form, rest, Array(20).fill(0));
		assert.deepEqual(readPicture(riff('VP8 ', [0, 0, 0, 0, 0, 0, 0, 0x9d, 1, 0x2a, 5, 0, 6, 0])), {
			type: 'image/webp',
			width: 5,
			height: 6,
		});
		assert.deepEqual(readPicture(riff('VP8L', [0, 0, 0, 0, 0x2f, 4, 0x40, 1, 0])), {
			type: 'image/webp',
			width: 5,
			height: 6,
		});
		assert.deepEqual(readPicture(riff('VP8X', [0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 5, 0, 0])), {
			type: 'image/webp',
			width: 5,
			height: 6,
		});
		assert.equal(extensionOf('image/jpeg'), 'jpg');
	});

	it('is none where a page, a drawing with a script, or a beginning alone came', () => {
		for (const text of [
			'<html>',
			'<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>',
			'',
			'GIF89a',
			'\xff\xd8\xff',
		]) {
			assert.equal(readPicture(bytes(text)), undefined, text);
		}
		assert.equal(readPicture(demoImage('a fox').subarray(0, 20)), undefined);
		assert.equal(readPicture(bytes('\xff\xd8\xff\xe0', [0, 0], Array(40).fill(0))), undefined);
	});

	it('is none without a size, or with more pixels than can be shown', () => {
		const sized = (width: number, height: number) => {
			const png = Buffer.from(demoImage('a fox'));
			png.writeUInt32BE(width, 16);
			png.writeUInt32BE(height, 20);
			return readPicture(png);
		};
		assert.equal(sized(0, 256), undefined);
		assert.equal(sized(100_000, 100_000), undefined);
		assert.ok(sized(4_000, 4_000));
	});

	it('is referred to by an address that nothing in it can end', () => {
		assert.equal(pictureReference('a fox', 'images/a-fox.png'), '![a fox](images/a-fox.png)');
		assert.equal(
			pictureReference('a] [fox\\', '../my (new) 100%#1.png'),
			'![a\\] \\[fox\\\\](../my%20%28new%29%20100%25%231.png)',
		);
	});
});
