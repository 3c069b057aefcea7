import assert from 'node:assert/strict';
import { readFile, realpath, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { FoundAgent } from '../../src/agents/catalogue/entry.ts';
import { knownAgents } from '../../src/agents/catalogue/knownAgents.ts';
import type { McpCall } from '../../src/agents/mcp/gate.ts';
import type { PermissionRequest } from '../../src/agents/session/events.ts';
import type { UpstreamKind } from '../../src/contract/upstreams.ts';
import { furtherAgentPrograms } from '../support/agentPrograms.ts';
import { AgentTasks } from '../support/agentTasks.ts';
import { withAgentAndServer } from '../support/agentWithServer.ts';
import { skipWithoutSandbox, TestSandbox } from '../support/sandbox.ts';
import { ScriptedModel } from '../support/scriptedModel.ts';
import { ServiceProcess } from '../support/serviceProcess.ts';

const SERVER = path.resolve(import.meta.dirname, '../support/mcpServer.mjs');

const definition = knownAgents.find(({ id }) => id === 'claude') ?? assert.fail();

async function found(): Promise<FoundAgent> {
	const location = await realpath(path.join(furtherAgentPrograms()[0] ?? '', definition.command));
	return { definition, source: 'path', programs: { [definition.command]: location }, location, version: undefined };
}

describe('Claude Code', () => {
	before(async function () {
		await skipWithoutSandbox(this);
	});

	it('has the terms that are shown before it is installed', async () => {
		const { terms } = Object.values(definition.installations)[0] ?? {};
		const file = path.join(furtherAgentPrograms()[0] ?? '', '..', terms?.package ?? '', 'LICENSE.md');
		assert.equal((await readFile(file, 'utf8')).trim(), terms?.text);
	});

	for (const kind of ['responses', 'messages'] as const) {
		const start = () => AgentTasks.start({ agent: 'claude', programs: furtherAgentPrograms(), kind });

		it(`works with a model that is asked in another form than chat (${kind}), and gives its reasoning back as the server has sealed it`, async () => {
			const tasks = await start();
			try {
				await tasks.checkMends();
				const { requests } = tasks.model;
				assert.ok(requests.every(({ path: asked }) => asked.endsWith(`/${kind}`)));
				const sent = JSON.stringify(requests.at(-1)?.body);
				const sealed = [...sent.matchAll(/"(?:encrypted_content|signature)":"([^"]*)"/g)].map(([, text]) => text);
				assert.ok(sealed.length > 0, sent);
				assert.ok(
					sealed.every(text => /^(?:sealed|signed)-\d+$/.test(text ?? '')),
					JSON.stringify(sealed),
				);
			} finally {
				await tasks.stop();
			}
		});

		it(`goes on and stops with a model that is asked in another form than chat (${kind})`, async () => {
			const tasks = await start();
			try {
				await tasks.checkGoesOn();
				await tasks.checkKeeps(await tasks.checkStops());
			} finally {
				await tasks.stop();
			}
		});
	}

	const asks = async (kind: UpstreamKind): Promise<void> => {
		const sandbox = await TestSandbox.create();
		const scripts = {
			'Do as told': [
				{ do: 'write' as const, path: 'made.txt', content: 'made\n' },
				{ do: 'call' as const, tool: 'mcp__test__add', input: { a: 1, b: 2 } },
				{ do: 'say' as const, text: 'Done.' },
			],
		};
		const model = await ScriptedModel.start({ scripts, tree: sandbox.inside.tree });
		const service = await ServiceProcess.start({
			handover: { upstreams: [{ slug: 'scripted', url: model.url, kind }] },
		});
		const asked: PermissionRequest[] = [];
		const calls: McpCall[] = [];
		const refused: string[] = [];
		try {
			await writeFile(path.join(sandbox.tree, 'a.txt'), 'here before\n');
			await withAgentAndServer(
				{
					...{ sandbox, agent: await found(), model: model.name, modelUrl: service.address, token: service.token },
					server: {
						...{ name: 'test', file: undefined, command: process.execPath, env: {}, hosts: [], files: 'read' },
						args: [SERVER],
					},
					ask: async (_, call) => {
						calls.push(call);
						return undefined;
					},
					onAsk: request => asked.push(request),
					...{ onAnswer: () => {}, known: () => undefined, note: () => {}, askAboutTools: async () => false },
					...{ onFailed: (_, error) => assert.fail(String(error)), onRefused: sentence => refused.push(sentence) },
				},
				agent => agent.prompt('Do as told'),
			);
			assert.equal(await readFile(path.join(sandbox.tree, 'made.txt'), 'utf8'), 'made\n');
			assert.deepEqual(calls, [{ tool: 'add', arguments: { a: 1, b: 2 } }]);
			assert.equal(model.results.at(-1), '3');
			const asksAt = kind === 'chat' ? '/v1/chat/completions' : `/v1/${kind}`;
			assert.ok(model.requests.every(request => request.path === asksAt));
			assert.deepEqual(
				asked.map(({ call }) => call.title),
				['Write made.txt', 'mcp__test__add'],
			);
			assert.deepEqual(refused, []);
		} finally {
			await service.stop();
			await model.stop();
			await sandbox.remove();
		}
	};

	for (const kind of ['chat', 'responses', 'messages'] as const) {
		it(`asks before it edits and before it calls a tool of an MCP server, and reaches nothing but its model (${kind})`, () =>
			asks(kind));
	}
});
