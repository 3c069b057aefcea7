import { trySandbox } from '../../src/agents/sandbox/probe.ts';
import { furtherAgentPrograms } from '../support/agentPrograms.ts';
import { foundAgent, testServersOf } from '../support/agentsWithServers.ts';

describe('MCP servers in the chat', () => {
	before(async function () {
		if (!(await trySandbox()).works) {
			this.skip();
		}
	});

	for (const agent of ['codex', 'qwen']) {
		testServersOf(agent, () => foundAgent(agent, furtherAgentPrograms()));
	}
});
