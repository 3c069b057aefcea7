import assert from 'node:assert/strict';
import { taskSchema } from '../../../../src/contract/tasks.ts';
import { exportTask } from '../../../../src/tasks/model/exportTask.ts';

const SECRET = 'sk-secret-0123456789';
const FACTS = {
	connection: { name: 'acme', label: 'Acme' },
	now: Date.parse('2026-11-22T10:00:00Z'),
	baseOf: () => undefined,
};
const FIELDS = {
	id: 'task-1',
	prompt: 'Do it',
	repoUrl: 'https://host.example/acme/widgets.git',
	selectedAgent: 'errand',
	selectedModel: 'fast',
	status: 'completed',
	selectedBranch: 'main',
	branchName: 'errand/do-it',
	diffStats: { totalLinesAdded: 3, totalLinesRemoved: 1, totalFilesChanged: 2 },
	createdAt: '2026-11-22T09:00:00Z',
};
const MODEL = {
	agent: 'errand',
	turn: 1,
	model: 'small',
	provider: 'alpha',
	calls: 8,
	failedCalls: 1,
	estimatedCalls: 0,
	inputTokens: 8000,
	outputTokens: 800,
	cost: 0.04,
};

describe('the export of a task', () => {
	const written = (fields: object, facts = {}) =>
		JSON.parse(exportTask(taskSchema.parse({ ...FIELDS, ...fields }), { ...FACTS, ...facts }));

	it('has the agents that worked on it, with their models and cost, and the result', () => {
		const errand = {
			sandboxed: true,
			baseCommit: 'a'.repeat(40),
			tests: 'passed',
			testFilesChanged: 1,
			inputTokens: 8000,
			outputTokens: 800,
			cost: 0.04,
			budget: { limit: 1, spent: 0.04 },
			models: [MODEL],
		};
		const { format, version, connection, task, agents } = written({ errand });
		assert.deepEqual([format, version, connection], ['errand-task', 1, { name: 'acme', label: 'Acme' }]);
		assert.equal(task.repository, 'https://host.example/acme/widgets.git');
		assert.equal(task.startBranch, 'main');
		assert.deepEqual(agents, [
			{
				agent: 'errand',
				askedModel: 'fast',
				status: 'completed',
				branch: 'errand/do-it',
				base: 'a'.repeat(40),
				sandboxed: true,
				tests: 'passed',
				testFilesChanged: 1,
				inputTokens: 8000,
				outputTokens: 800,
				cost: { usd: 0.04, known: 'whole', estimated: false },
				budget: { limitUsd: 1, spentUsd: 0.04, percent: 4, known: 'whole' },
				models: [
					{
						agent: 'errand',
						turn: 1,
						model: 'small',
						provider: 'alpha',
						requests: 8,
						failedRequests: 1,
						estimatedRequests: 0,
						inputTokens: 8000,
						outputTokens: 800,
						costUsd: 0.04,
					},
				],
				changes: { linesAdded: 3, linesRemoved: 1, files: 2 },
			},
		]);
	});

	it('says of a service that tells no cost that it is not known, and not that it was nothing', () => {
		const [agent] = written({}).agents;
		assert.deepEqual(agent.cost, { usd: null, known: 'nothing', estimated: null });
		assert.deepEqual([agent.inputTokens, agent.models, agent.budget, agent.tests], [null, null, null, null]);
	});

	it('tells a sum of which a part has no price as the least', () => {
		const models = [MODEL, { ...MODEL, model: 'large', cost: undefined }];
		const [agent] = written({ errand: { inputTokens: 16_000, models } }).agents;
		assert.deepEqual(agent.cost, { usd: 0.04, known: 'part', estimated: null });
		assert.deepEqual(
			agent.models.map(({ costUsd }: { costUsd: unknown }) => costUsd),
			[0.04, null],
		);
	});

	it('tells a cost of nothing where no model was asked', () => {
		const errand = { inputTokens: 0, outputTokens: 0, cost: 0, models: [] };
		assert.deepEqual(written({ errand }).agents[0].cost, { usd: 0, known: 'whole', estimated: false });
	});

	it('has each of several agents, and what they have used together', () => {
		const { agents, together } = written({
			selectedAgents: [
				{ agent: 'errand', model: 'small' },
				{ agent: 'pi', model: 'large' },
			],
			agentExecutions: [
				{ agent: 'errand', status: 'completed', branchName: 'errand/one', errand: { inputTokens: 1, cost: 0.5 } },
				{ agent: 'pi', status: 'error' },
			],
			errand: { inputTokens: 1, cost: 0.5 },
		});
		assert.deepEqual(
			agents.map(({ agent, askedModel, branch, cost }: Record<string, { usd: unknown }>) => [
				agent,
				askedModel,
				branch,
				cost?.usd,
			]),
			[
				['errand', 'small', 'errand/one', 0.5],
				['pi', 'large', null, null],
			],
		);
		assert.equal(together.cost.usd, 0.5);
	});

	it('takes the base from this window where the service does not tell it', () => {
		const asked: unknown[] = [];
		const facts = {
			baseOf(result: unknown) {
				asked.push(result);
				return 'b'.repeat(40);
			},
		};
		assert.equal(written({}, facts).agents[0].base, 'b'.repeat(40));
		assert.deepEqual(asked, [{ key: 'task-1', taskId: 'task-1', branch: 'errand/do-it', agent: undefined }]);
	});

	it('has no credentials, no address with a token, and nothing that names the user', () => {
		const text = JSON.stringify(
			written({
				repoUrl: `https://me:${SECRET}@host.example/acme/widgets.git?token=${SECRET}`,
				error: `fatal: unable to access 'https://me:${SECRET}@host.example/': 403`,
				userId: 'me@host.example',
				creatorName: 'Me Myself',
				sandboxUrl: `https://sandbox.example/?token=${SECRET}`,
				prUrl: `https://host.example/pr/1?token=${SECRET}`,
				deploymentSettings: { key: SECRET },
				errand: { models: [{ ...MODEL, key: SECRET }], note: SECRET },
			}),
		);
		assert.ok(!text.includes(SECRET));
		assert.doesNotMatch(text, /me@host|Myself/);
		assert.match(text, /https:\/\/host\.example\/acme\/widgets\.git/);
	});

	it('leaves an address out that cannot be read', () => {
		assert.equal(written({ repoUrl: `git@me:${SECRET}@host.example:acme/widgets` }).task.repository, null);
	});
});
