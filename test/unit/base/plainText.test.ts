import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { hasHidden } from '../../../src/base/invisible.ts';
import { cut, escapeIcons, firstLine, oneLine, plainText } from '../../../src/base/plainText.ts';
import { processorMs } from '../../support/processorTime.ts';

const ESC = '\u001b';
const MEGABYTE = 1024 * 1024;

/** What may stand in an output channel: no control character but tab and newline, no turn of direction. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const FORBIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/;

describe('plain text', () => {
	it('leaves ordinary text of any script as it is', () => {
		for (const text of ['', 'Reading src/upload.ts', 'a\tb\nc', 'naïve — 日本語 عربى 👩‍💻']) {
			assert.equal(plainText(text), text);
		}
	});

	it('takes out colours, cursor movements and other control sequences', () => {
		assert.equal(plainText(`${ESC}[1;31mred${ESC}[0m ${ESC}[2K${ESC}[38:2::1:2:3mx`), 'red x');
		assert.equal(plainText('\u009b31mred\u009b0m'), 'red');
		assert.equal(plainText(`${ESC}(B${ESC}7saved${ESC}8${ESC}=`), 'saved');
	});

	it('takes out window titles, links and other strings with their content, whatever ends them', () => {
		assert.equal(plainText(`${ESC}]0;title\u0007after`), 'after');
		assert.equal(plainText(`${ESC}]8;;https://example.invalid${ESC}\\link${ESC}]8;;${ESC}\\`), 'link');
		assert.equal(plainText(`${ESC}Pq#0;2;0;0;0${ESC}\\after`), 'after');
		assert.equal(plainText('\u009dtitle\u009cafter'), 'after');
	});

	it('lets a string without its end hide no more than its line', () => {
		assert.equal(plainText(`before ${ESC}]0;hidden\nshown`), 'before \nshown');
	});

	it('goes on after a sequence that is cut short', () => {
		assert.equal(plainText(`a${ESC}`), 'a');
		assert.equal(plainText(`a${ESC}[`), 'a');
		assert.equal(plainText(`a${ESC}[12\nb`), 'a\nb');
		assert.equal(plainText(`a${ESC}[1${ESC}[31mb`), 'ab');
		assert.equal(plainText(`a${ESC}\nb`), 'a\nb');
	});

	it('makes every kind of line end a newline', () => {
		assert.equal(plainText('a\r\nb\rc\u0085d\u2028e\u2029f\vg\fh'), 'a\nb\nc\nd\ne\nf\ng\nh');
	});

	it('takes out what turns the direction of writing', () => {
		assert.equal(plainText('a\u202egpj.exe\u202c\u2066x\u2069\u200f\u061c'), 'agpj.exex');
	});

	it('takes out what is drawn as nothing, and lets scripts and emoji have theirs', () => {
		assert.equal(plainText('a\u00adb\u034fc\u2062d\u3164e\u{e0041}f\u200bg'), 'abcdefg');
		assert.equal(oneLine('main\u{e0041}\u200b', 20), 'main');
		assert.equal(plainText('👩‍💻 ❤️ می\u200cخواهم'), '👩‍💻 ❤️ می\u200cخواهم');
		assert.equal(plainText('a\udb40\u0007\udc41b'), 'ab');
	});

	it('makes halves of characters whole', () => {
		assert.equal(plainText('a\ud800b\udc00'), 'a\ufffdb\ufffd');
	});

	it('leaves nothing behind that an output channel must not hold, for any text', () => {
		const piece = fc.oneof(
			fc.string({ unit: 'binary' }),
			fc.constantFrom(
				ESC,
				'[',
				']',
				'P',
				'\\',
				'\u0007',
				'\u009b',
				'\u009d',
				'\u009c',
				';',
				'1',
				'm',
				'\r',
				'\n',
				'\u202e',
				'\u200d',
				'\u{e0041}',
				'\u00ad',
				'\udb40',
				'\udc41',
			),
		);
		fc.assert(
			fc.property(fc.array(piece), pieces => {
				const text = plainText(pieces.join(''));
				assert.doesNotMatch(text, FORBIDDEN);
				assert.equal(hasHidden(text), false);
				assert.ok(text.isWellFormed());
				assert.equal(plainText(text), text);
			}),
		);
	});

	for (const [name, unit] of [
		['unended strings', `${ESC}]0;`],
		['unended sequences', `${ESC}[1;`],
		['bare escapes', ESC],
		['strings that end at the next escape', `${ESC}]x${ESC}`],
		['carriage returns', '\r'],
		['parameters', ';'],
	] as const) {
		it(`takes no time for megabytes of ${name} that would grow faster than they do`, () => {
			const text = ESC + unit.repeat((8 * MEGABYTE) / unit.length);
			const spent = processorMs(() => plainText(text));
			// In linear time it takes some 50 ms; in quadratic time it would take hours.
			assert.ok(spent < 3_000, `${spent} ms`);
		});
	}
});

describe('one line', () => {
	it('folds blanks and line ends', () => {
		assert.equal(oneLine('  a\n\n b\t c ', 20), 'a b c');
	});

	it('cuts at the maximum and shows that it did, without halving a character', () => {
		assert.equal(oneLine('abcdef', 6), 'abcdef');
		assert.equal(oneLine('abcdefg', 6), 'abcde…');
		assert.equal(oneLine('👩👩👩', 2), '👩…');
		assert.equal(cut('😀😀😀😀', 3), '😀😀…');
		assert.equal(cut('abc', 3), 'abc');
	});

	it('has a blank in the place of a hidden character, and nothing in the place of a colour', () => {
		assert.equal(oneLine('a\u200b\u{e0041}b\u034f'), 'a b');
		assert.equal(oneLine(`ma\u200bin ${ESC}[31mred`, 20), 'ma in red');
	});

	it('stays cheap for a huge text', () => {
		const text = Buffer.alloc(32 * MEGABYTE, 'x').toString('latin1');
		const spent = processorMs(() => assert.equal(oneLine(text, 10), 'xxxxxxxxx…'));
		assert.ok(spent < 20, `${spent} ms`);
	});

	it('keeps a text that reads like an icon from becoming one', () => {
		assert.equal(escapeIcons('run $(pwd) and $(sync~spin)'), 'run \\$(pwd) and \\$(sync~spin)');
		assert.equal(escapeIcons('run $(cat file) for $5'), 'run $(cat file) for $5');
	});

	it('takes the first line that says something', () => {
		assert.equal(firstLine('\n \nFix the test\nand more', 40), 'Fix the test');
		assert.equal(firstLine('', 40), '');
	});
});
