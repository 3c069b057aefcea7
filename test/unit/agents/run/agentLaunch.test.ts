import assert from 'node:assert/strict';
import type { AgentPlace, FoundAgent } from '../../../../src/agents/catalogue/entry.ts';
import { knownAgents } from '../../../../src/agents/catalogue/knownAgents.ts';
import { OWN_AGENT, ownAgent } from '../../../../src/agents/catalogue/ownAgent.ts';
import { agentLaunch } from '../../../../src/agents/run/agentLaunch.ts';

const PLACE: Omit<AgentPlace, 'programs'> = {
	home: '/home/agent',
	path: '/usr/bin:/bin',
	relayUrl: 'http://127.0.0.1:4567',
	token: 'token-of-the-run',
	model: 'vendor/model',
};

function found(id: string): FoundAgent {
	const own = ownAgent(import.meta.filename, '1.2.3');
	if (id === OWN_AGENT) {
		return own ?? assert.fail('the program is there');
	}
	const definition = knownAgents.find(known => known.id === id) ?? assert.fail(id);
	const programs = { [definition.command]: '/real/program', pi: '/real/pi' };
	return { definition, source: 'path', programs, location: '/real/program', version: undefined };
}

const launch = (id: string, isAttended?: boolean) =>
	agentLaunch(found(id), { ...PLACE, ...(isAttended === undefined ? {} : { isAttended }) });

/** The configuration of opencode or of Kilo. */
function configuration(id: 'opencode' | 'kilo', isAttended?: boolean): Record<string, unknown> {
	return JSON.parse(launch(id, isAttended).env[`${id.toUpperCase()}_CONFIG_CONTENT`] ?? '');
}

describe('an agent with a user who can answer it', () => {
	it('can be told to ask before each change and each command: Errand’s own, and opencode', () => {
		const asking = [OWN_AGENT, ...knownAgents.map(({ id }) => id)].filter(id => found(id).definition.askingMode);
		assert.deepEqual(asking, [OWN_AGENT]);
	});

	it('asks only in the mode in which it does', () => {
		assert.deepEqual(launch(OWN_AGENT, true).modes, ['ask']);
		assert.deepEqual(launch(OWN_AGENT, false).modes, ['sandboxed']);
		assert.deepEqual(launch(OWN_AGENT).modes, ['sandboxed']);
	});

	it('keeps its mode where there is none in which it asks for everything', () => {
		for (const [id, modes] of [
			['codex', ['agent-full-access', 'full-access']],
			['qwen', ['default']],
			['opencode', []],
			['pi', []],
		] as const) {
			assert.deepEqual(launch(id, true).modes, modes, id);
			assert.deepEqual(launch(id).modes, modes, id);
		}
	});

	it('is told to ask by its configuration where that is how it is told, and by nothing else there', () => {
		for (const id of ['opencode', 'kilo'] as const) {
			const { permission, ...others } = configuration(id, true);
			assert.deepEqual(permission, { edit: 'ask', bash: 'ask', webfetch: 'ask' });
			for (const isAttended of [false, undefined]) {
				assert.deepEqual(configuration(id, isAttended), others);
			}
		}
	});

	it('finds out by itself which endpoint its model has, while a service has the one that it is told', () => {
		assert.ok(!('ERRAND_AGENT_API' in launch(OWN_AGENT, true).env));
		for (const isAttended of [false, undefined]) {
			assert.equal(launch(OWN_AGENT, isAttended).env['ERRAND_AGENT_API'], 'responses');
		}
	});

	it('gets nothing else that differs, and starts by the same command', () => {
		for (const id of ['pi', 'codex', 'qwen']) {
			assert.deepEqual(launch(id, true), launch(id, false), id);
		}
		const { modes: _, env: attended, ...same } = launch(OWN_AGENT, true);
		const { modes: __, env, ...others } = launch(OWN_AGENT, false);
		assert.deepEqual(same, others);
		assert.deepEqual({ ...attended, ERRAND_AGENT_API: 'responses' }, env);
	});
});

describe('an agent with an account of its own', () => {
	it('is told how to reach the hosts of that, and of no model', () => {
		for (const { id } of knownAgents.filter(({ account }) => account)) {
			const { env, usesAccount } = launch(id);
			assert.ok(usesAccount, id);
			assert.equal(env['HTTPS_PROXY'], 'http://errand:token-of-the-run@127.0.0.1:4567');
			assert.ok(!Object.values(env).some(value => value === PLACE.model || value === PLACE.token), id);
		}
		assert.ok(!('HTTPS_PROXY' in launch('claude').env));
	});
});

describe('ownAgent', () => {
	it('is there where its program is, and runs with the Node of this process', () => {
		const own = found(OWN_AGENT);
		assert.deepEqual([own.source, own.location, own.version], ['own', process.execPath, '1.2.3']);
		assert.equal(launch(OWN_AGENT).args.at(-1), import.meta.filename);
		assert.equal(ownAgent(`${import.meta.filename}.absent`, '1.2.3'), undefined);
	});

	it('is told the relay, its token and the model, and the length of its context where that is known', () => {
		const { env } = launch(OWN_AGENT);
		assert.deepEqual(
			['URL', 'KEY', 'MODEL'].map(name => env[`ERRAND_AGENT_${name}`]),
			[PLACE.relayUrl, PLACE.token, PLACE.model],
		);
		assert.ok(!('ERRAND_AGENT_CONTEXT_LENGTH' in env));
		const known = agentLaunch(found(OWN_AGENT), { ...PLACE, contextLength: 32_000 });
		assert.equal(known.env['ERRAND_AGENT_CONTEXT_LENGTH'], '32000');
	});
});
