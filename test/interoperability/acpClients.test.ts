import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { client, methods, type PromptRequest, type SessionUpdate } from '@agentclientprotocol/sdk';
import { runChild, startChild } from '../../src/base/childProcess.ts';
import { connectClient } from '../support/acpClient.ts';
import { ReplyServer } from '../support/replyServer.ts';
import { fileOf } from './packages.ts';

const AGENT = path.resolve('src/agent/main.ts');
const ARGUMENTS = ['--disable-warning=ExperimentalWarning', AGENT];

/** Clients of others drive Errand's own agent. */
describe('Errand’s own agent, driven by', () => {
	let server: ReplyServer;
	let scratch: string;
	let folder: string;
	let env: Record<string, string>;

	beforeEach(async () => {
		server = await ReplyServer.start();
		scratch = mkdtempSync(path.join(os.tmpdir(), 'errand-acp-'));
		folder = path.join(scratch, 'work');
		mkdirSync(folder);
		env = {
			PATH: process.env['PATH'] ?? '',
			HOME: path.join(scratch, 'home'),
			ERRAND_AGENT_URL: server.url,
			ERRAND_AGENT_MODEL: 'scripted',
		};
		server.play(
			{ calls: [{ name: 'write', input: { path: 'made.txt', content: 'made\n' } }] },
			{ calls: [{ name: 'run', input: { command: 'cat made.txt' } }] },
			{ text: 'All done.' },
		);
	});
	afterEach(async () => {
		await server.stop();
		rmSync(scratch, { recursive: true, force: true });
	});

	const isMade = () => {
		assert.equal(readFileSync(path.join(folder, 'made.txt'), 'utf8'), 'made\n');
		assert.match(server.requests.at(-1)?.results.at(-1) ?? '', /^made\nExit code 0\.$/);
	};

	it('the SDK’s client, which is asked before anything is written or run', async () => {
		const { signal } = new AbortController();
		const child = startChild({ command: process.execPath, args: ARGUMENTS, cwd: folder, env, signal });
		const updates: SessionUpdate[] = [];
		const asked: string[] = [];
		const app = client({ name: 'test' })
			.onRequest(methods.client.session.requestPermission, ({ params }) => {
				asked.push(params.toolCall.title ?? '');
				return { outcome: { outcome: 'selected', optionId: params.options[0]?.optionId ?? '' } };
			})
			.onNotification(methods.client.session.update, ({ params }) => {
				updates.push(params.update);
			});
		const reason = await connectClient(app, child, async context => {
			const { sessionId } = await context.request(methods.agent.session.new, { cwd: folder, mcpServers: [] });
			const request: PromptRequest = { sessionId, prompt: [{ type: 'text', text: 'Make it' }] };
			const { stopReason } = await context.request(methods.agent.session.prompt, request);
			return stopReason;
		});
		await child.end();
		assert.equal(reason, 'end_turn');
		assert.deepEqual(asked, ['Write made.txt', 'cat made.txt']);
		assert.ok(updates.some(({ sessionUpdate }) => sessionUpdate === 'agent_message_chunk'));
		isMade();
	});

	it('acpx', async () => {
		let printed = '';
		const agent = [process.execPath, ...ARGUMENTS].join(' ');
		const { exitCode } = await runChild({
			command: process.execPath,
			args: [fileOf('acpx', 'dist/cli.js'), ...['--agent', agent, '--cwd', folder, '--approve-all', 'exec', 'Make it']],
			cwd: folder,
			env,
			signal: AbortSignal.timeout(100_000),
			onOutput: (_, bytes) => {
				printed += bytes;
			},
		});
		assert.equal(exitCode, 0, printed);
		assert.match(printed, /All done\.[\s\S]*end_turn/);
		isMade();
	});
});
