import assert from 'node:assert/strict';
import { mcpServerOf } from '../../support/ownAgent.ts';
import type { ScriptedReply } from '../../support/replyServer.ts';
import { useOwnAgent } from '../../support/useOwnAgent.ts';

describe('the MCP servers of Errand’s own agent', () => {
	const own = useOwnAgent();

	/** Has the model call tools of servers, one after another, and returns their results. */
	async function answersTo(servers: string[], ...calls: object[]): Promise<string[]> {
		const agent = await own.start({}, { mcpServers: servers.map(mcpServerOf) });
		own.server.play(...calls.map((input): ScriptedReply => ({ calls: [{ name: 'mcp', input }] })), { text: 'Done.' });
		assert.equal(await agent.session.prompt('Go'), 'end_turn');
		return own.server.requests.at(-1)?.results ?? [];
	}
	const described = () => {
		const tools = (own.server.requests[0]?.body['tools'] ?? []) as { name: string; description: string }[];
		return tools.find(({ name }) => name === 'mcp')?.description ?? '';
	};

	it('are told by the names of their tools, and a schema is given when the model asks for it', async () => {
		const results = await answersTo(
			['honest'],
			{ tool: 'honest/add' },
			{ tool: 'honest/add', arguments: { a: 1, b: 2 } },
		);
		assert.match(described(), /There are: honest\/add, honest\/look, honest\/write\.$/);
		assert.doesNotMatch(JSON.stringify(own.server.requests[0]?.body), /Adds two numbers/);
		assert.match(results[0] ?? '', /^Adds two numbers\.\n\nIts arguments: \{/);
		assert.equal(results[1], '3');
	});

	it('with many tools are told by their own names, and list their tools when the model asks for them', async () => {
		const results = await answersTo(['many'], { tool: 'many' }, { tool: 'many/add', arguments: { a: 1, b: 2 } });
		assert.match(described(), /A server's name as tool lists its tools: many \(40\)\.$/);
		const lines = (results[0] ?? '').split('\n');
		assert.deepEqual([lines.length, lines[37]], [40, 'many/add: Adds two numbers.']);
		assert.equal(results[1], '3');
	});

	it('need not be named where only one has the tool, and an unknown tool is told with what there is', async () => {
		const results = await answersTo(
			['honest', 'many'],
			{ tool: 'tool_3' },
			{ tool: 'add', arguments: { a: 1, b: 2 } },
			{ tool: 'many.fly' },
		);
		assert.match(results[0] ?? '', /^Does a thing\./);
		assert.match(
			results[1] ?? '',
			/^There is no "add"\. A server's name as tool lists its tools: honest \(3\), many \(40\)\./,
		);
		assert.match(results[2] ?? '', /^There is no "many\.fly"\./);
	});
});
