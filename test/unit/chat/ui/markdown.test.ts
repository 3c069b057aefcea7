import assert from 'node:assert/strict';
import fc from 'fast-check';
import { GrowingMarkdown } from '../../../../src/chat/ui/markdown/growingMarkdown.ts';
import { createMarkdown } from '../../../../src/chat/ui/markdown.ts';

const RUNS = 500;
const markdown = createMarkdown();

/** Pieces in which every rule of the language meets every other, with line ends of each kind. */
const PIECES = [
	'word ',
	'word',
	'\n',
	'\n\n',
	'\r\n',
	'\r',
	'# ',
	'## head\n',
	'- item\n',
	'  - nested\n',
	'1. one\n',
	'2) two\n',
	'> quote\n',
	'```ts\n',
	'```\n',
	'~~~~\n',
	'    code\n',
	'---\n',
	'***\n',
	'===\n',
	'a | b\n',
	'--|--\n',
	'|:-:|-:|\n',
	'*em*',
	'**strong**',
	'`code`',
	'[text](https://example.com)',
	'[name]',
	'[name]: https://example.com/name\n',
	'[name][name] ',
	'![alt](https://example.com/i.png)',
	'<b>html</b>\n',
	'<https://example.com>',
	'https://example.com/auto ',
	'\\*',
	'&amp;',
	'\t',
	'  ',
	'  \n',
	'😀',
	'\u{e0041}',
	'\u200d',
	'🏴󠁧󠁢󠁥󠁮󠁧󠁿',
	'| x |\n',
	'-',
	'#',
	'`',
	'* ',
];

const texts = fc.array(fc.constantFrom(...PIECES), { maxLength: 40 }).map(pieces => pieces.join(''));
const steps = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 20 });
/** Small, so that blocks of a few words are cut. */
const cutLengths = fc.integer({ min: 1, max: 40 });

/** Blocks of one kind, in which a cut could go wrong. */
const LINES: Record<string, string[]> = {
	list: [
		'- item\n',
		'- *a* b\n',
		'-\n',
		'\n',
		'  more\n',
		'  - nested\n',
		'lazy\n',
		'- ```\n  code\n',
		'- a | b\n',
		'|-|-|\n',
		'* other\n',
		'---\n',
		'- - -\n',
	],
	'ordered list': [
		'1. one\n',
		'2. two\n',
		'7) x\n',
		'\n',
		'   more\n',
		'   ```\n',
		'- a\n',
		'10. [name]\n',
		'   [name]: https://a.b/c\n',
	],
	table: [
		'a | b\n',
		'--|--\n',
		'| x |\n',
		'1 | 2 | 3\n',
		'`|` | *x\n',
		'word\n',
		'\n',
		'> q\n',
		'    c\n',
		'[name] | \\|\n',
	],
	fence: [
		'[name]: https://a.b/c\n',
		'[name]\n',
		'```ts\n',
		'```\n',
		'````\n',
		' ```\n',
		'code <b>\n',
		'\n',
		'~~~\n',
		'  in\n',
		'\t\n',
		'word',
		'\u202e',
		'\u{e0041}',
		'\u200d',
		'🏴󠁧󠁢󠁥󠁮󠁧󠁿',
	],
	paragraph: [
		'word ',
		'word word\n',
		'*',
		'**',
		'_a_ ',
		'`',
		'[',
		']',
		'](',
		'(https://a.b) ',
		' \n',
		'  \n',
		'\\',
		'~~',
		'|',
		'===\n',
		'- ',
		'---\n',
		'2. x\n',
		'<https://a.b> ',
		'![a',
		'&amp; ',
		'"',
		'[name] ',
		'    ',
		'\u{e0041}',
		'\u200d',
		'🏴󠁧󠁢󠁥󠁮󠁧󠁿',
	],
};

function htmlOf({ blocks }: GrowingMarkdown): string {
	return blocks.map(({ open, parts, close }) => open + parts.join('') + close).join('');
}

/** What a text that arrives in pieces comes to. */
function grow(text: string, sizes: readonly number[], cutLength?: number): string {
	const growing = new GrowingMarkdown(markdown, cutLength);
	for (let end = 0, step = 0; end < text.length; step++) {
		const begin = end;
		end += sizes[step % sizes.length] ?? 1;
		growing.append(text.slice(begin, end));
	}
	growing.end();
	while (growing.refresh() !== undefined);
	return htmlOf(growing);
}

