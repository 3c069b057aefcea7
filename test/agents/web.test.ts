import assert from 'node:assert/strict';
import { ownAgent } from '../../src/agents/catalogue/ownAgent.ts';
import { withAgentAndServer } from '../support/agentWithServer.ts';
import { AGENT_PROGRAM } from '../support/programs.ts';
import { TestSandbox } from '../support/sandbox.ts';
import { ScriptedModel } from '../support/scriptedModel.ts';

describe('the web, for Errand’s own agent in the sandbox', () => {
	let sandbox: TestSandbox;
	beforeEach(async () => {
		sandbox = await TestSandbox.create();
	});
	afterEach(() => sandbox.remove());

	it('is reached through the host alone', async () => {
		const asked: string[] = [];
		const fetchOutside = { do: 'call', tool: 'fetch', input: { url: 'https://docs.example/' } } as const;
		const scripts = { 'Look it up': [fetchOutside, { do: 'say', text: 'Done.' } as const] };
		const model = await ScriptedModel.start({ scripts, tree: sandbox.inside.tree });
		try {
			await withAgentAndServer(
				{
					...{ sandbox, agent: ownAgent(AGENT_PROGRAM, '1') ?? assert.fail('The agent is not built.') },
					...{ model: model.name, modelUrl: model.url.replace(/\/v1$/, '') },
					web: {
						async fetch(address) {
							asked.push(address);
							return 'What the page says.';
						},
					},
					...{ ask: async () => undefined, onAnswer: () => {}, known: () => undefined, note: () => {} },
					...{ askAboutTools: async () => false, onFailed: () => {}, onRefused: () => {} },
				},
				agent => agent.prompt('Look it up'),
			);
			assert.deepEqual(asked, ['https://docs.example/']);
			assert.match(model.results.at(-1) ?? '', /<material>\nWhat the page says\.\n<\/material>/);
		} finally {
			await model.stop();
		}
	});
});
