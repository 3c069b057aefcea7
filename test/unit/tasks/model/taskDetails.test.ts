import assert from 'node:assert/strict';
import { taskDetails } from '../../../../src/tasks/model/taskDetails.ts';
import { readTask } from '../../../support/readTask.ts';

const details = (task: object) => taskDetails(readTask({ id: 't1', ...task }), group => group);

/** Each field of a task that the contract names, with a value that is found again. */
const documented = {
	id: 't-815',
	userId: 'user-7',
	teamId: 'team-3',
	prompt: 'Add prices\nand taxes',
	repoUrl: 'https://host.example/acme/widgets',
	selectedAgent: 'quill',
	selectedModel: 'small',
	installDependencies: true,
	maxDuration: 600,
	status: 'completed',
	progress: 100,
	error: 'none of it',
	selectedBranch: 'main',
	branchName: 'quill/prices',
	sandboxUrl: 'https://sandbox.example/1',
	sandboxId: 'box-1',
	merged: false,
	diffStats: { totalLinesAdded: 3, totalLinesRemoved: 1, totalFilesChanged: 2 },
	autoDeployEnabled: true,
	hostDeploymentSettings: { region: 'north' },
	mood: { good: true },
	deployments: [{ url: 'https://preview.example' }],
	badge: 'beta',
	batchId: 'batch-9',
	createdAt: '2026-01-01T10:00:00Z',
	updatedAt: '2026-01-01T10:05:00Z',
	completedAt: '2026-01-01T10:10:00Z',
	creatorName: 'Ada',
	creatorImage: 'https://people.example/ada.png',
	prNumber: 12,
	prUrl: 'https://host.example/acme/widgets/pull/12',
	isEmptyGitUser: false,
};

describe('the details of a task', () => {
	it('have every field that the contract names, and those it does not', () => {
		const text = details(documented);
		for (const [name, value] of Object.entries(documented)) {
			const [line] = (typeof value === 'string' ? value : JSON.stringify(value)).split('\n');
			assert.ok(text.includes(`\n${name}: `), name);
			assert.ok(typeof value === 'object' || name === 'prompt' || text.includes(`${name}: ${line}`), name);
		}
		assert.match(text, /^# state\nid: t-815\nstatus: completed\n/);
		assert.match(text, /\nprompt: \|\n {2}Add prices\n {2}and taxes\n/);
		assert.match(text, /\nhostDeploymentSettings: \{\n {2}"region": "north"\n\}\n\n# people\n/);
		assert.match(text, /\n# other\nmood: \{\n {2}"good": true\n\}\n$/);
	});

	it('leave out what is absent, and the headings of nothing', () => {
		assert.equal(details({ status: 'None', error: null, unknown: 'None' }), '# state\nid: t1\n');
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