describe('a growing text', () => {
	it('comes to exactly what one render of the whole gives, for any way in which it arrives', () => {
		fc.assert(
			fc.property(texts, steps, cutLengths, (text, sizes, cutLength) => {
				assert.equal(grow(text, sizes, cutLength), markdown.render(text));
			}),
			{ numRuns: RUNS },
		);
	});

	it('does not keep a list loose that only the beginning of a rule made so', () => {
		for (const cutLength of [1, 4, 9]) {
			for (const text of ['- a\n- c\n\n---\n', '- a\n- b\n- c\n\n- - -\nx\n', '- a\n- c\n\n- d\n- e\n\n---\n']) {
				assert.equal(grow(text, [1], cutLength), markdown.render(text));
			}
		}
	});

	for (const [kind, lines] of Object.entries(LINES)) {
		it(`comes to the same where a ${kind} is cut`, () => {
			const blocks = fc.array(fc.constantFrom(...lines), { maxLength: 30 }).map(pieces => pieces.join(''));
			const mixed = fc.tuple(fc.constantFrom('', lines.slice(0, 2).join('')), blocks).map(parts => parts.join(''));
			fc.assert(
				fc.property(mixed, steps, cutLengths, (text, sizes, cutLength) => {
					assert.equal(grow(text, sizes, cutLength), markdown.render(text));
				}),
				{ numRuns: RUNS },
			);
		});
	}

	it('is right at every moment, but for links whose definition is still to come', () => {
		const pieces = PIECES.filter(piece => !piece.startsWith('[name]'));
		const withoutDefinitions = fc.array(fc.constantFrom(...pieces), { maxLength: 30 }).map(parts => parts.join(''));
		fc.assert(
			fc.property(withoutDefinitions, fc.integer({ min: 1, max: 7 }), cutLengths, (text, step, cutLength) => {
				const growing = new GrowingMarkdown(markdown, cutLength);
				for (let end = step; end < text.length; end += step) {
					growing.append(text.slice(end - step, end));
					const soFar = text.slice(0, end);
					assert.equal(htmlOf(growing), markdown.render(soFar), JSON.stringify(soFar));
				}
			}),
			{ numRuns: RUNS },
		);
	});

	it('ends a paragraph that was cut before a line which turns out to be the head of a table', () => {
		const text = '--|--\n  a | b\n--|--\n';
		for (const sizes of [[1], [8, 3, 1]]) {
			assert.equal(grow(text, sizes, 7), markdown.render(text));
		}
	});

	it('is loose as soon as items that do not show it make it so', () => {
		for (const text of [
			'  - nested\n-\n\n  - nested\n',
			'- a\n- # b\n\n- # c\n- d\n',
			'- a\n- # b\n\n- # c\n\nEnd.\n',
		]) {
			const growing = new GrowingMarkdown(markdown, 1);
			for (let end = 1; end <= text.length; end++) {
				growing.append(text.charAt(end - 1));
				assert.equal(htmlOf(growing), markdown.render(text.slice(0, end)), JSON.stringify(text.slice(0, end)));
			}
		}
	});

	it('knows a definition that came before', () => {
		const growing = new GrowingMarkdown(markdown);
		for (const character of '[name]: https://example.com/name\n\nFirst.\n\nSecond.\n\nThird with [name].') {
			growing.append(character);
		}
		assert.match(htmlOf(growing), /<a href="https:\/\/example\.com\/name"[^>]*>name<\/a>/);
	});

	const growth: Record<string, string> = {
		'short paragraphs': `${'word '.repeat(20)}\n\n`,
		'one list': '- an item with **some** words\n',
		'one list with paragraphs': '- an item with `some` words\n\n',
		'one table': '| a cell | and [another](https://example.com) |\n',
		'one fence': 'const answer = question * 42;\n',
		'one paragraph of lines': 'some *words* and a [link](https://example.com)\n',
		'one paragraph of one line': 'some *words* and a [link](https://example.com), ',
	};
	const beginnings: Record<string, string> = { 'one table': 'a | b\n--|--\n', 'one fence': '```ts\n' };
	for (const [kind, piece] of Object.entries(growth)) {
		it(`is not parsed again and again: ${kind}`, () => {
			let parsed = 0;
			const counting = createMarkdown();
			const parse = counting.parse.bind(counting);
			counting.parse = (source, environment) => {
				parsed += source.length;
				return parse(source, environment);
			};
			const text = (beginnings[kind] ?? '') + piece.repeat(40_000 / piece.length);
			const growing = new GrowingMarkdown(counting);
			const size = 64;
			for (let end = 0; end < text.length; end += size) {
				growing.append(text.slice(end, end + size));
			}
			growing.end();
			// At most about two cut lengths for each piece that comes.
			const limit = (text.length / size) * 2 * 2_048 * 1.5;
			assert.ok(parsed < limit, `${parsed} characters parsed for a text of ${text.length}`);
			assert.equal(htmlOf(growing), markdown.render(text));
		});
	}
});

