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

/** A placeholder. */
const at = (name: string) => `\${${name}}`;

describe('configuredAgent', () => {
	const variables = { ONE: '1', TWO: '2', SECRET: 'secret', OPENAI_API_KEY: 'secret' };
	const configure = (setting: object) => configuredAgent(agentSettingSchema.parse(setting), variables);
	const launch = (setting: object) => {
		const definition = configure(setting);
		const location = '/real/program';
		return agentLaunch({ definition, source: 'settings', programs: {}, location, version: undefined }, PLACE);
	};

	it('is told of its model as programs for OpenAI’s API are, and gets the variables that it names', () => {
		const { args, env, files, modes } = launch({
			id: 'mine',
			command: 'mine',
			args: ['--acp', 'a b'],
			env: ['ONE', 'TWO', 'NONE'],
			mode: 'code',
		});
		assert.deepEqual(args, ['--acp', 'a b']);
		assert.deepEqual(modes, ['code']);
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

	it('is told of its run in arguments, variables and files, by placeholders', () => {
		const { args, env, files } = launch({
			id: 'mine',
			command: 'mine',
			args: ['--url', `${at('relay')}/v1`, at('other'), '$model'],
			env: [`MODEL=vendor/${at('model')}`, 'EMPTY=', `OPENAI_MODEL=a=${at('key')}`],
			files: {
				'.mine/settings.json': { [at('model')]: { key: at('key'), list: [1, at('home')] } },
				'.mine/settings.toml': `model = "${at('model')}"\n`,
			},
		});
		assert.deepEqual(args, ['--url', 'http://127.0.0.1:1/v1', at('other'), '$model']);
		assert.deepEqual([env['MODEL'], env['EMPTY'], env['OPENAI_MODEL']], ['vendor/some model', '', 'a=run-token']);
		assert.deepEqual(JSON.parse(files['.mine/settings.json'] ?? ''), {
			'some model': { key: 'run-token', list: [1, '/home/agent'] },
		});
		assert.equal(files['.mine/settings.toml'], 'model = "some model"\n');
	});

	it('gets no more from a name of a model in its files than that name', () => {
		const place = { ...PLACE, model: `a"\n}\\ \u007f ${at('key')}`, programs: {} };
		const definition = configure({
			id: 'mine',
			command: 'mine',
			files: { 'a.json': { model: at('model') }, 'a.toml': `model = "${at('model')}"` },
		});
		const { 'a.json': json = '', 'a.toml': toml = '' } = definition.files(place);
		assert.deepEqual(JSON.parse(json), { model: place.model });
		assert.equal(toml, `model = "a\\"\\n}\\\\ \\u007f ${at('key')}"`);
	});

	it('has no file outside of its home, and none that is not small', () => {
		for (const name of ['../a', '/a', 'a/../b', 'a//b', '.', '', 'a/', 'a\\b', 'a\0']) {
			const read = agentSettingSchema.safeParse({ id: 'mine', command: 'mine', files: { [name]: '' } });
			assert.equal(read.success, false, name);
		}
		for (const name of ['a', '.a/b.c/..d', 'a/...']) {
			assert.ok(configure({ id: 'mine', command: 'mine', files: { [name]: '' } }), name);
		}
		const large = { id: 'mine', command: 'mine', files: { a: 'x'.repeat(20_001) } };
		assert.equal(agentSettingSchema.safeParse(large).success, false);
	});

	it('learns its model as programs for Anthropic’s API do, where it speaks that', () => {
		const { env } = launch({ id: 'mine', command: 'mine', api: 'messages' });
		assert.deepEqual(
			[env['ANTHROPIC_BASE_URL'], env['ANTHROPIC_AUTH_TOKEN'], env['ANTHROPIC_MODEL'], env['OPENAI_MODEL']],
			['http://127.0.0.1:1', 'run-token', 'some model', undefined],
		);
	});

	it('has the id as its label if it names none', () => {
		assert.equal(configure({ id: 'mine', command: 'x' }).label, 'mine');
		assert.equal(configure({ id: 'mine', command: 'x', label: 'Mine' }).label, 'Mine');
		assert.equal(configure({ id: 'mine', command: 'x', api: 'responses' }).api, 'responses');
	});

	it('says of a known agent where its program is and what differs', () => {
		const plain = configure({ id: 'codex', command: '/opt/codex-acp' });
		assert.deepEqual([plain.label, plain.api], ['Codex', 'responses']);
		assert.deepEqual(plain.modes, ['agent-full-access', 'full-access']);
		assert.equal(plain.command, '/opt/codex-acp');
		assert.deepEqual(plain.installations, {});
		const other = configure({ id: 'opencode', command: 'oc', args: ['acp', '--pure'], label: 'Mine', env: ['ONE'] });
		assert.deepEqual([other.label, other.args], ['Mine', ['acp', '--pure']]);
		const { env } = launch({ id: 'opencode', command: 'oc', env: ['ONE'] });
		assert.equal(env['ONE'], '1');
		assert.ok(env['OPENCODE_CONFIG_CONTENT']);
		assert.deepEqual(launch({ id: 'opencode', command: 'oc' }).args, ['acp']);
	});

	it('works with an account of its own where the setting names the hosts of one, and is told of no model', () => {
		const setting = { id: 'mine', label: 'Mine', command: 'mine', env: ['SECRET'], account: { hosts: ['a.example'] } };
		const { label, api, account } = configure(setting);
		assert.deepEqual([label, api, account], ['Mine (own account)', undefined, { hosts: ['a.example'] }]);
		const { env } = launch(setting);
		assert.deepEqual([env['SECRET'], env['OPENAI_API_KEY'], env['OPENAI_MODEL']], ['secret', undefined, undefined]);
	});
});
