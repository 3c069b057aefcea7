import assert from 'node:assert/strict';
import type { ImageType } from '../../../../src/base/imageHeader.ts';
import { extensionOf, imageReference, readImage } from '../../../../src/chat/model/images.ts';
import { demoImage } from '../../../../src/service/inference/demo/demoImage.ts';

describe('an image', () => {
	it('is kept under the ending of its type', () => {
		assert.deepEqual(
			['image/jpeg', 'image/webp'].map(type => extensionOf(type as ImageType)),
			['jpg', 'webp'],
		);
	});

	it('is none without a size, or with more pixels than can be shown', () => {
		const sized = (width: number, height: number) => {
			const png = Buffer.from(demoImage('a fox'));
			png.writeUInt32BE(width, 16);
			png.writeUInt32BE(height, 20);
			return readImage(png);
		};
		assert.equal(sized(0, 256), undefined);
		assert.equal(sized(100_000, 100_000), undefined);
		assert.ok(sized(4_000, 4_000));
	});

	it('is referred to by an address that nothing in it can end', () => {
		assert.equal(imageReference('a fox', 'images/a-fox.png'), '![a fox](images/a-fox.png)');
		assert.equal(
			imageReference('a] [fox\\', '../my (new) 100%#1.png'),
			'![a\\] \\[fox\\\\](../my%20%28new%29%20100%25%231.png)',
		);
	});
});
