import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { bundledPackages } from '../../../../scripts/packaging/bundledPackages.ts';
import { thirdPartyNotices } from '../../../../scripts/packaging/thirdPartyNotices.ts';

describe('the notices of the packages of others', () => {
	let root: string;

	beforeEach(() => {
		root = mkdtempSync(path.join(os.tmpdir(), 'errand-notices-'));
	});
	afterEach(() => rmSync(root, { recursive: true }));

	function install(folder: string, manifest: object, files: Record<string, string> = {}): void {
		mkdirSync(path.join(root, folder), { recursive: true });
		const texts = { 'package.json': JSON.stringify({ version: '1.0.0', ...manifest }), ...files };
		for (const [name, text] of Object.entries(texts)) {
			writeFileSync(path.join(root, folder, name), text);
		}
	}

	it('name each package once, with its licence, its source and all texts that it comes with', () => {
		install(
			'node_modules/@some/one',
			{ name: '@some/one', license: '(MPL-2.0 OR MIT)', repository: { url: 'git+ssh://git@github.com/some/one.git' } },
			{ LICENSE: 'First text\r\n', 'LICENSE-CODE': 'Second text', 'NOTICE.txt': 'A notice', 'README.md': 'Not this' },
		);
		install(
			'node_modules/two',
			{ name: 'two', license: 'MIT', repository: 'some/two' },
			{ 'licence.md': 'Third text' },
		);
		const packages = bundledPackages(
			['src/a.ts', 'node_modules/two/a.js', 'node_modules/@some/one/b.js', 'node_modules/@some/one/lib/c.js'],
			root,
		);
		const text = thirdPartyNotices(packages);
		assert.deepEqual(
			packages.map(({ name, source }) => [name, source]),
			[
				['@some/one', 'https://github.com/some/one'],
				['two', 'https://github.com/some/two'],
			],
		);
		assert.match(text, /^- @some\/one 1\.0\.0 \(MPL-2\.0 OR MIT\)\n- two 1\.0\.0 \(MIT\)$/m);
		assert.match(text, /First text\n\nSecond text\n\nA notice\n/);
		assert.match(text, /Third text\n$/);
		assert.doesNotMatch(text, /Not this|\r/);
	});

	it('tell a package within another from that other', () => {
		install('node_modules/outer', { name: 'outer', license: 'MIT' }, { LICENSE: 'Outer text' });
		install('node_modules/outer/node_modules/inner', { name: 'inner', license: 'MIT' }, { LICENSE: 'Inner text' });
		const names = bundledPackages(['node_modules/outer/node_modules/inner/x.js'], root).map(({ name }) => name);
		assert.deepEqual(names, ['inner']);
	});

	it('are refused for a package without the text of its licence, and without a licence', () => {
		install('node_modules/textless', { name: 'textless', license: 'MIT' }, { 'README.md': 'MIT' });
		install('node_modules/silent', { name: 'silent' }, { LICENSE: 'A text' });
		const bundled = (name: string) => () => bundledPackages([`node_modules/${name}/index.js`], root);
		assert.throws(
			bundled('textless'),
			/^Error: textless 1\.0\.0 is bundled but comes without the text of its licence\./,
		);
		assert.throws(bundled('silent'), /^Error: silent 1\.0\.0 is bundled but states no licence\./);
	});
});
