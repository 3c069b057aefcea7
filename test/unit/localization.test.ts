import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { transformSync } from 'esbuild';

/**
 * Returns the texts that a module hands to `l10n.t`. The exporter itself takes half a minute of processor time for the
 * whole of the code; esbuild removes the comments and writes each string in one way, so that a pattern finds the calls.
 */
function textsOf(file: string): string[] {
	const { code } = transformSync(readFileSync(file, 'utf8'), { loader: 'ts', charset: 'utf8' });
	return [...code.matchAll(/\bl10n\.t\(\s*("(?:[^"\\]|\\.)*")?/g)].map(([call, literal]) => {
		assert.ok(literal, `${file}: a text for translators stands in the call itself, as one string: ${call}`);
		return JSON.parse(literal);
	});
}

describe('the texts for translators', () => {
	it('are those of the code: `npx vscode-l10n-dev export -o l10n src` writes them', () => {
		const texts = new Set(globSync('src/**/*.ts').flatMap(textsOf));
		const bundle: unknown = JSON.parse(readFileSync('l10n/bundle.l10n.json', 'utf8'));
		assert.deepEqual(Object.keys(bundle as object).sort(), [...texts].sort());
	});
});
