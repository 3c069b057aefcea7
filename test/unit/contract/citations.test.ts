import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type Annotation, annotationSchema } from '../../../src/contract/chatReply.ts';
import { placeCitations } from '../../../src/contract/citations.ts';

const citation = (start?: unknown, end?: unknown, rest: object = {}): Annotation =>
	annotationSchema.parse({ type: 'url_citation', url_citation: { start_index: start, end_index: end, ...rest } });
const rangeOf = (text: string, start?: unknown, end?: unknown) =>
	placeCitations(text, [citation(start, end)])[0]?.range;

describe('placeCitations', () => {
	it('gives source and place of each citation', () => {
		const rest = { url: 'https://a.example/', title: 'A', content: 'An excerpt.' };
		assert.deepEqual(placeCitations('Look here.', [citation(5, 9, rest)]), [
			{ url: 'https://a.example/', title: 'A', excerpt: 'An excerpt.', range: { start: 5, end: 9 } },
		]);
	});

	for (const [what, text, start, end, range] of [
		['runs past the text', 'abc', 1, 99, { start: 1, end: 3 }],
		['begins before it', 'abc', -5, 2, { start: 0, end: 2 }],
		['is a place behind the last character', 'abc', 3, 3, { start: 3, end: 3 }],
		['has one position only', 'abc', undefined, 2, { start: 2, end: 2 }],
		['has the other position only', 'abc', 1, null, { start: 1, end: 1 }],
		['has parts of a character', 'abc', 0.9, 2.9, { start: 0, end: 2 }],
		['begins inside a character', 'a😀b', 2, 4, { start: 1, end: 4 }],
		['ends inside a character', 'a😀b', 0, 2, { start: 0, end: 3 }],
		['lies inside a character', 'a😀b', 2, 2, { start: 1, end: 1 }],
		['stands before half a character', 'a\uDE00b', 1, 2, { start: 1, end: 2 }],
		['lies behind the text', 'abc', 4, 9, undefined],
		['lies before the text', 'abc', -9, -1, undefined],
		['ends before it begins', 'abc', 2, 1, undefined],
		['has no position', 'abc', undefined, 'None', undefined],
		['has words for positions', 'abc', '1', '2', undefined],
	] as const) {
		it(`places one that ${what}`, () => {
			assert.deepEqual(rangeOf(text, start, end), range);
		});
	}

	it('keeps every citation in its order, those without place or source too', () => {
		const annotations = [
			citation(9, 10, { url: 'third' }),
			citation(undefined, undefined, { url: 'nowhere' }),
			annotationSchema.parse({ type: 'other', file: 1 }),
			citation(0, 1, { url: 'first' }),
		];
		assert.deepEqual(
			placeCitations('0123456789', annotations).map(({ url }) => url),
			['third', 'nowhere', undefined, 'first'],
		);
	});

	it('never splits a character, whatever the positions', () => {
		const text = fc.string({ unit: 'binary' });
		fc.assert(
			fc.property(text, fc.integer(), fc.integer(), fc.double(), (written, start, end, part) => {
				for (const range of [
					rangeOf(written, start, end),
					rangeOf(written, part, end),
					rangeOf(written, 0, start % 9),
				]) {
					if (range) {
						assert.ok(range.start >= 0 && range.start <= range.end && range.end <= written.length);
						for (const position of [range.start, range.end]) {
							assert.ok(written.slice(0, position).isWellFormed());
							assert.ok(written.slice(position).isWellFormed());
						}
					}
				}
			}),
		);
	});
});
