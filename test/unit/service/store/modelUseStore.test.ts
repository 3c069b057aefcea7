import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { taskSchema } from '../../../../src/contract/tasks.ts';
import { openDatabase } from '../../../../src/service/store/database.ts';
import type { CountedCalls } from '../../../../src/service/store/modelUseStore.ts';
import { type TaskRecord, toTask } from '../../../../src/service/store/taskRecord.ts';
import { TaskStore } from '../../../../src/service/store/taskStore.ts';

const CALL = {
	position: 0,
	turn: 1,
	agent: 'errand',
	model: 'small',
	provider: 'alpha',
	calls: 1,
	failedCalls: 0,
	estimatedCalls: 0,
	inputTokens: 100,
	outputTokens: 10,
	cost: 0.5,
};
const NOVEMBER = new Date(2026, 10, 30, 23, 59);
const DECEMBER = new Date(2026, 11, 1, 0, 1);

describe('what the model calls of tasks amount to', () => {
	let folder: string;
	let database: DatabaseSync;
	let store: TaskStore;

	beforeEach(() => {
		folder = mkdtempSync(path.join(os.tmpdir(), 'errand-use-'));
		database = openDatabase(path.join(folder, 'state.sqlite'));
		store = new TaskStore(database);
	});
	afterEach(() => {
		database.close();
		rmSync(folder, { recursive: true, force: true });
	});

	function addTask(id: string, agents = 1): TaskRecord {
		const choice = { agent: 'errand', model: 'small' };
		return store.create({
			id,
			prompt: 'Do it',
			repoUrl: '/repo',
			selectedBranch: 'main',
			agents: [choice, ...Array(agents - 1).fill(choice)],
			installDependencies: false,
			maxDuration: 60,
		});
	}
	const add = ({ sequence }: TaskRecord, call: Partial<CountedCalls> = {}, at = NOVEMBER) =>
		store.modelUse.add({ ...CALL, taskSequence: sequence, ...call }, at);
	/** The task as a client reads it. */
	function shown(id: string) {
		const task = store.get(id) ?? assert.fail('no task');
		return taskSchema.parse(
			JSON.parse(JSON.stringify(toTask(task, store.executions(task), store.modelUse.ofTask(task), 0))),
		);
	}

	it('adds up the calls for one model by one provider', () => {
		const task = addTask('a');
		add(task);
		add(task, { failedCalls: 1, estimatedCalls: 1 });
		assert.deepEqual(store.modelUse.ofTask(task), [
			{ ...CALL, calls: 2, failedCalls: 1, estimatedCalls: 1, inputTokens: 200, outputTokens: 20, cost: 1 },
		]);
	});

	it('tells calls without a price apart from those with one, so that no sum passes for complete', () => {
		const task = addTask('a');
		add(task);
		add(task, { cost: null });
		add(task, { cost: null });
		assert.deepEqual(
			store.modelUse.ofTask(task).map(({ calls, cost }) => ({ calls, cost })),
			[
				{ calls: 2, cost: null },
				{ calls: 1, cost: 0.5 },
			],
		);
		const { errand } = shown('a');
		assert.equal(errand?.cost, undefined);
		assert.equal(errand?.inputTokens, 300);
		assert.deepEqual(
			errand?.models?.map(({ calls, cost }) => ({ calls, cost })),
			[
				{ calls: 2, cost: undefined },
				{ calls: 1, cost: 0.5 },
			],
		);
	});

	it('shows what costs nothing as nothing, which is not the same as not known', () => {
		const task = addTask('a');
		add(task, { cost: 0 });
		assert.equal(shown('a').errand?.cost, 0);
	});

	it('says nothing of a cost before an agent has started, and zero once it has started and asked no model', () => {
		addTask('a');
		assert.deepEqual(shown('a').errand, {});
		store.update('a', 0, { sandboxed: true });
		const { cost, inputTokens, models } = shown('a').errand ?? {};
		assert.deepEqual({ cost, inputTokens, models }, { cost: 0, inputTokens: 0, models: [] });
	});

	it('names the provider of each part, and none where none has served', () => {
		const task = addTask('a');
		add(task, { provider: 'beta' });
		add(task, { provider: undefined, failedCalls: 1, inputTokens: 0, outputTokens: 0, cost: 0 });
		assert.deepEqual(
			shown('a').errand?.models?.map(({ model, provider, failedCalls }) => ({ model, provider, failedCalls })),
			[
				{ model: 'small', provider: undefined, failedCalls: 1 },
				{ model: 'small', provider: 'beta', failedCalls: 0 },
			],
		);
	});

	it('keeps the turns of a task, and counts only the last one against its limit', () => {
		const task = addTask('a');
		store.update('a', 0, { sandboxed: true, maxCost: 2, status: 'completed' });
		add(task);
		assert.deepEqual(shown('a').errand?.budget, { limit: 2, spent: 0.5 });
		store.followUp('a', { prompt: 'More', agent: 'errand', model: 'large' }, []);
		assert.equal(shown('a').errand?.budget, undefined);
		store.update('a', 0, { maxCost: 2 });
		add(task, { turn: 2, model: 'large', cost: 0.25 });
		add(task, { turn: 2, model: 'large', cost: null });
		const { budget, models, inputTokens } = shown('a').errand ?? {};
		assert.deepEqual(budget, { limit: 2, spent: 0.25, atLeast: true });
		assert.equal(inputTokens, 300);
		assert.deepEqual(
			models?.map(({ turn, model, cost }) => [turn, model, cost]),
			[
				[1, 'small', 0.5],
				[2, 'large', undefined],
				[2, 'large', 0.25],
			],
		);
	});

	it('sums up several agents for their task, and tells the limit of each', () => {
		const task = addTask('a', 2);
		for (const position of [0, 1]) {
			store.update('a', position, { sandboxed: true, maxCost: 1 });
			add(task, { position, cost: position === 0 ? 0.5 : null });
		}
		const { errand, agentExecutions } = shown('a');
		assert.equal(errand?.cost, undefined);
		assert.equal(errand?.inputTokens, 200);
		assert.equal(errand?.budget, undefined);
		assert.deepEqual(
			agentExecutions?.map(execution => [execution?.errand?.cost, execution?.errand?.budget?.limit]),
			[
				[0.5, 1],
				[undefined, 1],
			],
		);
	});

	it('adds up all tasks by calendar month, the latest first', () => {
		const [one, other] = [addTask('a'), addTask('b')];
		add(one);
		add(other);
		add(other, { provider: undefined, cost: null });
		add(one, { turn: 2 }, DECEMBER);
		const [december, november, ...more] = store.modelUse.months();
		assert.deepEqual(more, []);
		assert.equal(december?.month, '2026-12');
		assert.equal(december.tasks, 1);
		assert.equal(november?.month, '2026-11');
		assert.equal(november.tasks, 2);
		assert.deepEqual(
			november.models.map(({ provider, calls, cost }) => ({ provider, calls, cost })),
			[
				{ provider: null, calls: 1, cost: null },
				{ provider: 'alpha', calls: 2, cost: 1 },
			],
		);
	});
});
