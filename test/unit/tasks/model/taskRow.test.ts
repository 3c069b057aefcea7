import assert from 'node:assert/strict';
import type { Task } from '../../../../src/contract/tasks.ts';
import type { FollowState } from '../../../../src/tasks/model/followState.ts';
import { describeTask, repositoryName } from '../../../../src/tasks/model/taskRow.ts';
import { processorMs } from '../../../support/processorTime.ts';
import { readTask } from '../../../support/readTask.ts';
import { rowWords } from '../../../support/rowWords.ts';

const now = Date.parse('2026-11-21T12:00:00Z');
const describeRow = (task: Partial<Task>, follow?: FollowState, isStopping = false) =>
	describeTask(readTask({ id: 't', ...task }), { now, follow, isStopping }, rowWords);

describe('the row of a task', () => {
	const active: Partial<Task> = {
		status: 'processing',
		progress: 45,
		selectedAgent: 'agent-a',
		selectedBranch: 'main',
		branchName: 'errand/add-retry',
		prompt: 'Add retry to client',
	};

	it('says first how many agents have a prompt, as each has a row of its own', () => {
		const agentExecutions = [{}, {}] as Task['agentExecutions'];
		assert.equal(describeRow({ status: 'completed', agentExecutions }).description, '2 agents · completed');
	});

	it('says how the tests ended that the service ran, and what the agent has cost as far as that is known', () => {
		const ended = {
			status: 'completed',
			diffStats: { totalLinesAdded: 3, totalLinesRemoved: 1, totalFilesChanged: 2 },
		};
		const description = (errand: Task['errand']) => describeRow({ ...ended, errand }).description;
		assert.equal(description({ tests: 'passed', cost: 0.04 } as Task['errand']), '+3 −1 in 2 · tests passed · $0.04');
		assert.equal(description({ tests: 'failed', cost: 0 } as Task['errand']), '+3 −1 in 2 · tests failed');
		assert.equal(description(undefined), '+3 −1 in 2');
		const free = { inputTokens: 100, cost: 0 } as Task['errand'];
		assert.equal(description(free), '+3 −1 in 2 · $0');
		const models = [
			{ model: 'a', inputTokens: 1, cost: 0.04 },
			{ model: 'b', inputTokens: 1 },
		];
		assert.equal(description({ inputTokens: 2, models } as Task['errand']), '+3 −1 in 2 · at least $0.04');
		assert.equal(description({ inputTokens: 2 } as Task['errand']), '+3 −1 in 2');
	});

	it('says progress, agent, branch and what following does, in this order', () => {
		const row = describeRow(active, { kind: 'live' });
		assert.equal(row.label, 'Add retry to client');
		assert.equal(row.description, '45 % · agent-a · errand/add-retry · live');
		assert.equal(row.accessibleLabel, 'Add retry to client, 45 %, agent-a, errand/add-retry, live');
		assert.ok(row.isActive);
	});

	it('says that an agent works without a sandbox, while it does', () => {
		const of = (fields: Partial<Task>) => describeRow({ ...active, ...fields });
		assert.equal(
			of({ errand: { sandboxed: false } as Task['errand'] }).accessibleLabel,
			'Add retry to client, 45 %, no sandbox, agent-a, errand/add-retry',
		);
		assert.doesNotMatch(of({ errand: { sandboxed: true } as Task['errand'] }).description, /sandbox/);
		assert.doesNotMatch(
			of({ errand: { sandboxed: false } as Task['errand'], status: 'stopped' }).description,
			/sandbox/,
		);
	});

	it('has work to keep only where the service says so and the task is over', () => {
		const errand = { canKeep: true } as Task['errand'];
		assert.ok(describeRow({ status: 'stopped', errand }).isKeepable);
		assert.ok(!describeRow({ status: 'processing', errand }).isKeepable);
		assert.ok(!describeRow({ status: 'stopped', errand: { canKeep: false } as Task['errand'] }).isKeepable);
		assert.ok(!describeRow({ status: 'stopped' }).isKeepable);
	});

	it('says since when a task is there that is not followed, and of which other repository it is', () => {
		const task = readTask({ id: 't', ...active, createdAt: '2026-11-21T11:48:00Z' });
		const row = describeTask(task, { now, follow: undefined, isStopping: false, repository: 'acme/other' }, rowWords);
		assert.equal(row.description, '45 % · agent-a · errand/add-retry · acme/other · 12 min');
		assert.equal(repositoryName('https://host.example/acme/widgets.git'), 'acme/widgets');
		assert.equal(repositoryName('C:\\code\\widgets\\'), 'code/widgets');
	});

	it('says where it reconnects, and does not look alive then', () => {
		const row = describeRow(active, { kind: 'reconnecting', nextIndex: 318, attempt: 2, since: undefined });
		assert.match(row.description, /reconnecting at 318$/);
		assert.notEqual(row.icon.id, describeRow(active, { kind: 'live' }).icon.id);
	});

	it('claims no progress that the service did not tell', () => {
		assert.equal(describeRow({ status: 'processing' }).description, 'running');
		assert.equal(describeRow({ status: 'processing', progress: 0 }).description, '0 %');
	});

	it('says the outcome to a screen reader where only the icon shows it', () => {
		const diffStats = { totalLinesAdded: 1, totalLinesRemoved: 2, totalFilesChanged: 3 };
		assert.equal(
			describeRow({ status: 'completed', prompt: 'Tidy', diffStats }).accessibleLabel,
			'Tidy, completed, +1 −2 in 3',
		);
		assert.equal(describeRow({ status: 'completed', prompt: 'Tidy' }).accessibleLabel, 'Tidy, completed');
	});

	it('never has an icon that turns', () => {
		for (const status of [
			'pending',
			'queued',
			'processing',
			'running',
			'saving',
			'completed',
			'error',
			'new',
			undefined,
		]) {
			assert.doesNotMatch(describeRow({ status }).icon.id, /spin|loading|sync$/);
		}
	});

	it('says stopping until a final state is known', () => {
		assert.match(describeRow(active, undefined, true).description, /^stopping · /);
		assert.match(describeRow({ ...active, status: 'stopped' }, undefined, true).description, /^stopped · /);
	});

	it('says outcome, agent, branch, pull request and age of a task that is over', () => {
		const row = describeRow(
			{
				...active,
				status: 'completed',
				completedAt: '2026-11-21T10:00:00Z',
				prNumber: 42,
				diffStats: { totalLinesAdded: 120, totalLinesRemoved: 8, totalFilesChanged: 4 },
			},
			{ kind: 'ended' },
		);
		assert.equal(row.description, '+120 −8 in 4 · agent-a · errand/add-retry · PR 42 · 120 min');
		assert.ok(!row.isActive);
	});

	it('says the error of a task that failed', () => {
		const row = describeRow({
			status: 'error',
			error: 'Tests still red\nafter 2 tries',
			updatedAt: '2026-11-21T11:57:00Z',
		});
		assert.equal(row.description, 'failed · 3 min · Tests still red after 2 tries');
	});

	it('shows an unknown state by its own name, and a task without a prompt as untitled', () => {
		assert.equal(describeRow({ status: 'warming\u001b[31m up' }).description, 'warming up');
		assert.equal(describeRow({ prompt: ' \n ' }).label, 'Untitled');
	});

	it('keeps progress within its range', () => {
		assert.equal(describeRow({ status: 'processing', progress: -3 }).description, '0 %');
		assert.equal(describeRow({ status: 'processing', progress: 1e9 }).description, '100 %');
	});

	it('stays short and on one line for hostile text', () => {
		const hostile = '\u202e\u001b]0;x\u0007line\n'.repeat(200_000);
		let row = describeRow({});
		const spent = processorMs(() => {
			row = describeRow({
				prompt: hostile,
				error: hostile,
				selectedAgent: hostile,
				branchName: hostile,
				status: hostile,
			});
		});
		assert.ok(spent < 200, `${spent} ms`);
		assert.ok(row.label.length <= 80 && row.description.length <= 400);
		// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
		assert.doesNotMatch(row.label + row.description, /[\n\u001b\u0007\u202e]/);
	});

	it('names a repository whose address has slashes without end', () => {
		let name = '';
		const spent = processorMs(() => {
			name = repositoryName(`https://host.example/acme/${'/'.repeat(500_000)}widgets.git\\/`);
		});
		assert.ok(spent < 200, `${spent} ms`);
		assert.equal(name, '/widgets');
	});
});
