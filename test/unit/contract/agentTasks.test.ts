import assert from 'node:assert/strict';
import {
	AGENT_TASK_STATES,
	agentTaskListQuerySchema,
	agentTaskListSchema,
	agentTaskSchema,
} from '../../../src/contract/agentTasks.ts';
import { isActiveTask } from '../../../src/contract/tasks.ts';

const plain = (value: unknown) => JSON.parse(JSON.stringify(value));

describe('an agent task', () => {
	it('demands nothing but its id', () => {
		assert.deepEqual(
			plain(agentTaskSchema.parse({ taskId: 'a', runId: null, status: 'None', model: 7, startedAt: {}, extra: 1 })),
			{ taskId: 'a', extra: 1 },
		);
		for (const value of [{}, { taskId: '' }, { taskId: 1 }, { id: 'a' }, null]) {
			assert.ok(!agentTaskSchema.safeParse(value).success);
		}
	});

	it('is active while it is queued or running', () => {
		const active = AGENT_TASK_STATES.filter(status => isActiveTask({ status }));
		assert.deepEqual(active, ['queued', 'running']);
	});
});

describe('a list of agent tasks', () => {
	it('comes with its page, or bare', () => {
		const tasks = [{ taskId: 'a' }, 7];
		for (const reply of [{ tasks }, tasks]) {
			const read = agentTaskListSchema.parse(reply);
			assert.deepEqual(
				read.tasks.map(task => task?.taskId),
				['a', undefined],
			);
		}
		assert.deepEqual(agentTaskListSchema.parse({ tasks: null }).tasks, []);
	});

	for (const reply of [null, 'text', 7, {}, { tasks: {} }, { error: 'x' }]) {
		it(`is not ${JSON.stringify(reply)}`, () => {
			assert.ok(!agentTaskListSchema.safeParse(reply).success);
		});
	}

	it('is asked for by page, limit and one of the states alone', () => {
		assert.ok(agentTaskListQuerySchema.safeParse({ page: 1, limit: 1, status: 'interrupted' }).success);
		for (const query of [{ page: 0 }, { limit: 0 }, { page: 1.5 }, { status: 'pending' }, { offset: 1 }]) {
			assert.ok(!agentTaskListQuerySchema.safeParse(query).success);
		}
	});
});
