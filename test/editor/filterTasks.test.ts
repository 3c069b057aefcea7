import assert from 'node:assert/strict';
import { pickTaskFilter } from '../../src/tasks/list/filterTasks.ts';
import { NO_FILTER, type TaskFilter } from '../../src/tasks/model/taskFilter.ts';
import { waitFor } from '../support/waitFor.ts';
import { QuickPicks } from './quickPicks.ts';

describe('the list in which tasks are filtered', () => {
	let picks: QuickPicks;
	let applied: TaskFilter[];

	beforeEach(() => {
		picks = new QuickPicks();
		applied = [];
	});
	afterEach(() => picks.stop());

	const choices = () => picks.last?.items ?? [];
	const labelled = (label: string) => choices().find(item => item.label.endsWith(label)) ?? assert.fail(`no ${label}`);
	const take = async (label: string) => {
		const before = applied.length;
		await waitFor(`${label} to be taken`, async () => {
			if (picks.last && applied.length === before) {
				picks.last.activeItems = [labelled(label)];
				await picks.editorHasCaughtUp();
				await picks.accept();
			}
			return applied.length > before;
		});
	};

	it('applies each choice at once and stays open, marks what is chosen, and offers to clear it', async () => {
		const ended = pickTaskFilter(NO_FILTER, filter => applied.push(filter));
		assert.ok(!choices().some(({ label }) => label.endsWith('Clear Filter')));
		await take('Failed');
		assert.equal(applied.at(-1)?.status, 'failed');
		assert.equal(labelled('Failed').description, 'shown');
		await take('Clear Filter');
		assert.deepEqual(applied.at(-1), NO_FILTER);
		await picks.leaveAll(ended);
	});

	it('takes what is typed as the words that tasks must hold, and ends with that', async () => {
		const ended = pickTaskFilter(NO_FILTER, filter => applied.push(filter));
		await picks.editorHasCaughtUp();
		if (picks.last) {
			picks.last.value = ' nothing of $(this) kind ';
		}
		const row = 'Only tasks that contain “nothing of \\$(this) kind”';
		await waitFor('the row for it', () => choices()[0]?.label.endsWith(row));
		await waitFor('it to be taken', async () => {
			await picks.accept();
			return applied.length > 0;
		});
		await ended;
		assert.deepEqual(applied, [{ ...NO_FILTER, text: 'nothing of $(this) kind' }]);
	});
});