describe('what markdown makes of a model’s text', () => {
	const render = (text: string) => markdown.render(text);

	it('shows HTML as text', () => {
		assert.equal(render('<script>alert(1)</script>'), '<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>\n');
	});

	it('shows what is drawn as nothing by its code point, and in code also what lays a text out', () => {
		const span = (code: string) => `<span class="control">U+${code}</span>`;
		assert.equal(render('a\u{e0041}b\u3164c\u202e'), `<p>a${span('E0041')}b${span('3164')}c${span('202E')}</p>\n`);
		assert.equal(render('a&#xe0041;b'), `<p>a${span('E0041')}b</p>\n`);
		assert.equal(render('`ad\u00admin\u200b`'), `<p><code>ad${span('00AD')}min${span('200B')}</code></p>\n`);
		assert.equal(
			render('```\na\u{e0041}\u200f\n```'),
			`<pre><code><span class="lines">a${span('E0041')}${span('200F')}\n</span></code></pre>\n`,
		);
		for (const text of ['Wort\u00adteil', 'ไทย\u200bไทย', 'א\u200f!', '👩‍💻 ❤️ 🏴󠁧󠁢󠁥󠁮󠁧󠁿 می\u200cخواهم']) {
			assert.equal(render(text), `<p>${text}</p>\n`);
		}
	});

	it('links only to what may be opened', () => {
		assert.match(render('[x](https://example.com)'), /href="https:\/\/example\.com"/);
		assert.match(render('[x](mailto:a@example.com)'), /href="mailto:/);
		for (const address of [
			'javascript:alert(1)',
			'JaVaScRiPt:alert(1)',
			'&#106;avascript:alert(1)',
			'data:text/html;base64,PHNjcmlwdD4=',
			'vbscript:x',
			'file:///etc/passwd',
			'command:workbench.action.quit',
			'vscode://x/y',
			'//example.com',
			'src/auth.ts',
		]) {
			assert.ok(!render(`[x](${address}) <${address}>`).includes('href'), address);
		}
	});

	it('makes an image a link that says so, and no image', () => {
		assert.equal(
			render('![a "b"](https://example.com/i.png?x=1&y=2)'),
			'<p><a class="image" href="https://example.com/i.png?x=1&amp;y=2" title="https://example.com/i.png?x=1&amp;y=2">Image: a &quot;b&quot;</a></p>\n',
		);
		assert.equal(render('![alt](data:image/png;base64,AAAA)'), '<p>Image: alt</p>\n');
		assert.equal(
			render('[![alt](https://example.com/i.png)](https://example.com)'),
			'<p><a href="https://example.com" title="https://example.com">Image: alt</a></p>\n',
		);
	});

	it('aligns columns without a style attribute', () => {
		const html = render('| a | b |\n|:-:|--:|\n| 1 | 2 |');
		assert.match(html, /<th class="align-center">a<\/th>/);
		assert.match(html, /<td class="align-right">2<\/td>/);
		assert.ok(!html.includes('style'));
	});

	it('puts headings below those of the page', () => {
		assert.equal(render('# a\n## b\n##### c'), '<h4>a</h4>\n<h5>b</h5>\n<h6>c</h6>\n');
	});

	it('takes time in proportion to how many images there are', () => {
		const cost = (count: number) => {
			const text = '![a](http://b.example) '.repeat(count);
			const times = Array.from({ length: 3 }, () => {
				const { user } = process.threadCpuUsage();
				markdown.renderInline(text);
				return process.threadCpuUsage().user - user;
			});
			return Math.min(...times);
		};
		cost(1_000);
		const [few, many] = [cost(3_000), cost(24_000)];
		assert.ok(many < 20 * few, `8 times as many take ${many} µs, and not ${few} µs`);
	});

	it('takes no file name for a link', () => {
		assert.equal(render('See main.rs and setup.py.'), '<p>See main.rs and setup.py.</p>\n');
	});
});
