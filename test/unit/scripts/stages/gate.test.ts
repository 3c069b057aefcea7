import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { isInGate, outsideGate } from '../../../../scripts/stages/gate.ts';
import { describeFullRun } from '../../../../scripts/stages/lastFullRun.ts';

const ROOT = path.resolve(import.meta.dirname, '../../../..');

describe('the gate', () => {
	it('leaves out only files that there are, each for one reason', () => {
		const files = outsideGate.flatMap(exclusion => exclusion.files);
		assert.deepEqual(
			files.filter(file => !existsSync(path.join(ROOT, file))),
			[],
		);
		assert.equal(new Set(files).size, files.length);
	});

	it('has each new file, and each proof of the contract', () => {
		assert.equal(isInGate('test/unit/new.test.ts'), true);
		for (const { files } of outsideGate) {
			for (const file of files) {
				assert.equal(isInGate(file), false);
				assert.doesNotMatch(file, /^test\/conformance\/(?!faults\/)/);
			}
		}
	});
});

describe('the last run of everything', () => {
	const run = { commit: '0123456789ab', day: '2026-01-31', totals: '9 passed, 0 failed', failures: [] };
	const describeAt = (day: string) => describeFullRun(run, new Date(`${day}T12:00:00Z`));

	it('is told with its age', () => {
		assert.equal(describeAt('2026-01-31'), 'Everything was run today at 0123456789ab: 9 passed, 0 failed');
		assert.equal(describeAt('2026-02-01'), 'Everything was run yesterday at 0123456789ab: 9 passed, 0 failed');
		assert.equal(describeAt('2026-02-10'), 'Everything was run 10 days ago at 0123456789ab: 9 passed, 0 failed');
	});

	it('names what failed in it, and says so where there was none', () => {
		const red = { ...run, totals: '8 passed, 1 failed', failures: ['the chat shows a reply'] };
		assert.match(
			describeFullRun(red, new Date('2026-01-31')),
			/\n {2}to be mended before anything new: the chat shows/,
		);
		assert.match(describeFullRun(undefined, new Date()), /npm run test:all/);
	});
});
