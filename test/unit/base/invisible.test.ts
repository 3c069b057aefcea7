import assert from 'node:assert/strict';
import fc from 'fast-check';
import { hasHidden, hasInvisible, replaceHidden, replaceInvisible, showHidden } from '../../../src/base/invisible.ts';
import { processorMs } from '../../support/processorTime.ts';

/** The characters that logs, labels and links once let through, each of a different kind. */
const HIDDEN = {
	'soft hyphen': 0x00ad,
	'combining grapheme joiner': 0x034f,
	'Arabic letter mark': 0x061c,
	'Hangul filler': 0x3164,
	'Hangul initial filler': 0x115f,
	'halfwidth Hangul filler': 0xffa0,
	'Khmer inherent vowel': 0x17b4,
	'Mongolian vowel separator': 0x180e,
	'zero width space': 0x200b,
	'right-to-left override': 0x202e,
	'word joiner': 0x2060,
	'invisible times': 0x2062,
	'nominal digit shapes': 0x206f,
	'variation selector 1': 0xfe00,
	'byte order mark': 0xfeff,
	'interlinear annotation': 0xfff9,
	'musical begin beam': 0x1d173,
	'shorthand overlap': 0x1bca0,
	'tag A': 0xe0041,
	'variation selector 17': 0xe0100,
};

const TEXTS = [
	'',
	'plain\ttext\r\nof two lines',
	'naïve — 日本語 عربى हिन्दी 한국어 ไทย',
	// These words are written with joiners.
	'می\u200cخواهم क्\u200dष',
	'👩‍💻 👁️‍🗨️ ❤️‍🔥 ☎\ufe0e 1\ufe0f\u20e3 👨‍👩‍👧‍👦',
	'🏴󠁧󠁢󠁥󠁮󠁧󠁿🏴󠁧󠁢󠁳󠁣󠁴󠁿🏴󠁧󠁢󠁷󠁬󠁳󠁿 🇩🇪 🏴‍☠️',
	'\u0600٥ \u06dd٢',
	'a\u00a0b\u3000c\u2800d',
];

describe('invisible characters', () => {
	for (const [name, code] of Object.entries(HIDDEN)) {
		it(`are found, shown and taken out: ${name}`, () => {
			const character = String.fromCodePoint(code);
			const shown = `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
			for (const text of [`a${character}b`, character, `${character}日本`, `😀${character}`]) {
				assert.ok(hasHidden(text) && hasInvisible(text));
				assert.equal(showHidden(text), text.replace(character, shown));
				assert.equal(
					replaceHidden(text, () => ''),
					text.replace(character, ''),
				);
			}
		});
	}

	it('are what Unicode says is drawn as nothing, and controls, of all there are', () => {
		for (let code = 0; code <= 0x10ffff; code++) {
			const character = String.fromCodePoint(code);
			const isNothing = /[\p{Cc}\p{Default_Ignorable_Code_Point}]/u.test(character);
			if (isNothing) {
				assert.ok(hasInvisible(character), code.toString(16));
				assert.equal(hasHidden(character), !'\t\n\r\u200c\u200d\ufe0e\ufe0f'.includes(character), code.toString(16));
			} else {
				assert.equal(hasHidden(character), hasInvisible(character), code.toString(16));
				assert.ok(!hasInvisible(character) || /[\p{Cf}\p{Zl}\p{Zp}]/u.test(character), code.toString(16));
			}
		}
	});

	it('are let alone where scripts and emoji need them', () => {
		for (const text of TEXTS) {
			assert.equal(hasHidden(text), false, JSON.stringify(text));
			assert.equal(showHidden(text), text);
		}
	});

	it('are let alone where they choose the variant of an ideograph or of a Mongolian letter, and only there', () => {
		for (const text of ['葛\u{e0100}城', '𠮷\u{e0101}', 'ᠠ\u180b', 'ᠭ\u180d']) {
			assert.equal(showHidden(text), text);
		}
		for (const text of ['a\u{e0100}', '\u{e0100}', '葛\u{e0100}\u{e0101}', 'a\u180b', '葛\u180b\u180c']) {
			assert.notEqual(showHidden(text), text, JSON.stringify(text));
		}
	});

	it('have no use in a name', () => {
		for (const name of ['ma\u200din', 'main\ufe0f', 'a\nb', 'a\tb', '🏴󠁧󠁢󠁥󠁮󠁧󠁿']) {
			assert.equal(hasInvisible(name), true, JSON.stringify(name));
		}
		assert.equal(hasInvisible('größe/日本-😀'), false);
	});

	it('are hidden where joiners stand in rows, among others, or in a flag that there is not', () => {
		assert.equal(showHidden('a\u200d\u200c\u200db'), 'a⟨U+200D⟩⟨U+200C⟩⟨U+200D⟩b');
		assert.equal(showHidden('a\ufe0f\u{e0041}b'), 'a⟨U+FE0F⟩⟨U+E0041⟩b');
		assert.equal(showHidden('🏴\u{e0073}\u{e007f}'), '🏴⟨U+E0073⟩⟨U+E007F⟩');
		assert.equal(showHidden('🏴󠁧󠁢󠁥󠁮󠁧󠁿\u{e0041}'), '🏴󠁧󠁢󠁥󠁮󠁧󠁿⟨U+E0041⟩');
	});

	it('are all replaced where a text has to be exact, those that prose needs and carriage returns among them', () => {
		assert.equal(
			replaceInvisible('a\u200d\ufe0f\r\u202eb\tc\n', () => '!'),
			'a!!!!b\tc\n',
		);
		for (const code of Object.values(HIDDEN)) {
			assert.equal(
				replaceInvisible(String.fromCodePoint(code), () => '!'),
				'!',
			);
		}
		assert.equal(
			replaceInvisible('größe/日本-😀', () => '!'),
			'größe/日本-😀',
		);
	});

	it('leave nothing hidden behind when they are taken out, for any text', () => {
		const piece = fc.oneof(
			fc.string({ unit: 'binary' }),
			fc.constantFrom(...TEXTS, ...Object.values(HIDDEN).map(code => String.fromCodePoint(code))),
			fc.constantFrom('\u200d', '\ufe0f', '🏴', '\u{e0067}', '\u{e007f}', '\udb40', '\udc41'),
		);
		fc.assert(
			fc.property(fc.array(piece), pieces => {
				const text = pieces.join('').toWellFormed();
				assert.equal(hasHidden(replaceHidden(text, () => '')), false);
				assert.equal(hasHidden(showHidden(text)), false);
			}),
		);
	});

	it('take time that grows with the length only', () => {
		for (const unit of ['\u200d', '🏴\u{e0067}', '\u{e0041}', '\u200ba', '🏴󠁧󠁢󠁥󠁮󠁧󠁿']) {
			const text = unit.repeat(200_000 / unit.length);
			const spent = processorMs(() => showHidden(text));
			assert.ok(spent < 2_000, `${JSON.stringify(unit)}: ${spent} ms`);
		}
	});
});
