import assert from 'node:assert/strict';
import { readTaskSettings } from '../../../../src/localService/model/taskSettings.ts';

interface Values {
	agents?: unknown;
	sandbox?: unknown;
	ownAccounts?: unknown;
	allowedAccounts?: unknown;
	maxCost?: unknown;
	routingPolicy?: unknown;
	retention?: unknown;
	environment?: Record<string, string>;
}

const read = ({ environment = {}, ...values }: Values) =>
	readTaskSettings(
		id =>
			({
				'errand.local.agents': values.agents,
				'errand.local.sandbox': values.sandbox,
				'errand.local.ownAccounts': values.ownAccounts,
				'errand.local.allowedAccounts': values.allowedAccounts,
				'errand.tasks.maxCost': values.maxCost,
				'errand.chat.routing': values.routingPolicy,
				'errand.chat.zeroDataRetention': values.retention,
			})[id],
		environment,
	);

describe('the settings about tasks that the service is told of', () => {
	it('are no agents, no limit and no routing policy where nothing is set', () => {
		const accounts = { ownAccounts: 'ask', allowedAccounts: {} };
		const expected = {
			tasks: { agents: [], variables: {}, sandbox: 'ask', ...accounts },
			agentProblems: [],
			unusable: [],
		};
		assert.deepEqual(read({}), expected);
		const defaults = { agents: [], sandbox: 'ask', ownAccounts: 'ask', allowedAccounts: {}, maxCost: 0 };
		assert.deepEqual(read({ ...defaults, routingPolicy: {}, retention: 'account' }), expected);
	});

	it('are agents with their defaults, the limit and the sandbox', () => {
		const { tasks } = read({ agents: [{ id: 'mine', command: 'mine' }], maxCost: 2.5, sandbox: 'require' });
		assert.deepEqual(tasks, {
			agents: [{ id: 'mine', command: 'mine', args: [], env: [], api: 'chat' }],
			variables: {},
			sandbox: 'require',
			ownAccounts: 'ask',
			allowedAccounts: {},
			maxCost: 2.5,
		});
	});

	it('leave out an agent that cannot be used, with what is wrong with it, and keep the others', () => {
		const { tasks, agentProblems } = read({
			agents: [
				{ id: 'good', command: 'a' },
				{ id: 'Up Case', command: 'b' },
				{ id: 'good', command: 'c' },
				{ id: 'bare' },
				'text',
				{ id: 'secret', command: 'd', env: ['KEY VALUE'] },
				{ id: 'more', command: 'e', shell: true },
			],
		});
		assert.deepEqual(
			tasks.agents.map(({ id, command }) => [id, command]),
			[['good', 'a']],
		);
		assert.deepEqual(
			agentProblems.map(({ name, issue }) => [name, issue?.path.join('.')]),
			[
				['Up Case', 'id'],
				['good', undefined],
				['bare', 'command'],
				['5', ''],
				['secret', 'env.0'],
				['more', ''],
			],
		);
	});

	it('hold the values of the variables that the agents name, and of no others', () => {
		const environment = { ONE: '1', TWO: '2', EMPTY: '', OTHER: 'secret', PATH: '/bin' };
		const { tasks } = read({
			environment,
			agents: [
				{ id: 'first', command: 'a', env: ['ONE', 'ABSENT', 'constructor'] },
				{ id: 'second', command: 'b', env: ['ONE', 'TWO', 'EMPTY'] },
				{ id: 'Bad Id', command: 'c', env: ['OTHER'] },
			],
		});
		assert.deepEqual(tasks.variables, { ONE: '1', TWO: '2', EMPTY: '' });
	});

	it('leave out an agent that names a variable which decides what programs load or where they look', () => {
		for (const name of ['LD_PRELOAD', 'NODE_OPTIONS', 'PATH', 'home', 'GIT_SSH_COMMAND', 'BASH_ENV', 'https_proxy']) {
			const agents = [{ id: 'mine', command: 'a', env: ['FINE', name] }];
			const { tasks, agentProblems } = read({ agents, environment: { [name]: 'x', FINE: 'y' } });
			assert.deepEqual([tasks.agents, tasks.variables], [[], {}], name);
			assert.deepEqual([agentProblems[0]?.issue?.code, agentProblems[0]?.issue?.path], ['custom', ['env', 1]]);
		}
	});

	it('merge zero data retention into the routing policy, the stricter of two settings winning', () => {
		const zdr = (retention: string, routingPolicy: object) => read({ retention, routingPolicy }).tasks.provider;
		assert.deepEqual(zdr('account', { sort: 'price' }), { sort: 'price' });
		assert.deepEqual(zdr('on', { sort: 'price' }), { sort: 'price', zdr: true });
		assert.deepEqual(zdr('on', { zdr: false }), { zdr: true });
		assert.deepEqual(zdr('off', { zdr: true }), { zdr: true });
		assert.deepEqual(zdr('off', {}), { zdr: false });
		assert.deepEqual(zdr('account', { zdr: false }), { zdr: false });
	});

	it('let no provider serve if the routing policy or the retention cannot be read, instead of ignoring it', () => {
		for (const values of [
			{ routingPolicy: { only: 'one' } },
			{ routingPolicy: { onyl: ['one'] } },
			{ routingPolicy: 7 },
		]) {
			const { tasks, unusable } = read(values);
			assert.deepEqual([tasks.provider, unusable], [{ only: [] }, ['errand.chat.routing']]);
		}
		const { tasks, unusable } = read({ retention: 'On' });
		assert.deepEqual([tasks.provider, unusable], [{ only: [] }, ['errand.chat.zeroDataRetention']]);
	});

	it('require a sandbox where the setting is neither of the two, and say what else cannot be used', () => {
		const { tasks, unusable } = read({ sandbox: 'no', maxCost: '5', agents: { id: 'mine' } });
		assert.deepEqual([tasks.agents, tasks.sandbox, tasks.maxCost], [[], 'require', undefined]);
		assert.deepEqual(unusable, ['errand.local.agents', 'errand.tasks.maxCost', 'errand.local.sandbox']);
		assert.deepEqual(read({ maxCost: -1 }).unusable, ['errand.tasks.maxCost']);
	});

	it('allow an agent its own account only where that can be read, and none where the setting cannot', () => {
		const hosts = ['a.example'];
		const { tasks } = read({ allowedAccounts: { mine: hosts } });
		assert.deepEqual([tasks.ownAccounts, tasks.allowedAccounts], ['ask', { mine: hosts }]);
		assert.deepEqual(read({ allowedAccounts: { mine: true } }).tasks.allowedAccounts, {});
		const wrong = read({ ownAccounts: 'sometimes' });
		assert.deepEqual([wrong.tasks.ownAccounts, wrong.unusable], ['forbid', ['errand.local.ownAccounts']]);
	});
});
