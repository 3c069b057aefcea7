import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The files and folders that a page names in code: `a/b.ts`, `b.ts` there, `a/`. */
const NAMED = /`((?!dist\/)(?:[\w-]+\/)*(?:[\w-]+\/|[\w.-]+\.ts))`/g;

describe('the map of the code', () => {
	it('names only files and folders that exist', () => {
		const files = globSync('{bench,scripts,src,test}/**', { exclude: ['**/node_modules/**'] }).map(
			file => `/${file.replaceAll(path.sep, '/')}`,
		);
		const missing = ['ARCHITECTURE.md', 'CONTRIBUTING.md'].flatMap(page =>
			[...readFileSync(page, 'utf8').matchAll(NAMED)]
				.filter(([, name]) => !files.some(file => file.includes(`/${name}`)))
				.map(([, name]) => `${page} names ${name}`),
		);
		assert.deepEqual(missing, []);
	});
});
