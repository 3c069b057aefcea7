import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { getL10nJson } from '@vscode/l10n-dev';

describe('the texts for translators', () => {
	it('are those of the code: `npx vscode-l10n-dev export -o l10n src` writes them', async function () {
		this.timeout(180_000);
		const files = globSync('src/**/*.ts').sort();
		const texts = await getL10nJson(
			files.map(file => ({ extension: '.ts' as const, contents: readFileSync(file, 'utf8') })),
		);
		const bundle: unknown = JSON.parse(readFileSync('l10n/bundle.l10n.json', 'utf8'));
		assert.deepEqual(Object.keys(bundle as object).sort(), Object.keys(texts).sort());
	});
});
