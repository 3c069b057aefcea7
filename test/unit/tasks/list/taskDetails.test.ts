import assert from 'node:assert/strict';
import { taskDetails } from '../../../../src/tasks/list/taskDetails.ts';
import { DOCUMENTED_TASK } from '../../../support/contractFields.ts';
import { readTask } from '../../../support/readTask.ts';

const details = (task: object) => taskDetails(readTask({ id: 't1', ...task }));

describe('the details of a task', () => {
	it('have every field that the contract names, and those it does not', () => {
		const text = details(DOCUMENTED_TASK);
		for (const [name, value] of Object.entries(DOCUMENTED_TASK)) {
			const [line] = (typeof value === 'string' ? value : JSON.stringify(value)).split('\n');
			assert.ok(text.includes(`\n${name}: `), name);
			assert.ok(typeof value === 'object' || name === 'prompt' || text.includes(`${name}: ${line}`), name);
		}
		assert.match(text, /^# State\nid: t-815\nstatus: completed\n/);
		assert.match(text, /\nprompt: \|\n {2}Add prices\n {2}and taxes\n/);
		assert.match(text, /\nhostDeploymentSettings: \{\n {2}"region": "north"\n\}\n\n# Started by\n/);
		assert.match(text, /\n# Other details from the service\nmood: \{\n {2}"good": true\n\}\n$/);
	});

	it('leave out what is absent, and the headings of nothing', () => {
		assert.equal(details({ status: 'None', error: null, unknown: 'None' }), '# State\nid: t1\n');
	});

	it('show what is hidden, take keys out, and leave the changes to their own view', () => {
		const text = details({
			prompt: 'see \u202egnp.exe',
			repoUrl: 'https://ada:hunter2secret@host.example/x',
			agentExecutions: [{ agent: 'quill', gitDiff: 'diff --git a b' }],
		});
		assert.doesNotMatch(text, /\u202e|hunter2secret|diff --git/);
		assert.match(text, /"agent": "quill"/);
	});
});
