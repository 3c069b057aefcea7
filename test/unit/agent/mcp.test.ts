import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import {
	type ClientContext,
	client,
	type McpServer,
	methods,
	type NewSessionRequest,
	type PromptRequest,
	type RequestPermissionRequest,
} from '@agentclientprotocol/sdk';
import { startChild } from '../../../src/base/childProcess.ts';
import { connectClient } from '../../support/acpClient.ts';
import { mcpServerOf } from '../../support/ownAgent.ts';
import { AGENT_PROGRAM } from '../../support/programs.ts';
import type { ScriptedReply } from '../../support/replyServer.ts';
import { useOwnAgent } from '../../support/useOwnAgent.ts';
import { isAlive, waitFor } from '../../support/waitFor.ts';

describe('the MCP servers of Errand’s own agent', () => {
	const own = useOwnAgent();

	/** Runs the agent with a client that does not stand before its servers, as others than Errand are. */
	async function withPlainClient(
		answer: (request: RequestPermissionRequest) => string,
		use: (context: ClientContext) => Promise<unknown>,
	): Promise<void> {
		const { signal } = new AbortController();
		const child = startChild({
			command: process.execPath,
			args: ['--disable-warning=ExperimentalWarning', AGENT_PROGRAM],
			cwd: own.folder,
			env: {
				...{ PATH: process.env['PATH'] ?? '', HOME: path.join(own.scratch, 'home') },
				...{ ERRAND_AGENT_URL: own.server.url, ERRAND_AGENT_MODEL: 'scripted' },
			},
			signal,
		});
		const app = client({ name: 'test' })
			.onRequest(methods.client.session.requestPermission, ({ params }) => ({
				outcome: { outcome: 'selected', optionId: answer(params) },
			}))
			.onNotification(methods.client.session.update, () => {});
		await connectClient(app, child, use);
		await child.end();
	}

	/** Resolves with the id of a session in which a prompt has ended. */
	async function promptIn(context: ClientContext, server: McpServer): Promise<string> {
		const place: NewSessionRequest = { cwd: own.folder, mcpServers: [server] };
		const { sessionId } = await context.request(methods.agent.session.new, place);
		const request: PromptRequest = { sessionId, prompt: [{ type: 'text', text: 'Go' }] };
		await context.request(methods.agent.session.prompt, request);
		return sessionId;
	}

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

	it('are asked about by the agent itself, for a client that does not stand before them, and looking a tool up is not', async () => {
		const asked: unknown[] = [];
		const answers = ['no', 'once', 'session'];
		const input = (more: object) => ({ calls: [{ name: 'mcp', input: { tool: 'honest/add', ...more } }] });
		const add = input({ arguments: { a: 1, b: 2 } });
		own.server.play(input({}), add, add, add, input({ arguments: { a: 1, b: 3 } }), { text: 'Done.' });
		await withPlainClient(
			({ toolCall, options }) => {
				const { kind, title, rawInput } = toolCall;
				asked.push([kind, title, rawInput, options[1]?.name]);
				return answers.shift() ?? '';
			},
			context => promptIn(context, { ...mcpServerOf('honest'), env: [] }),
		);
		const { results = [] } = own.server.requests.at(-1) ?? {};
		assert.match(results[0] ?? '', /^Adds two numbers\./);
		assert.match(results[1] ?? '', /was not allowed/);
		assert.deepEqual(results.slice(2), ['3', '3', '4']);
		const question = [
			...['other', 'honest/add', { tool: 'honest/add', arguments: { a: 1, b: 2 } }],
			'Allow every call of an MCP server in this session',
		];
		assert.deepEqual(asked, [question, question, question]);
	});

	it('end with their session, while the agent goes on', async () => {
		const file = path.join(own.scratch, 'server.pid');
		const server = pathToFileURL(path.resolve('test/support/mcpServer.mjs')).href;
		const code = `fs.writeFileSync(process.argv[1], String(process.pid)); import(${JSON.stringify(server)})`;
		own.server.play({ text: 'Done.' });
		await withPlainClient(
			() => '',
			async context => {
				const command = { name: 'honest', command: process.execPath, args: ['-e', code, file, 'honest'], env: [] };
				const sessionId = await promptIn(context, command);
				const pid = Number(await readFile(file, 'utf8'));
				assert.ok(await isAlive(pid));
				await context.request(methods.agent.session.close, { sessionId });
				await waitFor('the end of the server', async () => !(await isAlive(pid)));
			},
		);
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
