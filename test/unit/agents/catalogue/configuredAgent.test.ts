import assert from 'node:assert/strict';
import { configuredAgent } from '../../../../src/agents/catalogue/configuredAgent.ts';
import { agentLaunch } from '../../../../src/agents/run/agentLaunch.ts';
import { agentSettingSchema } from '../../../../src/contract/agents.ts';

const PLACE = {
	home: '/home/agent',
	path: '/usr/bin',
	relayUrl: 'http://127.0.0.1:1',
	token: 'run-token',
	model: 'some model',
};

describe('configuredAgent', () => {
	const variables = { ONE: '1', TWO: '2', SECRET: 'secret', OPENAI_API_KEY: 'secret' };
	const configure = (setting: object) => configuredAgent(agentSettingSchema.parse(setting), variables);
	const launch = (setting: object) => {
		const definition = configure(setting);
		const location = '/real/program';
		return agentLaunch({ definition, source: 'settings', programs: {}, location, version: undefined }, PLACE);
	};

	it('is told of its model as programs for OpenAI’s API are, and gets the variables that it names', () => {
		const { args, env, files, mode } = launch({
			id: 'mine',
			command: 'mine',
			args: ['--acp', 'a b'],
			env: ['ONE', 'TWO', 'NONE'],
			mode: 'code',
		});
		assert.deepEqual(args, ['--acp', 'a b']);
		assert.equal(mode, 'code');
		assert.deepEqual(files, {});
		assert.equal(env['OPENAI_BASE_URL'], 'http://127.0.0.1:1/v1');
		assert.equal(env['OPENAI_API_BASE'], 'http://127.0.0.1:1/v1');
		assert.equal(env['OPENAI_API_KEY'], 'run-token');
		assert.equal(env['OPENAI_MODEL'], 'some model');
		assert.deepEqual([env['ONE'], env['TWO'], 'NONE' in env], ['1', '2', false]);
		assert.ok(!JSON.stringify(env).includes('secret'));
	});

	it('cannot replace the key of the run by naming it', () => {
		const { env } = launch({ id: 'mine', command: 'mine', env: ['OPENAI_API_KEY', 'SECRET'] });
		assert.equal(env['OPENAI_API_KEY'], 'run-token');
		assert.equal(env['SECRET'], 'secret');
	});

	it('has the id as its label if it names none', () => {
		assert.equal(configure({ id: 'mine', command: 'x' }).label, 'mine');
		assert.equal(configure({ id: 'mine', command: 'x', label: 'Mine' }).label, 'Mine');
		assert.equal(configure({ id: 'mine', command: 'x', api: 'responses' }).api, 'responses');
	});

	it('says of a known agent where its program is and what differs', () => {
		const plain = configure({ id: 'codex', command: '/opt/codex-acp' });
		assert.deepEqual([plain.label, plain.api, plain.mode], ['Codex', 'responses', 'agent-full-access']);
		assert.equal(plain.command, '/opt/codex-acp');
		assert.deepEqual(plain.installations, {});
		const other = configure({ id: 'opencode', command: 'oc', args: ['acp', '--pure'], label: 'Mine', env: ['ONE'] });
		assert.deepEqual([other.label, other.args], ['Mine', ['acp', '--pure']]);
		const { env } = launch({ id: 'opencode', command: 'oc', env: ['ONE'] });
		assert.equal(env['ONE'], '1');
		assert.ok(env['OPENCODE_CONFIG_CONTENT']);
		assert.deepEqual(launch({ id: 'opencode', command: 'oc' }).args, ['acp']);
	});

	it('is an agent of the user’s own where the known one is never run', () => {
		const agent = configure({ id: 'claude', command: '/opt/wrapper' });
		assert.equal(agent.problem, undefined);
		assert.equal(agent.api, 'chat');
		assert.ok(launch({ id: 'claude', command: '/opt/wrapper' }).env['OPENAI_BASE_URL']);
	});
});
