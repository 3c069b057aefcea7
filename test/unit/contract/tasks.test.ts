import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
	followEventSchemas,
	isActiveTask,
	isFinalStatus,
	readLogEvent,
	taskReplySchema,
	taskSchema,
} from '../../../src/contract/tasks.ts';

describe('the state of a task', () => {
	for (const status of ['pending', 'processing', 'saving', 'running', 'queued']) {
		it(`is active when ${status}, whatever else is set`, () => {
			assert.ok(isActiveTask({ status, completedAt: '2026-11-21T10:00:00Z' }));
			assert.ok(!isFinalStatus(status));
		});
	}
	for (const status of ['completed', 'error', 'stopped', 'timeout', 'failed', 'cancelled', 'interrupted']) {
		it(`is final when ${status}`, () => {
			assert.ok(!isActiveTask({ status }));
			assert.ok(isFinalStatus(status));
		});
	}
	it('counts as active when it is unknown, until the task is completed', () => {
		assert.ok(isActiveTask({ status: 'dreaming' }));
		assert.ok(isActiveTask({}));
		assert.ok(!isActiveTask({ status: 'dreaming', completedAt: '2026-11-21T10:00:00Z' }));
	});
});

describe('taskSchema', () => {
	it('demands nothing but an id', () => {
		assert.deepEqual(taskSchema.parse({ id: 'a' }), { id: 'a' });
		for (const value of [{}, { id: '' }, { id: 1 }, null]) {
			assert.ok(!taskSchema.safeParse(value).success);
		}
	});

	it('reads every documented field as it came', () => {
		const documented = {
			id: 'a',
			userId: 'ada@host.example',
			teamId: 'team-1',
			prompt: 'Fix it',
			repoUrl: 'https://host.example/acme/widgets',
			selectedAgent: 'agent-a',
			selectedModel: 'large',
			installDependencies: true,
			maxDuration: 1800,
			status: 'completed',
			progress: 100,
			error: 'none so far',
			selectedBranch: 'main',
			branchName: 'task/a',
			sandboxUrl: 'https://sandbox.example',
			sandboxId: 's1',
			merged: false,
			diffStats: { totalLinesAdded: 1, totalLinesRemoved: 2, totalFilesChanged: 3 },
			autoDeployEnabled: false,
			someHostDeploymentSettings: { deep: [1] },
			deployments: [{ any: 1 }, 'thing'],
			badge: 'new',
			batchId: 'b1',
			createdAt: '2026-11-21T10:00:00Z',
			updatedAt: '2026-11-21T10:01:00Z',
			completedAt: '2026-11-21T10:02:00Z',
			creatorName: 'Ada',
			creatorImage: 'https://host.example/ada.png',
			prNumber: 7,
			prUrl: 'https://host.example/acme/widgets/7',
			isEmptyGitUser: true,
			multiLaunch: true,
			selectedAgents: [{ agent: 'agent-a', model: 'large' }],
			agentExecutions: [{ agent: 'agent-a', status: 'completed', branchName: 'b', gitDiff: '+1' }],
		};
		assert.deepEqual(taskSchema.parse(documented), documented);
		for (const absent of [null, 'None', () => {}]) {
			const value = Object.fromEntries(Object.keys(documented).map(key => [key, key === 'id' ? 'a' : absent]));
			const read = taskSchema.parse(value);
			// Fields that are not known by name are kept as they came; the word None may be a prompt.
			for (const [key, field] of Object.entries(read)) {
				const kept = key === 'id' || key === 'someHostDeploymentSettings' || (key === 'prompt' && absent === 'None');
				assert.equal(field !== undefined, kept, key);
			}
		}
	});

	it('reads a reply with the task in it, or as it', () => {
		assert.equal(taskReplySchema.parse({ task: { id: 'a' } }).id, 'a');
		assert.equal(taskReplySchema.parse({ id: 'a' }).id, 'a');
		assert.equal(taskReplySchema.parse({ message: 'Stopped', task: { id: 'a' } }).id, 'a');
		assert.ok(!taskReplySchema.safeParse({ message: 'Stopped' }).success);
	});
});

describe('readLogEvent', () => {
	const loose = fc.oneof(fc.string(), fc.integer(), fc.constantFrom(null, undefined, 'None', true, {}));
	const event = fc.record(
		{
			index: fc.oneof(fc.nat(), loose),
			log: fc.oneof(
				loose,
				fc.record({ type: loose, message: loose, agent: loose, step: loose, more: loose }, { requiredKeys: [] }),
			),
			timestamp: loose,
		},
		{ requiredKeys: [] },
	);

	it('reads the same by its fast way as by its lenient one', () => {
		fc.assert(
			fc.property(event, value => {
				// JSON has no undefined: a field is there or not.
				const parsed = JSON.parse(JSON.stringify(value));
				const plain = (read: unknown) => JSON.parse(JSON.stringify(read ?? null));
				assert.deepEqual(plain(readLogEvent(parsed)), plain(followEventSchemas.log.safeParse(parsed).data));
			}),
		);
	});

	it('takes the fast way for what the contract shows', () => {
		const log = { type: 'info', contentType: 'message', message: 'x', timestamp: 't', agent: 'a', step: 's' };
		const value = { index: 0, log, timestamp: 't' };
		// The lenient way makes a new object.
		assert.equal(readLogEvent(value), value);
	});

	it('takes the word None for absent in every field but the message', () => {
		const none = 'None';
		const log = { type: none, contentType: none, message: none, timestamp: none, agent: none, step: none };
		const read = readLogEvent({ index: 0, log, timestamp: none });
		assert.deepEqual(JSON.parse(JSON.stringify(read)), { index: 0, log: { message: none } });
	});

	it('demands a whole index that is not negative', () => {
		for (const index of [-1, 1.5, 1e300, '1', undefined]) {
			assert.equal(readLogEvent({ index, log: {} }), undefined);
		}
		assert.equal(readLogEvent({ index: 3, log: {} })?.index, 3);
	});
});

describe('followEventSchemas', () => {
	it('takes each event without any of its optional fields', () => {
		for (const schema of [followEventSchemas.status, followEventSchemas.complete]) {
			assert.ok(schema.safeParse({}).success);
		}
	});
});
