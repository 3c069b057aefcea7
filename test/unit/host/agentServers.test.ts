import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { AgentServers, type AgreedServer } from '../../../src/chat/agent/agentServers.ts';
import { serversForTasks } from '../../../src/chat/agent/serversForTasks.ts';
import { isOutside, taskServerSchema } from '../../../src/contract/mcpServers.ts';
import { SignInLinks } from '../../../src/platform/signInLinks.ts';
import { RemoteMcpServer } from '../../support/remoteMcpServer.ts';

const USE = 'Use This Server';

/** Placeholders as declarations write them. */
const KEY = `\${input:key}`;
const FOLDER = `\${workspaceFolder}`;

describe('the MCP servers of a folder', () => {
	let folder: string;
	let servers: AgentServers;
	let secrets: Map<string, string>;
	let settings: object;
	let isSandboxRequired: boolean;
	let links: SignInLinks;
	/** The questions so far, and how they are answered. */
	let asked: { question: string; detail: string }[];
	let answer: string | undefined;
	/** The boxes that are open. */
	let boxes: { answer(value: string | undefined): void }[];

	beforeEach(async () => {
		folder = await mkdtemp(path.join(os.tmpdir(), 'errand-servers-'));
		await mkdir(path.join(folder, '.vscode'));
		[asked, answer, boxes, secrets, settings, links] = [[], USE, [], new Map(), {}, new SignInLinks()];
		isSandboxRequired = false;
		const state = new Map<string, unknown>();
		servers = new AgentServers({
			declared: () => settings,
			state: {
				get: (key: string) => state.get(key),
				update: async (key: string, value: unknown) => void state.set(key, value),
			},
			secrets: {
				get: async (key: string) => secrets.get(key),
				store: async (key: string, value: string) => void secrets.set(key, value),
			},
			packages: '/packages',
			isSandboxRequired: async () => isSandboxRequired,
			signInLinks: links,
		} as unknown as ConstructorParameters<typeof AgentServers>[0]);
		Object.assign(vscode.window, {
			showWarningMessage: async (question: string, { detail }: { detail: string }) => {
				asked.push({ question, detail });
				return answer;
			},
			showInputBox: (_: unknown, token: vscode.CancellationToken) =>
				new Promise(resolve => {
					token.onCancellationRequested(() => resolve(undefined));
					boxes.push({ answer: resolve });
				}),
		});
	});
	afterEach(async () => {
		Reflect.deleteProperty(vscode.window, 'showWarningMessage');
		Reflect.deleteProperty(vscode.window, 'showInputBox');
		await rm(folder, { recursive: true, force: true });
	});

	const declare = (server: object) =>
		writeFile(path.join(folder, '.vscode/mcp.json'), JSON.stringify({ servers: { one: server } }));
	const names = async (isSandboxed = true) =>
		(await servers.agreed([folder], isSandboxed)).servers.map(({ name }) => name);
	async function agreedOne(): Promise<AgreedServer> {
		const { servers: agreed } = await servers.agreed([folder], true);
		return agreed[0] ?? assert.fail('There is none.');
	}
	const present = () => new AbortController().signal;
	const turn = () => new Promise(resolve => setImmediate(resolve));

	it('are asked about with all that the yes is about, each word of it on one line', async () => {
		const args = ['/home/me/x.js', 'a\n\nIt sees no files.', '\u202Eb'];
		await declare({ command: 'node', args, env: { START: 'run this', KEY } });
		assert.deepEqual(await names(), ['one']);
		const { detail } = asked[0] ?? assert.fail('Nothing was asked.');
		assert.ok(detail.includes(String.raw`Command: node /home/me/x.js "a\n\nIt sees no files." "⟨U+202E⟩b"`), detail);
		assert.match(detail, /^\.vscode\/mcp\.json declares “one”\.\nIt runs in a sandbox of its own\./);
		assert.match(detail, /^Variables that it sets: START='run this' KEY='\$\{input:key\}'$/m);
		assert.match(detail, /^It also sees what lies beside these files: \/home\/me\/x\.js$/m);
	});

	it('are asked about with the files of the folder that they run, which agents can change', async () => {
		await writeFile(path.join(folder, 'server.js'), '');
		await declare({ command: 'node', args: ['server.js', `${FOLDER}/server.js`, 'other.js', '.', '..'] });
		await names();
		const words = `It runs these files as an agent may have changed them: server.js '${FOLDER}/server.js'`;
		assert.ok(asked[0]?.detail.split('\n').includes(words), asked[0]?.detail);
	});

	it('are asked about again before one runs without a sandbox, and not in one after that', async () => {
		await declare({ command: 'node' });
		assert.deepEqual(await names(), ['one']);
		servers.noteTools(await agreedOne(), { add: 'digest' });
		answer = undefined;
		assert.deepEqual(await names(false), []);
		assert.match(asked[1]?.detail ?? '', /it runs as you/);
		assert.match(asked[1]?.question ?? '', /^May agents use/);
		assert.deepEqual(await names(), ['one']);
		assert.deepEqual(servers.toolsOf(await agreedOne()), { add: 'digest' });
	});

	it('that their command would have to download are not asked about, and told of, unless there is no sandbox', async () => {
		await declare({ command: 'uvx', args: ['--with', 'more', 'mcp-server-git'] });
		const { servers: none, problems } = await servers.agreed([folder], true);
		assert.deepEqual([none, asked], [[], []]);
		assert.match(problems.join(), /“one” is not used: uvx would download it.*Install it yourself/);
		assert.deepEqual(await names(false), ['one']);
	});

	it('that have to run without a sandbox are those of the settings alone, are none of tasks, and none where that is forbidden', async () => {
		await declare({ command: 'node', sandbox: false });
		settings = { browser: { command: 'uvx', args: ['browser'], sandbox: false } };
		const { servers: both } = await servers.agreed([folder], true);
		assert.deepEqual(
			both.map(server => [server.name, isOutside(server)]),
			[
				['browser', true],
				['one', false],
			],
		);
		assert.deepEqual(
			(await serversForTasks(servers, undefined)).map(({ name }) => name),
			[],
		);
		isSandboxRequired = true;
		const { servers: left, problems } = await servers.agreed([folder], true);
		assert.deepEqual(
			left.map(({ name }) => name),
			['one'],
		);
		assert.match(
			problems.join(),
			/“browser” is not used: it has to run without a sandbox, which errand\.local\.sandbox/,
		);
	});

	it('without a sandbox are allowed in one as well', async () => {
		await declare({ command: 'node' });
		assert.deepEqual(await names(false), ['one']);
		servers.noteTools(await agreedOne(), {});
		assert.deepEqual([await names(false), await names(true)], [['one'], ['one']]);
		assert.equal(asked.length, 1);
	});

	it('at an address are asked about with it, their headers and where they run, and once for every place of agents', async () => {
		const url = 'https://mcp.exämple/mcp';
		await declare({ type: 'http', url, headers: { 'X-Key': KEY, 'X-Team': 'docs' } });
		assert.deepEqual([await names(), await names(false)], [['one'], ['one']]);
		assert.equal(asked.length, 1);
		const { detail } = asked[0] ?? assert.fail('Nothing was asked.');
		assert.match(detail, /^Address: https:\/\/mcp\.xn--exmple-cua\/mcp$/m);
		assert.match(detail, /^Header that it gets: X-Key: \$\{input:key\}$/m);
		assert.match(detail, /^You are asked for: key$/m);
		assert.match(detail, /^It runs elsewhere, and not in a sandbox/m);
		await declare({ type: 'http', url, headers: { 'X-Key': KEY } });
		answer = undefined;
		assert.deepEqual(await names(), []);
		assert.match(asked[1]?.question ?? '', /declared in another way now/);
	});

	it('at an address are given to a task with a token that they accept, after a sign-in, and with none after a no', async () => {
		const remote = await RemoteMcpServer.start();
		try {
			remote.tokens = new Map();
			remote.lifetime = 60;
			settings = { far: { url: remote.url } };
			Object.assign(links, {
				address: async () => 'vscode://errand.errand/sign-in',
				async open(page: URL) {
					await links.take([...remote.signInOn(page)].map(each => each.join('=')).join('&'));
					return true;
				},
			});
			Object.assign(vscode.window, {
				showInformationMessage: async () => undefined,
				withProgress: (_: unknown, run: (progress: unknown, token: unknown) => unknown) =>
					run(undefined, { onCancellationRequested: () => {} }),
			});
			const [offered = assert.fail('There is none.')] = await serversForTasks(servers, undefined);
			assert.deepEqual([offered.isAllowed, offered.reach], [true, `Runs at ${new URL(remote.url).host}`]);
			answer = undefined;
			await assert.rejects(offered.handOver(), { message: /^you did not sign in\./ });
			answer = 'Open Page';
			const handed = taskServerSchema.parse(await offered.handOver());
			assert.equal(remote.tokens.get(handed.token ?? ''), remote.url);
			const again = await offered.handOver();
			// It would end within the task.
			assert.notEqual(again.token, handed.token);
			assert.deepEqual([again.file, asked.length], [undefined, 2]);
			remote.stop();
			assert.equal((await offered.handOver().catch(error => error)).token, undefined);
		} finally {
			remote.stop();
			Reflect.deleteProperty(vscode.window, 'showInformationMessage');
		}
	});

	it('get no value that was entered for what was declared before', async () => {
		await declare({ command: 'node', args: [KEY] });
		const before = servers.inputsOf(await agreedOne(), present());
		await turn();
		boxes[0]?.answer('secret');
		assert.equal((await before).get('key'), 'secret');
		assert.equal((await servers.inputsOf(await agreedOne(), present())).get('key'), 'secret');
		await declare({ command: 'evil', args: [KEY] });
		const after = servers.inputsOf(await agreedOne(), present());
		await turn();
		boxes[1]?.answer(undefined);
		await assert.rejects(after, /has no value for key/);
	});

	it('are asked for one value after another, and no more once the agent is stopped', async () => {
		await declare({ command: 'node', args: [KEY] });
		const server = await agreedOne();
		const stopped = new AbortController();
		const values = [servers.inputsOf(server, stopped.signal), servers.inputsOf(server, stopped.signal)];
		const settled = Promise.allSettled(values);
		await turn();
		assert.equal(boxes.length, 1);
		stopped.abort(new Error('stopped'));
		assert.deepEqual(
			(await settled).map(({ status }) => status),
			['rejected', 'rejected'],
		);
		assert.equal(boxes.length, 1);
		assert.equal(secrets.size, 0);
	});

	it('are offered to tasks unless they were refused, and a task gets exactly what the yes is about', async () => {
		await declare({ command: 'node', args: [KEY], env: { TERM: `\${env:TERM}` } });
		const offered = async (from: string | undefined = folder) => serversForTasks(servers, from);
		const [unasked] = await offered();
		assert.deepEqual([unasked?.name, unasked?.isAllowed, asked], ['one', false, []]);
		answer = undefined;
		await unasked?.ask();
		assert.equal((await offered())[0]?.isAllowed, false);
		answer = USE;
		await unasked?.ask();
		assert.match(asked[1]?.detail ?? '', /In a task, nobody is asked about them\.$/m);
		const [one] = await offered();
		assert.equal(one?.isAllowed, true);
		assert.equal(one?.reach, 'Reads files, no network');
		servers.noteTools(await agreedOne(), { add: 'digest' });
		const handing = one?.handOver();
		await turn();
		boxes[0]?.answer('secret');
		const { declaration, ...handed } = (await handing) ?? assert.fail();
		assert.deepEqual(handed, {
			...{ name: 'one', inputs: { key: 'secret' }, variables: { TERM: process.env['TERM'] ?? '' } },
			...{ file: '.vscode/mcp.json', tools: { add: 'digest' }, packages: '/packages' },
		});
		assert.deepEqual(taskServerSchema.parse({ ...handed, declaration }).declaration, declaration);
		assert.deepEqual(await serversForTasks(servers, undefined), []);
		answer = 'Never in This Folder';
		await declare({ command: 'other' });
		await (await offered())[0]?.ask();
		assert.deepEqual(await offered(), []);
	});

	it('are none where the file is something else', async () => {
		await symlink('/dev/zero', path.join(folder, '.vscode/mcp.json'));
		assert.deepEqual(await names(), []);
	});

	it('are described by a changed tool’s name, arguments and words, on one line each', async () => {
		await declare({ command: 'node' });
		const server = await agreedOne();
		const inputSchema = { properties: { to: {}, body: {} } };
		await servers.askAboutTools(server, [
			{ name: 'send', description: `Sends.\n\nadd (a, b): Adds. ${'x'.repeat(700)}`, inputSchema },
			...Array.from({ length: 12 }, (_, at) => ({ name: `tool${at}` })),
		]);
		const { detail } = asked[1] ?? assert.fail('Nothing was asked.');
		assert.match(detail, /^send \(to, body\): Sends\. add \(a, b\): Adds\. x+…$/m);
		assert.match(detail, /^3 more$/m);
	});
});
