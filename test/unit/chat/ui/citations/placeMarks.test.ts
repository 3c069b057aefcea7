import assert from 'node:assert/strict';
import fc from 'fast-check';
import { countVisible, placeMarks } from '../../../../../src/chat/ui/citations/placeMarks.ts';
import { createMarkdown } from '../../../../../src/chat/ui/markdown.ts';

const markdown = createMarkdown();
const render = (text: string) => markdown.render(text);

/** The visible text without white space, with the marks in it. */
function shown(text: string, ...positions: number[]): string {
	const marks = positions.map((position, index) => ({ position, number: index + 1, start: 0 }));
	const visible = render(text)
		.replace(/<[^>]*>|\s+/g, '')
		.replaceAll('&quot;', '"')
		.replaceAll('&lt;', '<')
		.replaceAll('&amp;', '&');
	return placeMarks(text, marks, render).marks.reduceRight(
		(result, mark) => `${result.slice(0, mark.visible)}[${mark.number}]${result.slice(mark.visible)}`,
		visible,
	);
}

describe('the marks of a reply’s sources', () => {
	it('stand behind what they were put behind', () => {
		assert.equal(shown('One. Two.', 4, 9), 'One.[1]Two.[2]');
		assert.equal(shown('a < b & "c" d', 11), 'a<b&"c"[1]d');
		assert.equal(shown('- one\n- two\n', 5), 'one[1]two');
		assert.equal(shown('| a | b |\n|---|---|\n| c | d |\n', 23), 'abc[1]d');
	});

	it('move out of delimiters, addresses and other syntax', () => {
		const bold = 'It **is so.** Yes.';
		for (const position of [3, 4, 12, 13]) {
			assert.match(shown(bold, position), /^It(?:\[1\])?is(?:\[1\])?so\.(?:\[1\])?Yes\.$/, String(position));
		}
		assert.equal(shown(bold, 13), 'Itisso.[1]Yes.');
		assert.equal(shown('See [the page](https://a.example/x) now.', 20), 'Seethepage[1]now.');
		assert.equal(shown('See https://a.example/x now.', 12), 'Seehttps://a.example/x[1]now.');
		assert.equal(shown('# Title\n\nText', 1), '[1]TitleText');
	});

	it('stand once at one place for one source, in order', () => {
		const place = (text: string, ...marks: [number, number][]) =>
			placeMarks(
				text,
				marks.map(([position, number]) => ({ position, number, start: 0 })),
				render,
			).marks.map(({ visible, number }) => [visible, number]);
		assert.deepEqual(place('One. Two.', [9, 1], [4, 2], [4, 2], [4, 1]), [
			[4, 1],
			[4, 2],
			[8, 1],
		]);
	});

	it('know where what they cite begins, behind the syntax before its first word', () => {
		const begin = (text: string, start: number, position = text.length) =>
			placeMarks(text, [{ start, position, number: 1 }], render).marks[0]?.start;
		assert.equal(begin('One. **Two** is so.', 5), 4);
		assert.equal(begin('# Title\n\n- It is so.', 0), 0);
		assert.equal(begin('# Title\n\n- It is so.', 9), 5);
		assert.equal(begin('See [the page](https://a.example/x) now.', 20), undefined);
	});

	it('stand nowhere inside a tag, such as in the language of a code block', () => {
		for (const positions of [[4, 5], [4], [5, 6]]) {
			const marks = positions.map((position, index) => ({ position, number: index + 1, start: 0 }));
			const { marks: placed, total } = placeMarks('~~~~**', marks, render);
			assert.deepEqual([total, ...placed.map(({ visible }) => visible)], [0, ...positions.map(() => 0)]);
		}
		const word = placeMarks('```lang\none\n```\n\ntwo', [{ position: 5, number: 1, start: 5 }], render);
		assert.ok(word.marks.every(({ visible }) => visible <= word.total));
	});

	it('change nothing of what is shown, whatever the text and the positions are', () => {
		const piece = fc.constantFrom(
			...['**', '*', '_', '`', '```\n', '[a](https://b.example)', 'https://c.example/x', '![i](https://d.example)'],
			...[
				'# ',
				'- ',
				'1. ',
				'> ',
				'\n',
				'\n\n',
				' ',
				'| a | b |\n|--|--|\n',
				'<b>',
				'&amp;',
				'\\',
				'word',
				'🔎',
				'\u202e',
				'~~',
			],
		);
		const texts = fc.array(piece, { maxLength: 30 }).map(parts => parts.join(''));
		fc.assert(
			fc.property(texts, fc.array(fc.nat({ max: 120 }), { maxLength: 8 }), (text, wanted) => {
				const marks = wanted.map((position, index) => ({
					position: Math.min(position, text.length),
					number: index + 1,
					start: Math.min(wanted[index - 1] ?? 0, position, text.length),
				}));
				const { marks: placed, total } = placeMarks(text, marks, render);
				assert.equal(total, countVisible(render(text)));
				assert.equal(placed.length, marks.length);
				let before = 0;
				for (const { visible, start = 0 } of placed) {
					assert.ok(visible >= before && visible <= total && start <= total);
					before = visible;
				}
			}),
			{ numRuns: 500 },
		);
	});

	it('take little time with a long text and many positions inside syntax', () => {
		const text = 'See **https://a.example/path** and so on.\n\n'.repeat(1_000);
		const marks = Array.from({ length: 200 }, (_, index) => ({
			position: 10 + index * 43,
			number: index + 1,
			start: index * 43,
		}));
		let rendered = 0;
		placeMarks(text, marks, source => {
			rendered += source.length;
			return render(source);
		});
		assert.ok(rendered < 1_000_000, `${rendered} characters were rendered`);
	});
});
