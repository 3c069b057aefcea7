import assert from 'node:assert/strict';
import { type HunkRanges, withHunks } from '../../../../src/base/hunks.ts';
import { findHunks, hunksAt, hunksIn, readHunkRanges } from '../../../../src/tasks/apply/hunks.ts';
import { TaskInRepository } from '../../../support/taskInRepository.ts';

const range = (start: number, count: number) => ({ start, count });
const bytes = (text: string) => Buffer.from(text);
const BEFORE = bytes('one\ntwo\nthree\nfour\nfive\n');
const AFTER = bytes('zero\none\ntwo\n3\nfour\n');
const HUNKS: HunkRanges[] = [
	{ before: range(0, 0), after: range(0, 1) },
	{ before: range(2, 1), after: range(3, 1) },
	{ before: range(4, 1), after: range(5, 0) },
];

describe('hunks', () => {
	it('are read from a diff, whose lines cannot pose as headings', () => {
		const diff = '@@ -0,0 +1 @@\n+zero\n@@ -3 +4 @@ @@ -7 +7 @@\n-@@ -1 +1 @@\n+3\n@@ -5 +5,0 @@\n-five\n';
		assert.deepEqual(readHunkRanges(diff), HUNKS);
	});

	it('are found by git, whatever the user has configured for diffs', async () => {
		const task = await TaskInRepository.create({ 'a.txt': BEFORE }, { 'a.txt': AFTER });
		try {
			for (const [name, value] of [
				['diff.context', '5'],
				['diff.interHunkContext', '9'],
				['diff.external', 'false'],
				['color.ui', 'always'],
				['diff.algorithm', 'patience'],
			]) {
				await task.repository.git('config', name ?? '', value ?? '');
			}
			const [file] = task.files;
			assert.ok(file?.before && file.after);
			const { contents } = task.options();
			assert.deepEqual(await findHunks(task.place, file.before, file.after, contents), HUNKS);
			const link = { ...file.after, kind: 'link' } as const;
			assert.equal(await findHunks(task.place, file.before, link, contents), undefined);
			const missing = { ...file.after, object: '0'.repeat(40) };
			assert.equal(await findHunks(task.place, file.before, missing, contents), undefined);
		} finally {
			await task.repository.remove();
		}
	});

	it('make the one version of the other, all or some', () => {
		assert.equal(withHunks(BEFORE, AFTER, HUNKS).toString(), AFTER.toString());
		assert.equal(withHunks(BEFORE, AFTER, []).toString(), BEFORE.toString());
		assert.equal(withHunks(BEFORE, AFTER, HUNKS.slice(1, 2)).toString(), 'one\ntwo\n3\nfour\nfive\n');
		const end: HunkRanges[] = [{ before: range(0, 1), after: range(0, 1) }];
		assert.equal(withHunks(bytes('a'), bytes('a\n'), end).toString(), 'a\n');
		assert.equal(withHunks(bytes(''), bytes('a'), [{ before: range(0, 0), after: range(0, 1) }]).toString(), 'a');
	});

	it('are recognised in a text that has some of them, and in no other text', () => {
		for (const taken of [[], HUNKS.slice(0, 1), HUNKS.slice(1), HUNKS]) {
			assert.deepEqual(hunksIn(withHunks(BEFORE, AFTER, taken), BEFORE, AFTER, HUNKS, []), taken);
		}
		assert.equal(hunksIn(bytes('one\ntwo\n'), BEFORE, AFTER, HUNKS, []), undefined);
		assert.equal(hunksIn(bytes(`${BEFORE}more\n`), BEFORE, AFTER, HUNKS, []), undefined);
	});

	it('that could be there or not count as missing for the one who asks for them', () => {
		const before = bytes('a\n');
		const after = bytes('a\na\na\n');
		const hunks: HunkRanges[] = [
			{ before: range(0, 0), after: range(0, 1) },
			{ before: range(1, 0), after: range(2, 1) },
		];
		const [first, second] = hunks as [HunkRanges, HunkRanges];
		assert.deepEqual(hunksIn(bytes('a\na\n'), before, after, hunks, [second]), [first]);
		assert.deepEqual(hunksIn(bytes('a\na\n'), before, after, hunks, [first]), [second]);
	});

	it('are at a cursor on either side; one without lines there is on both lines around it', () => {
		const at = (side: 'before' | 'after', line: number) =>
			hunksAt(HUNKS, side, { first: line, last: line }).map(hunk => HUNKS.indexOf(hunk));
		assert.deepEqual(
			[0, 1, 2, 3, 4].map(line => at('before', line)),
			[[0], [], [1], [], [2]],
		);
		assert.deepEqual(
			[0, 1, 2, 3, 4, 5].map(line => at('after', line)),
			[[0], [], [], [1], [2], [2]],
		);
		assert.equal(hunksAt(HUNKS, 'after', { first: 0, last: 4 }).length, 3);
	});
});
