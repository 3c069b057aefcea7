import { furtherAgentPrograms } from '../support/agentPrograms.ts';
import { foundAgent, testServersOf } from '../support/agentsWithServers.ts';
import { skipWithoutSandbox } from '../support/sandbox.ts';

describe('MCP servers in the chat', () => {
	before(async function () {
		await skipWithoutSandbox(this);
	});

	for (const agent of ['codex', 'qwen']) {
		testServersOf(agent, () => foundAgent(agent, furtherAgentPrograms()));
	}
});
