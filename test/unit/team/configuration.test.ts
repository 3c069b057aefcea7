import assert from 'node:assert/strict';
import { parseConfiguration } from '../../../src/team/configuration.ts';

const parse = (value: object, environment = {}) => parseConfiguration(JSON.stringify(value), environment);

describe('the configuration of the service for a team', () => {
	it('needs nothing to begin with, and then offers no demo and no folder', () => {
		const configuration = parse({});
		assert.deepEqual(configuration.handover.upstreams, []);
		assert.equal(configuration.demo, false);
		assert.equal(configuration.allowLocalRepositories, false);
		assert.deepEqual(configuration.limits, { tasksAtOnce: 10, requestsAMinute: 600, requestsAtOnce: 100 });
		assert.equal(configuration.handover.tasks.sandbox, 'require');
		assert.equal(configuration.handover.tasks.ownAccounts, 'forbid');
	});

	it('takes keys and the variables of agents from the environment', () => {
		const { handover } = parse(
			{
				upstreams: [{ slug: 'one', url: 'https://models.example', keyFrom: 'ONE_KEY' }],
				agents: [{ id: 'mine', command: 'mine', env: ['MINE', 'OTHER', 'MODE=quick'] }],
				limits: { maxCost: 2 },
			},
			{ ONE_KEY: 'sk-one', MINE: 'value', UNNAMED: 'x' },
		);
		assert.deepEqual(handover.upstreams[0], { slug: 'one', url: 'https://models.example/v1', key: 'sk-one' });
		assert.deepEqual(handover.tasks.variables, { MINE: 'value' });
		assert.equal(handover.tasks.maxCost, 2);
	});

	it('knows where the repositories of a source host are', () => {
		const { sources } = parse({
			sources: [
				{ scm: 'github', kind: 'github', api: 'https://api.github.com' },
				{ scm: 'enterprise', kind: 'github', api: 'https://git.example.com/api/v3/' },
				{ scm: 'forge', kind: 'gitea', api: 'https://api.forge.example', clone: 'https://Forge.Example:443/git/' },
			],
		});
		assert.deepEqual(
			sources.map(({ clone }) => clone),
			['https://github.com', 'https://git.example.com', 'https://forge.example/git'],
		);
	});

	for (const [what, value, sentence] of [
		['an unknown field', { upstream: [] }, /upstream/],
		['a key in the file', { upstreams: [{ slug: 'one', url: 'https://m.example', key: 'sk-one' }] }, /keyFrom/],
		['a variable that is not set', { upstreams: [{ slug: 'one', url: 'https://m.example', keyFrom: 'NO' }] }, /NO/],
		['an invalid upstream', { upstreams: [{ slug: 'one', url: 'ftp://m.example' }] }, /upstreams\[0\]\.url/],
		['a source host without TLS', { sources: [{ scm: 'x', kind: 'gitea', api: 'http://git.example' }] }, /api.*https/],
		[
			'a source host of a taken name',
			{ sources: [{ scm: 'tasks', kind: 'gitea', api: 'https://a' }] },
			/scm: is taken/,
		],
		[
			'two source hosts of one name',
			{ sources: [1, 2].map(n => ({ scm: 'x', kind: 'gitea', api: `https://${n}` })) },
			/twice/,
		],
		['a limit of nothing', { limits: { tasksAtOnce: 0 } }, /limits\.tasksAtOnce/],
	] as const) {
		it(`refuses ${what} by its name`, () => {
			assert.throws(
				() => parse(value),
				(error: Error) => {
					assert.equal(error.name, 'UserFacingError');
					assert.match(error.message, sentence);
					assert.doesNotMatch(error.message, /sk-one/);
					return true;
				},
			);
		});
	}

	it('refuses what is not JSON', () => {
		assert.throws(() => parseConfiguration('{', {}), /JSON/);
	});
});
