import assert from 'node:assert/strict';
import { describeFile } from '../../../../src/tasks/common/fileMessages.ts';
import type { ChangedFile } from '../../../../src/tasks/model/changedFile.ts';

const version = (path: string, kind: 'file' | 'executable' | 'link' | 'submodule' = 'file', object = 'a') => ({
	path,
	object,
	kind,
});
const file = (fields: Partial<ChangedFile>): ChangedFile => ({
	status: 'M',
	before: version('src/config.ts'),
	after: version('src/config.ts'),
	lines: { added: 80, removed: 4 },
	hasUnreadableName: false,
	...fields,
});
const rowOf = (fields: Partial<ChangedFile>, isCounted = true) => describeFile(file(fields), isCounted);

describe('the row of a changed file', () => {
	it('says its folder and its lines, and the status only to screen readers', () => {
		const row = rowOf({});
		assert.deepEqual([row.label, row.description, row.status], ['config.ts', 'src · +80 −4', 'M']);
		assert.equal(row.accessibleLabel, 'config.ts, src, modified, 80 lines added, 4 removed');
	});

	it('says what a renamed file was called, and that a mode has changed', () => {
		const row = rowOf({
			status: 'R',
			before: version('old/name.sh'),
			after: version('new.sh', 'executable'),
			lines: { added: 0, removed: 0 },
		});
		assert.deepEqual([row.label, row.description], ['new.sh', 'from old/name.sh · now executable']);
		const back = rowOf({ before: version('x', 'executable'), after: version('x'), lines: undefined }, false);
		assert.equal(back.description, 'no longer executable');
	});

	it('says what a file is that has no lines, but not before they are counted', () => {
		const none = { lines: undefined };
		assert.equal(rowOf(none, false).description, 'src');
		assert.equal(rowOf(none).description, 'src · binary');
		assert.equal(rowOf({ ...none, isTooLarge: true }).description, 'src · too large to compare');
		assert.equal(rowOf({ ...none, after: version('library', 'submodule') }).description, 'submodule');
		assert.equal(
			rowOf({ after: version('link', 'link'), lines: { added: 1, removed: 1 } }).description,
			'+1 −1 · link',
		);
		assert.equal(rowOf({ hasUnreadableName: true }).description, 'src · +80 −4 · name isn’t UTF-8');
	});

	it('says of a file that it belongs to the tests, because a change of them changes how the work is judged', () => {
		const row = rowOf({ before: version('test/a.ts'), after: version('test/a.ts') });
		assert.equal(row.description, 'test · +80 −4 · test');
	});

	it('is named by the file that is gone where it is deleted', () => {
		const row = rowOf({ status: 'D', before: version('a/b/gone.txt'), after: undefined });
		assert.deepEqual([row.label, row.description, row.status], ['gone.txt', 'a/b · +80 −4', 'D']);
	});
});
