import assert from 'node:assert/strict';
import { ownAgent } from '../../src/agents/catalogue/ownAgent.ts';
import { agentPrograms } from '../support/agentPrograms.ts';
import { EVERYTHING, foundAgent, testServersOf, useAgentWithServers } from '../support/agentsWithServers.ts';
import { AGENT_PROGRAM } from '../support/programs.ts';

testServersOf('Errand’s own agent', async () => ownAgent(AGENT_PROGRAM, '1') ?? assert.fail('The agent is not built.'));
testServersOf('opencode', () => foundAgent('opencode', agentPrograms()));

describe('MCP servers of others, for pi in the sandbox', () => {
	const used = useAgentWithServers(() => foundAgent('pi', agentPrograms()));

	it('are none, as pi does not connect to them, which can be told', async () => {
		await used.run(EVERYTHING, async (agent, servers) => {
			used.model().play({ text: 'Done.' });
			await agent.prompt('Use echo');
			assert.deepEqual(servers.unreached, ['everything']);
		});
	});
});
