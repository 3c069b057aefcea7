import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createMarkdown, MarkdownBlocks } from '../../../../src/chat/ui/markdown.ts';

const strings = { image: 'Image: {0}' };
const markdown = createMarkdown(strings);

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
	'| x |\n',
	'-',
	'#',
	'`',
	'* ',
];

const texts = fc.array(fc.constantFrom(...PIECES), { maxLength: 40 }).map(pieces => pieces.join(''));

describe('the blocks of a growing text', () => {
	it('are, joined, exactly what one render of the whole text gives', () => {
		fc.assert(
			fc.property(texts, text => {
				const blocks = new MarkdownBlocks(markdown);
				assert.equal(blocks.update(text, true).join(''), markdown.render(text));
			}),
			{ numRuns: 500 },
		);
	});

	it('come to the same end for any way in which the text arrives', () => {
		fc.assert(
			fc.property(texts, fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 20 }), (text, steps) => {
				const blocks = new MarkdownBlocks(markdown);
				for (let end = 0, step = 0; end < text.length; step++) {
					end += steps[step % steps.length] ?? 1;
					blocks.update(text.slice(0, end), false);
				}
				assert.equal(blocks.update(text, true).join(''), markdown.render(text));
			}),
			{ numRuns: 300 },
		);
	});

	it('are right at every moment, but for links whose definition is still to come', () => {
		const withoutDefinitions = fc
			.array(fc.constantFrom(...PIECES.filter(piece => !piece.startsWith('[name]'))), { maxLength: 30 })
			.map(pieces => pieces.join(''));
		fc.assert(
			fc.property(withoutDefinitions, fc.integer({ min: 1, max: 7 }), (text, step) => {
				const blocks = new MarkdownBlocks(markdown);
				for (let end = step; end < text.length; end += step) {
					const soFar = text.slice(0, end);
					assert.equal(blocks.update(soFar, false).join(''), markdown.render(soFar), JSON.stringify(soFar));
				}
			}),
			{ numRuns: 500 },
		);
	});

	it('know a definition that came before', () => {
		const blocks = new MarkdownBlocks(markdown);
		const text = '[name]: https://example.com/name\n\nFirst.\n\nSecond.\n\nThird with [name].';
		for (let end = 1; end <= text.length; end++) {
			blocks.update(text.slice(0, end), false);
		}
		assert.match(blocks.update(text, false).join(''), /<a href="https:\/\/example\.com\/name">name<\/a>/);
	});

	it('start over when the text is another one', () => {
		const blocks = new MarkdownBlocks(markdown);
		blocks.update('One.\n\nTwo.\n\nThree.', false);
		assert.equal(blocks.update('Other.\n\nText.', false).join(''), '<p>Other.</p>\n<p>Text.</p>\n');
	});

	it('do not parse again what is done', () => {
		const parsed: number[] = [];
		const counting = createMarkdown(strings);
		const parse = counting.parse.bind(counting);
		counting.parse = (source, environment) => {
			parsed.push(source.length);
			return parse(source, environment);
		};
		const blocks = new MarkdownBlocks(counting);
		const paragraph = `${'word '.repeat(20)}\n\n`;
		let text = '';
		for (let count = 0; count < 200; count++) {
			text += paragraph;
			blocks.update(text, false);
		}
		const total = parsed.reduce((sum, length) => sum + length, 0);
		assert.ok(total < 5 * text.length, `${total} characters parsed for a text of ${text.length}`);
	});
});

describe('what markdown makes of a model’s text', () => {
	const render = (text: string) => markdown.render(text);

	it('shows HTML as text', () => {
		assert.equal(render('<script>alert(1)</script>'), '<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>\n');
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
			'<p><a href="https://example.com/i.png?x=1&amp;y=2">Image: a &quot;b&quot;</a></p>\n',
		);
		assert.equal(render('![alt](data:image/png;base64,AAAA)'), '<p>Image: alt</p>\n');
		assert.equal(
			render('[![alt](https://example.com/i.png)](https://example.com)'),
			'<p><a href="https://example.com">Image: alt</a></p>\n',
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

	it('takes no file name for a link', () => {
		assert.equal(render('See main.rs and setup.py.'), '<p>See main.rs and setup.py.</p>\n');
	});
});
