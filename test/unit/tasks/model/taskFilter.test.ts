import assert from 'node:assert/strict';
import { isFiltered, matchesQuery, matchesText, NO_FILTER } from '../../../../src/tasks/model/taskFilter.ts';
import { readTask } from '../../../support/readTask.ts';

const task = readTask({
	id: 'task-7',
	prompt: 'Fix the Upload',
	status: 'timeout',
	selectedAgent: 'agent-a',
	branchName: 'errand/fix-upload',
	repoUrl: 'https://host.example/acme/widgets',
	prNumber: 42,
});

describe('the filter of the task list', () => {
	it('takes a task for what the service would list it as', () => {
		const lists = (status: 'active' | 'completed' | 'failed' | 'stopped') =>
			matchesQuery(task, { kind: 'all', status });
		assert.deepEqual(
			[lists('active'), lists('completed'), lists('failed'), lists('stopped')],
			[false, false, true, false],
		);
		assert.ok(matchesQuery(task, { kind: 'tasks', status: undefined }));
		assert.ok(!matchesQuery(task, { kind: 'batch', status: undefined }));
		assert.ok(matchesQuery({ ...task, batchId: 'b' }, { kind: 'batch', status: undefined }));
	});

	it('finds every word of its text somewhere in a task, in any case', () => {
		for (const text of ['', 'upload FIX', 'agent-a widgets', '#42', 'task-7']) {
			assert.ok(matchesText(task, text), text);
		}
		assert.ok(!matchesText(task, 'upload download'));
	});

	it('knows whether it shows anything else than by default', () => {
		assert.ok(!isFiltered(NO_FILTER));
		assert.ok(isFiltered({ ...NO_FILTER, text: 'x' }));
		assert.ok(isFiltered({ ...NO_FILTER, isOwnRepositoryOnly: true }));
		assert.ok(isFiltered({ ...NO_FILTER, showsArchived: true }), 'clearing it shows what is shown by default');
	});
});
