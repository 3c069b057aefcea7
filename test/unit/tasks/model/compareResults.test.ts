import assert from 'node:assert/strict';
import type { ChangedFile } from '../../../../src/tasks/model/changedFile.ts';
import { compareResults, countChanges } from '../../../../src/tasks/model/compareResults.ts';
import { processorMs } from '../../../support/processorTime.ts';

function file(path: string, after: string | undefined, more: Partial<ChangedFile> = {}): ChangedFile {
	return {
		status: 'M',
		before: { path, object: 'base', kind: 'file' },
		after: after === undefined ? undefined : { path, object: after, kind: 'file' },
		lines: { added: 2, removed: 1 },
		hasUnreadableName: false,
		...more,
	};
}

const summary = (...results: ChangedFile[][]) =>
	compareResults(results).map(
		({ path, state, versions }) => `${path}: ${state} ${versions.map(v => v ?? '-').join('')}`,
	);

describe('what several agents have changed', () => {
	it('tells files of one, files in different states and files that are the same', () => {
		assert.deepEqual(
			summary([file('a', '1'), file('b', '1'), file('both', '1')], [file('b', '2'), file('both', '1'), file('c', '1')]),
			['a: only 0-', 'b: different 01', 'both: same 00', 'c: only -1'],
		);
	});

	it('marks what some of three have in common', () => {
		assert.deepEqual(summary([file('a', '1')], [file('a', '2')], [file('a', '1')]), ['a: different 010']);
		assert.deepEqual(summary([file('a', '1')], [], [file('a', '1')]), ['a: different 0-0']);
	});

	it('takes the same content for the same only with the same mode, and a deletion for one', () => {
		const program = file('a', '1', { after: { path: 'a', object: '1', kind: 'executable' } });
		assert.deepEqual(summary([file('a', '1')], [program]), ['a: different 01']);
		const gone = file('a', undefined, { status: 'D' });
		assert.deepEqual(summary([gone], [gone]), ['a: same 00']);
		assert.deepEqual(summary([gone], [file('a', '1')]), ['a: different 01']);
	});

	it('takes a file that was renamed for another one than a file that was added', () => {
		const renamed = file('new', '1', { status: 'R', before: { path: 'old', object: '1', kind: 'file' } });
		const added = file('new', '1', { status: 'A', before: undefined });
		assert.deepEqual(summary([renamed], [added]), ['new: different 01']);
		assert.deepEqual(summary([renamed], [renamed]), ['new: same 00']);
	});

	it('counts files without lines as files', () => {
		assert.deepEqual(countChanges([file('a', '1'), file('b', '1', { lines: undefined })]), {
			added: 2,
			removed: 1,
			files: 2,
		});
	});

	it('compares 10,000 files of four in little time', () => {
		const files = Array.from({ length: 10_000 }, (_, at) => file(`src/${at}.ts`, String(at % 7)));
		const spent = processorMs(() => {
			assert.equal(compareResults([files, files, files, files]).length, 10_000);
		});
		assert.ok(spent < 2_000, `${spent} ms`);
	});
});
