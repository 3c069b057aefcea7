import assert from 'node:assert/strict';
import fc from 'fast-check';
import { addSources, citationsOf, type Source, sourcesAsMarkdown } from '../../../../src/chat/model/citations.ts';

const source = (url: string, start?: number, end?: number, others: Partial<Source> = {}): Source => ({
	url,
	title: `Title of ${url}`,
	...(start === undefined ? {} : { start }),
	...(end === undefined ? {} : { end }),
	...others,
});

/** The text with its marks, as a reader sees them. */
function marked(text: string, sources: readonly Source[]): string {
	const { marks } = citationsOf(text, sources);
	return marks.reduceRight(
		(result, { position, number }) => `${result.slice(0, position)}[${number}]${result.slice(position)}`,
		text,
	);
}

describe('the sources of a reply', () => {
	it('are numbered as the text cites them, each once, those without a place last', () => {
		const text = 'First. Second. Third.';
		const sources = [
			source('https://c.example/'),
			source('https://b.example/', 7, 14),
			source('https://a.example/', 0, 6),
			source('https://b.example/', 15, 21),
		];
		const { sources: shown, marks } = citationsOf(text, sources);
		assert.deepEqual(
			shown.map(({ number, host }) => [number, host]),
			[
				[1, 'a.example'],
				[2, 'b.example'],
				[3, 'c.example'],
			],
		);
		assert.equal(marked(text, sources), 'First.[1] Second.[2] Third.[2]');
		assert.equal(marks.length, 3);
	});

	it('stand behind the word or the character that a position splits', () => {
		assert.equal(marked('The statement ends.', [source('https://a.example/', 0, 8)]), 'The statement[1] ends.');
		assert.equal(marked('A 👩‍👩‍👧 family', [source('https://a.example/', 0, 4)]), 'A 👩‍👩‍👧[1] family');
		assert.equal(marked('Flags 🇩🇪🇫🇷 here', [source('https://a.example/', 0, 9)]), 'Flags 🇩🇪[1]🇫🇷 here');
		assert.equal(marked('cafe\u0301s', [source('https://a.example/', 0, 4)]), 'cafe\u0301s[1]');
		assert.equal(marked('日本語の文章です', [source('https://a.example/', 0, 3)]), '日本語[1]の文章です');
	});

	it('have no place outside of the text, and none when they are reversed', () => {
		const text = 'Short.';
		for (const [start, end] of [
			[100, 200],
			[-9, -2],
			[5, 2],
			[Number.NaN, Number.NaN],
		] as const) {
			assert.equal(marked(text, [source('https://a.example/', start, end)]), text);
			assert.equal(citationsOf(text, [source('https://a.example/', start, end)]).sources.length, 1);
		}
		assert.equal(marked(text, [source('https://a.example/', 3, 9_999)]), 'Short.[1]');
	});

	it('overlap without standing twice at one place', () => {
		const text = 'One statement.';
		const sources = [
			source('https://a.example/', 0, 14),
			source('https://a.example/', 4, 14),
			source('https://b.example/', 2, 14),
		];
		assert.equal(marked(text, sources), 'One statement.[1][2]');
	});

	it('stand behind a last character that a position is inside of', () => {
		assert.equal(marked('👩‍👩‍👧', [source('https://a.example/', undefined, 2)]), '👩‍👩‍👧[1]');
		assert.equal(marked('Who? 🇩🇪', [source('https://a.example/', 0, 7)]), 'Who? 🇩🇪[1]');
	});

	it('never tear a character apart, whatever the positions are', () => {
		const place = fc.option(fc.oneof(fc.integer({ min: -50, max: 150 }), fc.double()), { nil: undefined });
		const sources = fc.array(fc.tuple(place, place, fc.integer({ min: 0, max: 3 })), { maxLength: 12 });
		const emoji = fc.constantFrom('👩‍👩‍👧', '🇩🇪', 'e\u0301', '🔎', 'ü', ' ', 'word', '日', '\n', '**');
		const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
		fc.assert(
			fc.property(
				fc.array(emoji).map(parts => parts.join('')),
				sources,
				(text, places) => {
					const given = places.map(([start, end, name]) => source(`https://${name}.example/`, start, end));
					const { sources: shown, marks } = citationsOf(text, given);
					const boundaries = new Set([...segmenter.segment(text)].map(({ index }) => index)).add(text.length).add(0);
					for (const { position, number } of marks) {
						assert.ok(boundaries.has(position), `${position} is no boundary`);
						assert.ok(shown.some(other => other.number === number));
					}
					assert.deepEqual(
						shown.map(({ number }) => number),
						shown.map((_, index) => index + 1),
					);
				},
			),
		);
	});

	it('open only at web addresses, and say which host that is', () => {
		const hosts = ['javascript:alert(1)', 'file:///etc/passwd', 'command:x', 'not an address', 'data:text/html,x'];
		for (const url of hosts) {
			const [shown] = citationsOf('', [source(url)]).sources;
			assert.deepEqual([shown?.url, shown?.host], [undefined, undefined], url);
		}
		const [lookalike] = citationsOf('', [source('https://www.bank.example@evil.example:8443/x')]).sources;
		assert.equal(lookalike?.host, 'evil.example:8443');
		const [cyrillic] = citationsOf('', [source('https://\u0430pple.example/')]).sources;
		assert.equal(cyrillic?.host, 'xn--pple-43d.example');
	});

	it('have titles of one line without controls, and the host where there is none', () => {
		const [hostile] = citationsOf('', [
			source('https://a.example/', 0, 0, { title: 'One\n\u202etwo\u0007 <b>' }),
		]).sources;
		assert.equal(hostile?.title, 'One two <b>');
		const [untitled] = citationsOf('', [{ url: 'https://a.example/x' }]).sources;
		assert.equal(untitled?.title, 'a.example');
		const [long] = citationsOf('', [source('https://a.example/', 0, 0, { title: 'x'.repeat(10_000) })]).sources;
		assert.ok((long?.title.length ?? 0) <= 160);
	});

	it('are kept as they come, with positions in the whole text, and not without end', () => {
		const annotation = {
			type: 'url_citation',
			url_citation: { url: 'https://a.example/', title: undefined, content: 'x', start_index: 1, end_index: 2 },
		};
		assert.deepEqual(addSources([], [annotation], 10), [
			{ url: 'https://a.example/', excerpt: 'x', start: 11, end: 12 },
		]);
		const once = addSources([], [annotation], 10);
		assert.equal(addSources(once, [annotation], 10), once);
		const cited = (url: string) => ({ ...annotation, url_citation: { ...annotation.url_citation, url } });
		const repeated = Array.from({ length: 10_000 }, (_, index) => cited(`https://a.example/${index % 150}`));
		assert.equal(addSources([], repeated, 0).length, 150);
		const different = Array.from({ length: 10_000 }, (_, index) => cited(`https://a.example/${index}`));
		const cutOff = addSources([], different, 0);
		assert.equal(cutOff.length, 201);
		const { sources, isCut } = citationsOf('', cutOff);
		assert.deepEqual([sources.length, isCut], [200, true]);
		assert.equal(citationsOf('', cutOff.slice(0, 200)).isCut, undefined);
		const words = { sources: 'Sources', sourcesCut: 'And more.' };
		assert.match(sourcesAsMarkdown({ sources, marks: [], isCut: true }, words), /199[\s\S]*\n+And more\.$/);
		assert.doesNotMatch(sourcesAsMarkdown({ sources, marks: [] }, words), /And more/);
		assert.deepEqual(addSources([], [{ type: 'other', url_citation: undefined }], 0), []);
	});

	it('are lists for elsewhere, in which a title is no markup', () => {
		const words = { sources: 'Sources', sourcesCut: '' };
		const citations = citationsOf('', [
			source('https://a.example/x_(y)?q=<z>', 0, 0, { title: '[Click](https://evil.example) *now*' }),
			source('javascript:alert(1)', 0, 0, { title: 'No address' }),
		]);
		assert.equal(
			sourcesAsMarkdown(citations, words),
			'**Sources**\n\n1. [\\[Click\\](https://evil.example) \\*now\\*](<https://a.example/x_(y)?q=%3Cz%3E>)\n2. No address',
		);
	});
});
