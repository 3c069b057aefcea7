import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { packedReadme } from '../../../scripts/packedReadme.ts';

describe('the readme of the package', () => {
	let folder: string;

	beforeEach(() => {
		folder = mkdtempSync(path.join(os.tmpdir(), 'errand-readme-'));
	});
	afterEach(() => rmSync(folder, { recursive: true }));

	it('leaves out every part that is for the repository alone, and nothing between two of them', () => {
		const part = '<!-- only in the repository -->\n\n[x](x.md)\n\n<!-- end -->\n';
		writeFileSync(path.join(folder, 'README.md'), `# A\n\n${part}\n## B\n\n${part}`);
		assert.equal(packedReadme(folder), '# A\n\n## B\n\n');
	});

	it('keeps the images, without words that would stand in place of them', () => {
		writeFileSync(path.join(folder, 'README.md'), 'One:\n\n![One more](a/one.png)\n');
		assert.equal(packedReadme(folder), 'One:\n\n![](a/one.png)\n');
	});

	it('has no link into the repository left, as it stands now', () => {
		const text = packedReadme('.');
		assert.doesNotMatch(text, /(?<!!)\[[^\]]*\]\((?!https:|#)/);
		assert.doesNotMatch(text, /<!--/);
	});
});
