import assert from 'node:assert/strict';
import { readColours, visibleText } from '../../../../src/tasks/model/visibleText.ts';
import { processorMs } from '../../../support/processorTime.ts';

const shownRuns = (message: string) => {
	const { text, runs } = readColours(message);
	return runs.map(({ start, end, style }) => [text.slice(start, end), style]);
};

describe('visible text', () => {
	it('is the text itself where nothing is hidden in it', () => {
		const text = 'plain — “text”, 😀, tab\t.';
		assert.equal(visibleText(text), text);
		assert.deepEqual(readColours(text), { text, runs: [] });
	});

	it('shows control characters and every sequence that is no colour', () => {
		assert.equal(visibleText('a\u0000b\u0007c\u007fd'), 'a␀b␇c␡d');
		assert.equal(visibleText('\u001b[2J\u001b[1;1Hx'), '␛[2J␛[1;1Hx');
		assert.equal(visibleText('\u001b]0;title\u0007'), '␛]0;title␇');
		assert.equal(visibleText('\u001b]8;;https://h.example\u001b\\link'), '␛]8;;https://h.example␛\\link');
		assert.equal(visibleText('\u009b2J'), '⟨U+009B⟩2J');
	});

	it('shows what turns or hides the direction of writing', () => {
		assert.equal(
			visibleText('if (a\u202e) \u2066b\u2069\u200b\ufeff'),
			'if (a⟨U+202E⟩) ⟨U+2066⟩b⟨U+2069⟩⟨U+200B⟩⟨U+FEFF⟩',
		);
	});

	it('shows every character that is drawn as nothing, and lets scripts and emoji have theirs', () => {
		for (const [code, character] of Object.entries({
			'00AD': '\u00ad',
			'034F': '\u034f',
			2062: '\u2062',
			3164: '\u3164',
			FFA0: '\uffa0',
			E0041: '\u{e0041}',
			E0101: '\u{e0101}',
		})) {
			assert.equal(visibleText(`a${character}b`), `a⟨U+${code}⟩b`);
			assert.equal(readColours(`\u001b[31ma${character}`).text, `a⟨U+${code}⟩`);
		}
		const text = '👩‍💻 ❤️‍🔥 🏴󠁧󠁢󠁳󠁣󠁴󠁿 می\u200cخواهم ⠋⠀';
		assert.equal(visibleText(text), text);
	});

	it('makes a line of every line end, and whole characters of halves', () => {
		assert.equal(visibleText('a\rb\r\nc\u2028d\u0085e'), 'a\nb\nc\nd\ne');
		assert.ok(visibleText('x\ud800y').isWellFormed());
	});

	it('reads colours and weights, and takes their sequences out', () => {
		assert.equal(visibleText('\u001b[1;31merror\u001b[0m: x'), 'error: x');
		assert.deepEqual(shownRuns('\u001b[1;31merror\u001b[22m:\u001b[39m x'), [
			['error', { bold: true, foreground: 1 }],
			[':', { foreground: 1 }],
		]);
		assert.deepEqual(shownRuns('\u001b[94;103;3;4mx'), [
			['x', { foreground: 12, background: 11, italic: true, underline: true }],
		]);
	});

	it('brings every other colour to one that the theme has', () => {
		for (const [code, colour] of [
			['38;5;9', 9],
			['38;5;196', 9],
			['38;5;240', 8],
			['38;2;0;200;0', 2],
			['38;2;255;255;255', 15],
			['38;2;0;0;0', 0],
		] as const) {
			assert.deepEqual(shownRuns(`\u001b[${code}mx`), [['x', { foreground: colour }]], code);
		}
		assert.deepEqual(shownRuns('\u001b[38;2;255;0;0;1mx'), [['x', { foreground: 9, bold: true }]]);
	});

	it('is not led astray by colours that are none', () => {
		for (const code of ['38', '38;5', '38;9;1', '999', ';;;', '38;2;x']) {
			assert.equal(readColours(`\u001b[${code}m`).runs.length, 0, code);
		}
	});

	it('takes time that grows with the length only', () => {
		for (const hostile of ['\u001b[', '\u001b[1', '\u001b[31m', '\u009b', '\u001b]8;;', '\ud800']) {
			const spent = processorMs(() => readColours(hostile.repeat(200_000)));
			assert.ok(spent < 2_000, `${JSON.stringify(hostile)}: ${spent} ms`);
		}
	});
});
