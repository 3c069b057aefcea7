import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';
import { MCP_PROGRAM } from '../support/programs.ts';
import { ServiceProcess } from '../support/serviceProcess.ts';
import { TemporaryRepository } from '../support/temporaryRepository.ts';

/** `npm run test:interoperability` installs them there. */
const folder = path.resolve('test/support/mcpClients');
const require = createRequire(path.join(folder, 'package.json'));
// biome-ignore lint/suspicious/noExplicitAny: the packages are installed with these tests only.
const load = (name: string): Promise<any> => import(require.resolve(name).replace(/\.cjs$/, '.mjs'));

interface Answer {
	isError: boolean;
	texts: string[];
	// biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects.
	json: any;
}

/** A client of somebody else, whose user says yes to every form. */
interface ForeignMcpClient {
	tools(): Promise<string[]>;
	call(tool: string, asked: object, onProgress?: (progress: unknown) => void): Promise<Answer>;
	/** The forms that its user has seen. */
	forms: string[];
	close(): Promise<void>;
}

function answerOf({ content, isError }: { content: { text: string }[]; isError?: boolean }): Answer {
	const texts = content.map(({ text }) => text);
	let json: unknown;
	try {
		json = JSON.parse(texts.at(-1) ?? '');
	} catch {}
	return { isError: isError === true, texts, json };
}

const INFO = { name: 'somebody-else', version: '1' };
const FORMS = { capabilities: { elicitation: { form: {} } } };

const clients: Readonly<Record<string, (args: string[]) => Promise<ForeignMcpClient>>> = {
	'`@modelcontextprotocol/sdk`': async args => {
		const { Client } = await load('@modelcontextprotocol/sdk/client/index.js');
		const { StdioClientTransport } = await load('@modelcontextprotocol/sdk/client/stdio.js');
		const { ElicitRequestSchema } = await load('@modelcontextprotocol/sdk/types.js');
		const client = new Client(INFO, FORMS);
		const forms: string[] = [];
		client.setRequestHandler(ElicitRequestSchema, ({ params }: { params: { message: string } }) => {
			forms.push(params.message);
			return { action: 'accept', content: { allow: true } };
		});
		await client.connect(new StdioClientTransport({ command: process.execPath, args }));
		return {
			forms,
			tools: async () => (await client.listTools()).tools.map(({ name }: { name: string }) => name),
			call: async (name, asked, onprogress) =>
				answerOf(await client.callTool({ name, arguments: asked }, undefined, { onprogress })),
			close: () => client.close(),
		};
	},
	'`@modelcontextprotocol/client`': args => modern(args, 'legacy'),
	'`@modelcontextprotocol/client` with the protocol of 2026': args => modern(args, 'auto'),
};

async function modern(args: string[], mode: 'legacy' | 'auto'): Promise<ForeignMcpClient> {
	const { Client } = await load('@modelcontextprotocol/client');
	const { StdioClientTransport } = await load('@modelcontextprotocol/client/stdio');
	const client = new Client(INFO, { ...FORMS, versionNegotiation: { mode } });
	const forms: string[] = [];
	client.setRequestHandler('elicitation/create', ({ params }: { params: { message: string } }) => {
		forms.push(params.message);
		return { action: 'accept', content: { allow: true } };
	});
	await client.connect(new StdioClientTransport({ command: process.execPath, args }));
	assert.match(client.getNegotiatedProtocolVersion(), mode === 'auto' ? /^2026-/ : /^2025-/);
	return {
		forms,
		tools: async () => (await client.listTools()).tools.map(({ name }: { name: string }) => name),
		call: async (name, asked, onprogress) =>
			answerOf(await client.callTool({ name, arguments: asked }, { onprogress })),
		close: () => client.close(),
	};
}

