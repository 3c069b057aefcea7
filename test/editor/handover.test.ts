import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { type Logger, nullLogger } from '../../src/base/logger.ts';
import { upstreamHandoverSchema } from '../../src/contract/upstreams.ts';
import { currentTaskSettings } from '../../src/localService/localServiceFeature.ts';
import { KeyStore } from '../../src/models/keys/keyStore.ts';
import { currentUpstreams } from '../../src/models/services.ts';

const VARIABLE = 'VARIABLE_OF_AN_AGENT';

describe('the part of the settings that the local service is told', () => {
	const settings = {
		'errand.local.agents': [{ id: 'mine', command: 'mine', env: [VARIABLE, 'ABSENT_HERE'] }, { id: 'Not An Id' }],
		'errand.local.sandbox': 'require',
		'errand.tasks.maxCost': 2.5,
		'errand.chat.routing': { sort: 'price' },
		'errand.chat.zeroDataRetention': 'on',
	};
	const write = (id: string, value: unknown) =>
		vscode.workspace.getConfiguration().update(id, value, vscode.ConfigurationTarget.Global);
	const keys = new KeyStore({ get: async () => undefined, store: async () => {}, delete: async () => {} }, () => {});
	const currentHandover = async (logger: Logger) => ({
		...(await currentUpstreams(keys, logger)),
		tasks: currentTaskSettings(logger),
	});

	afterEach(async () => {
		delete process.env[VARIABLE];
		for (const id of Object.keys(settings)) {
			await write(id, undefined);
		}
	});

	it('holds what tasks need, with the routing policy of the chat, and leaves out agents that cannot be used', async () => {
		for (const [id, value] of Object.entries(settings)) {
			await write(id, value);
		}
		process.env[VARIABLE] = 'its value';
		const logged: unknown[] = [];
		const handover = await currentHandover({ log: (...line) => logged.push(line) });
		assert.deepEqual(upstreamHandoverSchema.parse(handover).tasks, {
			agents: [{ id: 'mine', command: 'mine', args: [], env: [VARIABLE, 'ABSENT_HERE'], api: 'chat' }],
			variables: { [VARIABLE]: 'its value' },
			sandbox: 'require',
			ownAccounts: 'ask',
			allowedAccounts: {},
			maxCost: 2.5,
			provider: { sort: 'price', zdr: true },
		});
		assert.equal(logged.length, 1);
		assert.match(JSON.stringify(logged), /errand\.local\.agents cannot be used.*id:/);
	});

	it('is accepted by the service if nothing is set', async () => {
		const handover = await currentHandover(nullLogger);
		const tasks = { agents: [], variables: {}, sandbox: 'ask', ownAccounts: 'ask', allowedAccounts: {} };
		assert.deepEqual(upstreamHandoverSchema.parse(handover).tasks, tasks);
	});
});
