import assert from 'node:assert/strict';
import { IMAGES_PATH, ImageShelf } from '../../../../src/service/images/imageShelf.ts';

const image = (size: number) => ({ bytes: new Uint8Array(size), contentType: 'image/png' });
const nameOf = (path: string) => path.slice(IMAGES_PATH.length);

describe('ImageShelf', () => {
	it('gives an image under the name that it got, and nothing under another', () => {
		const shelf = new ImageShelf();
		const stored = image(1);
		const path = shelf.put(stored);
		assert.ok(path.startsWith(IMAGES_PATH));
		assert.equal(shelf.get(nameOf(path)), stored);
		assert.equal(shelf.get(`${nameOf(path).slice(0, -1)}~`), undefined);
		assert.equal(shelf.get(''), undefined);
	});

	it('gives names of 256 random bits', () => {
		const shelf = new ImageShelf();
		const names = new Set(Array.from({ length: 50 }, () => nameOf(shelf.put(image(1)))));
		assert.equal(names.size, 50);
		for (const name of names) {
			assert.match(name, /^[\w-]{43}$/);
		}
	});

	it('lets the oldest go when there are too many', () => {
		const shelf = new ImageShelf({ images: 2, bytes: 100 });
		const [one = '', two = '', three = ''] = [1, 1, 1].map(size => nameOf(shelf.put(image(size))));
		assert.deepEqual(
			[one, two, three].map(name => shelf.get(name) !== undefined),
			[false, true, true],
		);
	});

	it('lets the oldest go when they are too large, and never keeps one that is too large by itself', () => {
		const shelf = new ImageShelf({ images: 10, bytes: 10 });
		const [one = '', two = '', three = ''] = [6, 4, 1].map(size => nameOf(shelf.put(image(size))));
		assert.deepEqual(
			[one, two, three].map(name => shelf.get(name) !== undefined),
			[false, true, true],
		);
		const large = nameOf(shelf.put(image(11)));
		assert.deepEqual(
			[two, three, large].map(name => shelf.get(name)),
			[undefined, undefined, undefined],
		);
		assert.notEqual(shelf.get(nameOf(shelf.put(image(10)))), undefined);
	});
});