describe('a third-party MCP client with the MCP server:', () => {
	let service: ServiceProcess;
	let repository: TemporaryRepository;
	let args: string[];

	before(async () => {
		service = await ServiceProcess.start();
		repository = await TemporaryRepository.create();
		args = [MCP_PROGRAM, '--data', service.stateFolder];
	});
	after(async () => {
		await service?.stop();
		await repository?.remove();
	});

	async function followToTheEnd(client: ForeignMcpClient, taskId: string): Promise<number> {
		let progress = 0;
		for (let from = 0; ; ) {
			const asked = { task_id: taskId, from_index: from, wait_seconds: 50 };
			const { json } = await client.call('follow_task', asked, () => {
				progress++;
			});
			from = json.next_index;
			if (json.has_ended) {
				return progress;
			}
		}
	}

	for (const [name, open] of Object.entries(clients)) {
		it(`${name} lists, starts, follows, reads changes, continues and stops`, async () => {
			const client = await open(args);
			try {
				assert.ok((await client.tools()).includes('start_task'));
				const prompt = `Say what is here, for ${name}`;
				const { json: started, texts } = await client.call('start_task', { prompt, repository: repository.path });
				assert.ok(started?.task_id, texts.join());
				assert.equal(client.forms.length, 1);
				assert.ok(client.forms[0]?.includes(prompt) && client.forms[0].includes(repository.path));
				assert.ok((await followToTheEnd(client, started.task_id)) > 0, 'progress is told');
				const { json: page } = await client.call('list_tasks', {});
				assert.equal(page.tasks[0].task_id, started.task_id);
				const { json: changes } = await client.call('task_changes', { task_id: started.task_id });
				const file = changes.results[0].files[0].path;
				const { json: diff } = await client.call('task_changes', { task_id: started.task_id, path: file });
				assert.match(diff.diff, /^diff --git/);
				const { json: going } = await client.call('continue_task', { task_id: started.task_id, prompt: '/demo slow' });
				assert.equal(going.task_id, started.task_id);
				await client.call('stop_task', { task_id: started.task_id });
				await followToTheEnd(client, started.task_id);
				const { json: task } = await client.call('get_task', { task_id: started.task_id });
				assert.equal(task.status, 'stopped');
				assert.equal(client.forms.length, 3);
			} finally {
				await client.close();
			}
		});
	}

	describe('the inspector’s command line', () => {
		async function inspect(...asked: string[]): Promise<Answer & { tools?: { name: string }[] }> {
			const inspector = path.join(folder, 'node_modules', '.bin', 'mcp-inspector');
			const whole = [inspector, '--cli', process.execPath, ...args, ...asked];
			// It keeps a catalogue in the user's home.
			const options = { maxBuffer: 16 * 1024 * 1024, env: { ...process.env, HOME: repository.folder } };
			const { stdout } = await promisify(execFile)(process.execPath, whole, options).catch(
				// A tool that refuses makes it end with a code of its own.
				(error: { stdout?: string }) => {
					if (!error.stdout) {
						throw error;
					}
					return { stdout: error.stdout };
				},
			);
			const result = JSON.parse(stdout);
			return { ...(result.content ? answerOf(result) : { isError: false, texts: [], json: undefined }), ...result };
		}
		const call = (tool: string, ...pairs: string[]) =>
			inspect('--method', 'tools/call', '--tool-name', tool, ...pairs.flatMap(pair => ['--tool-arg', pair]));

		it('lists the tools and reads tasks to the end, with their changes', async () => {
			const { tools = [] } = await inspect('--method', 'tools/list', '--strict');
			assert.equal(tools.length, 9);
			const reply = await service.fetch('/api/tasks', {
				json: { prompt: 'Say what is here', repoUrl: repository.path, selectedAgent: 'demo', selectedBranch: 'main' },
			});
			const { task } = (await reply.json()) as { task: { id: string } };
			for (let from = 0; ; ) {
				const { json } = await call('follow_task', `task_id=${task.id}`, `from_index=${from}`, 'wait_seconds=50');
				from = json.next_index;
				if (json.has_ended) {
					break;
				}
			}
			const { json: changes } = await call('task_changes', `task_id=${task.id}`);
			assert.equal(changes.results[0].files.length, 1);
			const { json: page } = await call('list_tasks', 'limit=1');
			assert.equal(page.tasks[0].task_id, task.id);
		});

		it('is refused what spends, as it shows no forms', async () => {
			for (const [tool, ...pairs] of [
				['start_task', 'prompt=Do it', `repository=${repository.path}`],
				['search_web', 'query=What is new?'],
			] as const) {
				const { isError, texts } = await call(tool, ...pairs);
				assert.equal(isError, true);
				assert.match(texts[0] ?? '', /nobody can be asked/);
			}
		});
	});
});
