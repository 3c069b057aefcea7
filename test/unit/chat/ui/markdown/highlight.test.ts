import assert from 'node:assert/strict';
import { highlight } from '../../../../../src/chat/ui/markdown/highlight.ts';
import { LANGUAGE_NAMES, languageNamed } from '../../../../../src/chat/ui/markdown/languageNames.ts';
import { repeated } from '../../../../ui/hostileCode.ts';

describe('the colours of code', () => {
	const textOf = (slices: ReturnType<typeof highlight>) =>
		slices?.map(({ parts }) => parts.filter(part => typeof part === 'string').join(''));

	it('keep the text as it is, in every language', () => {
		const code = `if (a < 1 && b > "x") { return \`&amp; $\{c}\`; } // \u202e <span class="x"> 'y'\n\tend;\r\n`;
		for (const language of LANGUAGE_NAMES) {
			assert.deepEqual(textOf(highlight({ language, slices: [code, '', '\n'] })), [code, '', '\n'], language);
		}
	});

	it('end each span that they begin, and name its class', () => {
		for (const { classes, parts } of highlight({ language: 'typescript', slices: [`const a = \`x $\{b("y")}\`;`] }) ??
			[]) {
			assert.ok(classes.includes('hljs-keyword') && classes.includes('hljs-subst'), classes.join());
			let depth = 0;
			for (const part of parts) {
				depth += typeof part === 'string' ? 0 : part < 0 ? -1 : 1;
				assert.ok(depth >= 0);
				assert.ok(typeof part === 'string' || part < classes.length);
			}
			assert.equal(depth, 0);
		}
	});

	it('are none where a page could not lay them out: too many, too many in a line, or too deep in each other', () => {
		for (const [language, unit, size] of [
			['json', '[\n', 24_000],
			['json', '[', 2_001],
			['javascript', '`${', 1_000],
			['rust', '/*', 1_000],
			['python', "f'{", 1_000],
		] as const) {
			assert.equal(highlight({ language, slices: [repeated(unit, size)] }), undefined, unit);
		}
		const slices = Array.from({ length: 11 }, () => repeated('[\n', 2_000));
		assert.ok(highlight({ language: 'json', slices: slices.slice(1) }));
		assert.equal(highlight({ language: 'json', slices }), undefined, 'over all slices of a block');
	});

	it('know a language by each of its names, in any case, and no other', () => {
		assert.equal(languageNamed('TS'), 'typescript');
		assert.equal(languageNamed('c++'), 'cpp');
		assert.equal(languageNamed('toml'), 'ini');
		for (const name of ['', 'text', 'mermaid', '__proto__', 'constructor', 'toString']) {
			assert.equal(languageNamed(name), undefined, name);
		}
	});
});
