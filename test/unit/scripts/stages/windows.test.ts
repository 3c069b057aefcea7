import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { groupFiles } from '../../../../scripts/stages/mocha.ts';
import { sharedWindows } from '../../../../scripts/stages/windows.ts';

const ROOT = path.resolve(import.meta.dirname, '../../../..');

describe('the files that share a window', () => {
	const shared = Object.values(sharedWindows);

	it('are there, each in one group', () => {
		const files = shared.flat();
		assert.deepEqual(
			files.filter(file => !existsSync(path.join(ROOT, file))),
			[],
		);
		assert.equal(new Set(files).size, files.length);
	});

	it('run in one process in their order, without those that were not chosen, and each other file in a process of its own', () => {
		const [first = [], ...others] = shared;
		const other = 'test/e2e/profile.test.ts';
		const alone = 'test/e2e/extension.test.ts';
		const groups = groupFiles({ files: [other, ...first.slice(1).reverse(), alone], together: [first, ...others] });
		assert.deepEqual(groups[0], first.slice(1));
		assert.deepEqual(groups.slice(1).sort(), [[alone], [other]]);
	});
});
