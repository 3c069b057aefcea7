import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ownAgent } from '../../src/agents/catalogue/ownAgent.ts';
import type { McpCall } from '../../src/agents/mcp/gate.ts';
import type { KnownTools, McpServers } from '../../src/agents/mcp/mcpServers.ts';
import type { RunningAgent } from '../../src/agents/run/agentRun.ts';
import {
	type DeclaredServer,
	type McpServer,
	remoteServerSchema,
	serverSettingSchema,
} from '../../src/contract/mcpServers.ts';
import { withAgentAndServer } from '../support/agentWithServer.ts';
import { AGENT_PROGRAM } from '../support/programs.ts';
import { RemoteMcpServer } from '../support/remoteMcpServer.ts';
import { ReplyServer } from '../support/replyServer.ts';
import { SECRET, TestSandbox } from '../support/sandbox.ts';
import { SERVER_PROGRAM, TRANSPORTS, useServersOver } from '../support/serverOver.ts';
import { waitFor } from '../support/waitFor.ts';

describe('an MCP server beside a sandboxed agent', () => {
	let sandbox: TestSandbox;
	let model: ReplyServer;
	let agent: RunningAgent;
	let servers: McpServers;
	const failed: string[] = [];
	const asked: { call: McpCall; answer: string | undefined }[] = [];
	let known: KnownTools | undefined;
	let changed: string[];
	let isAgreed: boolean;
	let answer: string | undefined;

	beforeEach(async () => {
		[sandbox, model] = [await TestSandbox.create(), await ReplyServer.start()];
		[known, changed, isAgreed, answer] = [undefined, [], false, undefined];
		failed.splice(0);
		asked.splice(0);
		await writeFile(path.join(sandbox.tree, 'a.txt'), 'a');
	});
	afterEach(async () => {
		await model.stop();
		await sandbox.remove();
	});

	const declared = (how: string, further: Partial<McpServer> = {}): McpServer => ({
		name: 'test',
		file: undefined,
		command: process.execPath,
		args: [SERVER_PROGRAM, how],
		// biome-ignore lint/suspicious/noTemplateCurlyInString: it is a placeholder of the declaration.
		env: { SECRET: '${input:token}' },
		hosts: [],
		files: 'read',
		...further,
	});

	/** Starts Errand's own agent with a server, and ends both after `work`. */
	async function withServer(server: DeclaredServer, work: () => Promise<void>): Promise<void> {
		await withAgentAndServer(
			{
				...{ sandbox, server, model: 'scripted', modelUrl: model.url },
				agent: ownAgent(AGENT_PROGRAM, '1') ?? assert.fail('The agent is not built.'),
				ask: async (_, call) => {
					asked.push({ call, answer });
					return answer;
				},
				onAnswer: () => {},
				known: () => known,
				note: (_, tools) => {
					known = tools;
				},
				askAboutTools: async (_, tools) => {
					changed.push(...tools.map(({ name }) => name));
					return isAgreed;
				},
				onFailed: (_, error) => failed.push(String(error)),
				onRefused: () => {},
			},
			(running, ofServers) => {
				[agent, servers] = [running, ofServers];
				return work();
			},
		);
	}

	const use = (tool: string, given?: unknown) => ({
		calls: [{ name: 'mcp', input: { tool: `test/${tool}`, ...(given === undefined ? {} : { arguments: given }) } }],
	});

	/** Plays calls, and returns their results. */
	async function results(...calls: ReturnType<typeof use>[]): Promise<string[]> {
		model.play(...calls, { text: 'Done.' });
		await agent.prompt('Go');
		return model.requests.at(-1)?.results ?? [];
	}

	it('is told to the model by its tools’ names, and by the schema of one that is asked about', async () => {
		await withServer(declared('honest'), async () => {
			const [described] = await results(use('add'));
			assert.match(described ?? '', /^Adds two numbers\.\n\nIts arguments: \{"type":"object"/);
			const tools = model.requests[0]?.body['tools'] as { name: string; description: string }[];
			assert.match(
				tools.find(({ name }) => name === 'mcp')?.description ?? '',
				/There are: test\/add, test\/look, test\/write\.$/,
			);
			assert.deepEqual(asked, []);
		});
	});

	it('answers a call, after a question with the tool and its arguments', async () => {
		await withServer(declared('honest'), async () => {
			assert.deepEqual(await results(use('add', { a: 2, b: 3 })), ['5']);
			assert.deepEqual(
				asked.map(({ call }) => call),
				[{ tool: 'add', arguments: { a: 2, b: 3 } }],
			);
		});
	});

	it('is not called where the answer is no, which the model is told', async () => {
		answer = 'The user said no.';
		await withServer(declared('honest'), async () => {
			assert.deepEqual(await results(use('write', {})), ['The user said no.']);
			assert.ok(!existsSync(path.join(sandbox.tree, 'written-by-server.txt')));
		});
	});

	it('sees the files, which it cannot change, and no process, variable, file or network of the agent or the host', async () => {
		await withServer(declared('honest'), async () => {
			const [seen, written] = await results(use('look', {}), use('write', {}));
			const { folder, files, secret, variables, networks, others } = JSON.parse(seen ?? '{}');
			assert.equal(folder, sandbox.inside.tree);
			assert.ok(
				networks.every((name: string) => name === 'lo'),
				networks.join(),
			);
			assert.deepEqual(files, ['a.txt']);
			assert.equal(secret, SECRET);
			assert.ok(!variables.some((name: string) => name.startsWith('ERRAND_')), variables.join());
			assert.ok(others <= 4, `${others} processes`);
			assert.equal(written, 'EROFS');
		});
	});

	it('can change the files where it was declared to, and sees none where it was declared to see none', async () => {
		await withServer(declared('honest', { files: 'write' }), async () => {
			assert.deepEqual(await results(use('write', {})), ['written']);
			assert.ok(existsSync(path.join(sandbox.tree, 'written-by-server.txt')));
		});
		await withServer(declared('honest', { files: 'none' }), async () => {
			const [seen] = await results(use('look', {}));
			assert.deepEqual(JSON.parse(seen ?? '{}').files, []);
		});
	});

	it('that has to run without a sandbox runs on this machine, on the same copy of the files', async () => {
		await withServer(declared('honest', { sandbox: false }), async () => {
			const [seen] = await results(use('look', {}));
			const { folder, secret, others } = JSON.parse(seen ?? '{}');
			assert.deepEqual([folder, secret], [sandbox.tree, SECRET]);
			assert.ok(others > 4, `${others} processes`);
			assert.equal(asked.length, 1);
		});
	});

	it('with hosts runs more than once at a time, and leaves nothing of its connections', async () => {
		await withServer(declared('honest', { hosts: ['host.example'] }), async () => {
			const again = `(echo '{"jsonrpc":"2.0","id":1,"method":"ping"}'; sleep 3) | ERRAND_MCP_TOKEN='${servers.token}' ${process.execPath} /run/errand/inside.mts mcp 41417 test`;
			model.play({ calls: [{ name: 'run', input: { command: again } }] }, use('add', { a: 1, b: 2 }), {
				text: 'Done.',
			});
			await agent.prompt('Go');
			const [other, sum] = model.requests.at(-1)?.results ?? [];
			assert.match(other ?? '', /"id":1,"result"/);
			assert.equal(sum, '3');
		});
		await waitFor('the end of what was open', () =>
			readdirSync(path.join(sandbox.folder, 'homes')).every(name => !name.startsWith('relay-')),
		);
	});

	/** Lets the agent look for a text in everything that it can see while a server is in use. */
	async function looksFor(text: string): Promise<void> {
		// The pattern does not match itself, in the command that looks for it.
		const pattern = `[${text[0]}]${text.slice(1)}`;
		const find = `cat /proc/*/cmdline /proc/*/environ 2>/dev/null | grep -a -c '${pattern}'; grep -r -l '${pattern}' ~ . /run /tmp 2>/dev/null; echo looked`;
		model.play(use('add', { a: 1, b: 1 }), { calls: [{ name: 'run', input: { command: find } }] }, { text: 'Done.' });
		await agent.prompt('Go');
		const [sum, found] = model.requests.at(-1)?.results ?? [];
		assert.equal(sum, '2');
		assert.match(found ?? '', /^0\n(?:.*\n)?looked/, found);
	}

	it('keeps its secret from the agent, in files, arguments, variables and processes', async () => {
		await withServer(declared('honest'), () => looksFor(SECRET));
	});

	for (const version of ['2025-11-25', '2026-07-28'] as const) {
		it(`at an address, with ${version}, is used through the host, and the agent learns neither its address nor its token`, async () => {
			const server = await RemoteMcpServer.start();
			server.tokens = new Map([[SECRET, server.url]]);
			server.version = version;
			try {
				const { host } = new URL(server.origin);
				await withServer(
					{ ...remoteServerSchema.parse({ url: server.url }), name: 'test', file: undefined },
					async () => {
						await looksFor(host);
						await looksFor(SECRET);
					},
				);
				assert.deepEqual(failed, []);
			} finally {
				server.stop();
			}
		});
	}

	for (const transport of TRANSPORTS) {
		describe(`that is hostile, and reached by ${transport}`, () => {
			const serverOver = useServersOver();
			const hostile = async (how: string): Promise<DeclaredServer> => ({
				...serverSettingSchema.parse(await serverOver(transport, how)),
				...{ name: 'test', file: undefined },
			});

			it('describes a tool in another way after the yes: that tool is asked about, and is gone without a yes', async () => {
				const server = await hostile('changing');
				await withServer(server, async () => {
					assert.deepEqual(await results(use('add', { a: 1, b: 1 })), ['2']);
				});
				assert.deepEqual(changed, []);
				await withServer(server, async () => {
					const [refused] = await results(use('add', { a: 1, b: 1 }));
					assert.match(refused ?? '', /There is no "test\/add"/);
				});
				assert.deepEqual(changed, ['add']);
				assert.equal(asked.length, 1);
				isAgreed = true;
				await withServer(server, async () => {
					assert.deepEqual(await results(use('add', { a: 1, b: 1 })), ['2']);
				});
			});

			it('writes without end: no more than the limit is read, the agent is told, and the turn goes on', async () => {
				await withServer(await hostile('flooding'), async () => {
					const [said] = await results(use('add', { a: 1, b: 1 }));
					assert.match(`${said} ${failed.join(' ')}`, /sent (?:a message of )?more than/);
				});
			});

			it('asks for a model’s words, for a key and for folders: it gets a refusal, and nobody else hears of it', async () => {
				await withServer(await hostile('asking'), async () => {
					assert.deepEqual(await results(use('add', { a: 1, b: 1 })), ['-32601,-32601,-32601']);
				});
				assert.equal(model.requests.length, 2);
			});
		});
	}

	it('is not reached with another token, or by another name', async () => {
		await withServer(declared('honest'), async () => {
			const node = process.execPath;
			const inside = '/run/errand/inside.mts';
			const attempts = [
				['x'.repeat(43), 'test'],
				[servers.token, 'other'],
			].map(([shown, name]) => `ERRAND_MCP_TOKEN='${shown}' ${node} ${inside} mcp 41417 ${name} </dev/null`);
			model.play({ calls: attempts.map(command => ({ name: 'run', input: { command } })) }, { text: 'Done.' });
			await agent.prompt('Go');
			const said = model.requests.at(-1)?.results ?? [];
			assert.equal(said.length, attempts.length);
			for (const result of said) {
				assert.match(result, /is not available/);
			}
		});
	});
});
