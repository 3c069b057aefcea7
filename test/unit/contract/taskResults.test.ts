import assert from 'node:assert/strict';
import { baseCommitOf, isRace, resultsOf } from '../../../src/contract/taskResults.ts';
import type { Task } from '../../../src/contract/tasks.ts';
import { readTask } from '../../support/readTask.ts';

/** Returns a task in the way in which a service writes it. */
const taskOf = (fields: object): Task => readTask({ id: 't1', ...fields });

describe('the results of a task', () => {
	it('are its branch alone, where one agent worked, whatever is said of that agent', () => {
		const task = taskOf({ branchName: 'fix', agentExecutions: [{ agent: 'demo', branchName: 'other' }] });
		assert.equal(isRace(task), false);
		assert.deepEqual(resultsOf(task), [{ key: 't1', taskId: 't1', branch: 'fix', agent: undefined }]);
		assert.deepEqual(resultsOf(taskOf({})), []);
	});

	it('are those of the agents that have made one, each with a key that stays while others come', () => {
		const task = taskOf({
			branchName: 'fix',
			agentExecutions: [{ agent: 'demo' }, { agent: 'other', branchName: 'fix-other' }],
		});
		assert.equal(isRace(task), true);
		assert.deepEqual(resultsOf(task), [
			{ key: 't1:1', taskId: 't1', branch: 'fix-other', agent: 'other', name: 'other' },
		]);
		assert.equal(isRace({ ...task, multiLaunch: false }), false);
	});

	it('have a name each, with what differs where one agent works several times', () => {
		const namesOf = (...models: (string | undefined)[]) =>
			resultsOf(
				taskOf({
					selectedAgents: models.map(model => ({ agent: 'errand', model })),
					agentExecutions: models.map((_, at) => ({ agent: 'errand', branchName: `fix-${at}` })),
				}),
			).map(({ name }) => name);
		assert.deepEqual(namesOf('small', 'large'), ['errand (small)', 'errand (large)']);
		assert.deepEqual(namesOf('small', 'small'), ['errand (1)', 'errand (2)']);
	});

	it('have each the commit that its own execution began at', () => {
		const task = taskOf({
			errand: { baseCommit: 'aa' },
			agentExecutions: [{ agent: 'demo' }, { agent: 'other', errand: { baseCommit: 'bb' } }],
		});
		assert.equal(baseCommitOf(task, { key: 't1' }), 'aa');
		assert.equal(baseCommitOf(task, { key: 't1:0' }), undefined);
		assert.equal(baseCommitOf(task, { key: 't1:1' }), 'bb');
		assert.equal(baseCommitOf(task, { key: 't1:2' }), undefined);
	});
});
