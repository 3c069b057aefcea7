import assert from 'node:assert/strict';
import type { ChangedFile } from '../../../../src/tasks/model/changedFile.ts';
import { isReviewSnapshot, markOf, snapshotOf } from '../../../../src/tasks/model/reviewSnapshot.ts';

const file = (path: string, object: string | undefined, kind: 'file' | 'executable' = 'file'): ChangedFile => ({
	status: 'M',
	before: { path, object: '0'.repeat(40), kind: 'file' },
	after: object === undefined ? undefined : { path, object, kind },
	lines: undefined,
	hasUnreadableName: false,
});
const [one, other] = ['1'.repeat(40), '2'.repeat(40)];

describe('a snapshot of changes that were reviewed', () => {
	const snapshot = snapshotOf(
		'first',
		[file('same', one), file('edited', one), file('deleted', undefined), file('mode', one)],
		7,
	);

	it('tells what is new and what has changed since', () => {
		const marks = [
			file('same', one),
			file('edited', other),
			file('added', one),
			file('deleted', undefined),
			file('mode', one, 'executable'),
			file('edited', undefined),
			file('__proto__', one),
		].map(changed => markOf(snapshot, 'second', changed));
		assert.deepEqual(marks, [undefined, 'changed', 'new', undefined, 'changed', 'changed', 'new']);
	});

	it('tells nothing at the same commit, without an earlier look, or of more files than are kept', () => {
		assert.equal(markOf(snapshot, 'first', file('added', one)), undefined);
		assert.equal(markOf(undefined, 'second', file('added', one)), undefined);
		const many = snapshotOf(
			'first',
			Array.from({ length: 5001 }, (_, index) => file(`file${index}`, one)),
			7,
		);
		assert.equal(many.files, undefined);
		assert.equal(markOf(many, 'second', file('added', one)), undefined);
	});

	it('is read again only as what it was', () => {
		assert.ok(isReviewSnapshot(JSON.parse(JSON.stringify(snapshot))));
		for (const value of [null, {}, { tip: 'x' }, { tip: 'x', at: 1, files: null }, 'x']) {
			assert.ok(!isReviewSnapshot(value));
		}
	});
});
