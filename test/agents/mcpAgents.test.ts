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

	it('are not in its way: it is stopped while its model answers, and its session goes on after that', async () => {
		const stop = new AbortController();
		let earlier: string | undefined;
		used.model().script = () => ({ text: 'A beginning', hangs: true });
		const stopped = used.run(
			EVERYTHING,
			async agent => {
				earlier = agent.session.id;
				await agent.prompt('Begin with this');
			},
			{ signal: stop.signal },
		);
		const settled = assert.rejects(stopped, /stopped by the test/);
		await used.model().requested(1);
		stop.abort(new Error('stopped by the test'));
		await settled;
		used.model().play({ text: 'Done.' });
		await used.run(
			EVERYTHING,
			async agent => {
				assert.match(agent.session.how, /^(?:resumed|loaded)$/);
				await agent.prompt('Go on');
				assert.match(JSON.stringify(used.model().requests.at(-1)?.body), /Begin with this.*Go on/);
			},
			{ earlier },
		);
	});
});
