import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { PermissionRequest } from '../../../src/agents/session/events.ts';
import { AGENT_PROGRAM } from '../../support/programs.ts';
import type { ScriptedReply } from '../../support/replyServer.ts';
import { useOwnAgent } from '../../support/useOwnAgent.ts';
import { waitFor } from '../../support/waitFor.ts';

const call = (name: string, input: unknown): ScriptedReply => ({ calls: [{ name, input }] });
const DONE: ScriptedReply = { text: 'Done.' };

describe('a session of Errand’s own agent', () => {
	const own = useOwnAgent();
	const items = () => (own.server.requests.at(-1)?.body['input'] ?? []) as Record<string, unknown>[];
	const messages = () => (own.server.requests.at(-1)?.body['messages'] ?? []) as Record<string, unknown>[];

	it('uses responses where the service has them, else chat completions, and does not ask twice', async () => {
		const agent = await own.start();
		own.server.play(DONE);
		await agent.session.prompt('One');
		assert.deepEqual(
			own.server.requests.map(({ path: asked, body }) => [asked, body['store'], body['stream']]),
			[['/v1/responses', false, true]],
		);
		own.server.endpoints = ['/v1/chat/completions'];
		const other = await own.start();
		own.server.play(DONE, DONE);
		await other.session.prompt('One');
		await other.session.prompt('Two');
		assert.deepEqual(
			own.server.requests.slice(1).map(({ path: asked }) => asked),
			['/v1/chat/completions', '/v1/chat/completions'],
		);
		assert.deepEqual(
			messages()
				.map(({ role, content }) => [role, content])
				.slice(1),
			[
				['user', 'One'],
				['assistant', 'Done.'],
				['user', 'Two'],
			],
		);
	});

	it('waits after each call until its client has dealt with it, where the client says that it does', async () => {
		const file = path.join(own.folder, 'a.txt');
		const seen: string[] = [];
		const settle = async () => {
			await new Promise(resolve => setImmediate(resolve));
			seen.push(readFileSync(file, 'utf8'));
		};
		const agent = await own.start({}, { settle });
		const write = (content: string) => ({ name: 'write', input: { path: 'a.txt', content } });
		own.server.play({ calls: [write('one\n'), write('two\n')] }, DONE);
		await agent.session.prompt('Work');
		assert.deepEqual(seen, ['one\n', 'two\n']);
	});

	it('passes reasoning back as it came, over ten turns', async () => {
		const agent = await own.start();
		const reasoning = Array.from({ length: 10 }, (_, turn) => ({
			type: 'reasoning',
			id: `rs_${turn}`,
			encrypted_content: `sealed-${turn}-${'é\u0000"\\'.repeat(3)}`,
			summary: [],
			unknown: { deep: [1, null, { z: 1, a: 2 }] },
		}));
		for (const [turn, item] of reasoning.entries()) {
			own.server.play({ reasoning: [item], ...call('list', {}) }, DONE);
			await agent.session.prompt(`Turn ${turn}`);
		}
		assert.deepEqual(
			items()
				.filter(({ type }) => type === 'reasoning')
				.map(item => JSON.stringify(item)),
			reasoning.map(item => JSON.stringify(item)),
		);
		assert.equal(items().filter(({ type }) => type === 'function_call_output').length, 10);
	});

	it('follows the repository’s AGENTS.md, and not one that is a link out of the folder', async () => {
		writeFileSync(path.join(own.folder, 'AGENTS.md'), 'Use tabs in this repository.\n');
		const agent = await own.start();
		own.server.play(DONE, DONE);
		await agent.session.prompt('Work');
		assert.match(
			String(own.server.requests[0]?.body['instructions']),
			/From AGENTS\.md[\s\S]*Use tabs in this repository/,
		);
		writeFileSync(path.join(own.scratch, 'outside.md'), 'A secret of the user.\n');
		rmSync(path.join(own.folder, 'AGENTS.md'));
		execFileSync('ln', ['-s', '../outside.md', path.join(own.folder, 'AGENTS.md')]);
		await agent.session.prompt('Work');
		assert.doesNotMatch(String(own.server.requests[1]?.body['instructions']), /secret/);
	});

	it('answers several calls of one reply, in their order', async () => {
		writeFileSync(path.join(own.folder, 'a.txt'), 'a\n');
		const agent = await own.start();
		own.server.play(
			{
				calls: [
					{ name: 'read', input: { path: 'a.txt' } },
					{ name: 'list', input: {} },
				],
			},
			DONE,
		);
		await agent.session.prompt('Look');
		assert.deepEqual(own.server.requests[1]?.results, ['    1\ta\n', 'a.txt']);
	});

	it('shows its plan, its calls and what it has changed', async () => {
		const agent = await own.start();
		own.server.play(
			call('plan', { steps: [{ text: 'Write it', status: 'in_progress' }] }),
			call('write', { path: 'new.txt', content: 'new\n' }),
			DONE,
		);
		await agent.session.prompt('Write');
		assert.deepEqual(
			agent.events.find(({ type }) => type === 'plan'),
			{ type: 'plan', entries: [{ content: 'Write it', status: 'in_progress' }] },
		);
		const calls = agent.events.flatMap(event => (event.type === 'tool' ? [event.call] : []));
		assert.ok(!calls.some(({ title }) => title === 'Plan'));
		const last = calls.at(-1);
		assert.deepEqual([last?.title, last?.kind, last?.status], ['Write new.txt', 'edit', 'completed']);
		assert.deepEqual(last?.diffs, [{ path: path.join(own.folder, 'new.txt'), newText: 'new\n' }]);
	});

	describe('that has to ask', () => {
		const asked: PermissionRequest[] = [];
		const answering = (kind: 'allow_once' | 'allow_always' | 'reject_once') => ({
			mode: 'ask',
			decide: (request: PermissionRequest) => {
				asked.push(request);
				return { option: request.options.find(option => option.kind === kind)?.id };
			},
		});
		beforeEach(() => asked.splice(0));
		const play = () =>
			own.server.play(
				call('read', { path: 'a.txt' }),
				call('write', { path: 'a.txt', content: 'mine' }),
				call('run', { command: 'touch ran' }),
				DONE,
			);
		const done = () => ['a.txt', 'ran'].map(name => existsSync(path.join(own.folder, name)));

		it('asks before it writes and runs, each time, and not before it reads', async () => {
			const agent = await own.start({}, answering('allow_once'));
			play();
			await agent.session.prompt('Go');
			play();
			await agent.session.prompt('Again');
			assert.deepEqual(
				asked.map(({ call: { title } }) => title),
				['Write a.txt', 'touch ran', 'Write a.txt', 'touch ran'],
			);
			assert.deepEqual(done(), [true, true]);
		});

		it('does nothing that was refused, tells the model, and goes on', async () => {
			const agent = await own.start({}, answering('reject_once'));
			play();
			assert.equal(await agent.session.prompt('Go'), 'end_turn');
			assert.deepEqual(done(), [false, false]);
			assert.match(own.server.requests.at(-1)?.results[1] ?? '', /not allowed/);
		});

		it('asks once for a kind of call that was allowed for the session', async () => {
			const agent = await own.start({}, answering('allow_always'));
			play();
			await agent.session.prompt('Go');
			play();
			await agent.session.prompt('Again');
			assert.equal(asked.length, 2);
		});
	});

	describe('whose model cannot be used', () => {
		it('says that it cannot call tools, when the service says so', async () => {
			for (const message of ['"tiny" does not support tools', 'tools are not supported by this model']) {
				const agent = await own.start({ API: 'chat' });
				own.server.play({ error: { status: 400, message } });
				await assert.rejects(agent.session.prompt('Go'), /The model scripted cannot call tools/);
			}
		});

		it('says that it writes calls as text', async () => {
			const agent = await own.start();
			own.server.play({ text: '```json\n{"name": "read", "arguments": {"path": "a.txt"}}\n```' });
			await assert.rejects(agent.session.prompt('Go'), /writes calls of tools as text/);
		});

		it('is asked to call the tool itself where it could before, and that is told', async () => {
			const agent = await own.start();
			const text = '<tool_call>\n{"name": "list", "arguments": {"path": "."}}\n</tool_call>';
			own.server.play({ calls: [{ name: 'list', input: {} }] }, { text }, DONE);
			assert.equal(await agent.session.prompt('Go'), 'end_turn');
			assert.match(JSON.stringify(own.server.requests.at(-1)?.body['input']), /a call as text, so nothing was run/);
			assert.ok(agent.events.some(event => event.type === 'tool' && /a call as text/.test(event.call.title)));
		});

		it('ends with its text if that only names a tool', async () => {
			const agent = await own.start();
			own.server.play({ calls: [{ name: 'list', input: {} }] }, { text: '{"name": "list", "version": "1.0.0"}' });
			assert.equal(await agent.session.prompt('Go'), 'end_turn');
			assert.equal(own.server.requests.length, 2);
		});

		it('says what the service answered', async () => {
			const agent = await own.start();
			own.server.play({ error: { status: 402, message: 'Out of credit' } });
			await assert.rejects(agent.session.prompt('Go'), /Out of credit/);
			own.server.play(DONE);
			assert.equal(await agent.session.prompt('Again'), 'end_turn');
		});

		it('says that nothing came', async () => {
			const agent = await own.start();
			own.server.script = () => ({});
			await assert.rejects(agent.session.prompt('Go'), /answered with nothing/);
			assert.equal(own.server.requests.length, 3);
		});
	});

	it('shortens the oldest results when the model’s length is reached, and says so', async () => {
		writeFileSync(path.join(own.folder, 'long.txt'), `${'word '.repeat(10)}\n`.repeat(300));
		const agent = await own.start({ CONTEXT_LENGTH: '12000' });
		const read = call('read', { path: 'long.txt' });
		own.server.play(read, read, read, DONE);
		await agent.session.prompt('Read');
		const results = own.server.requests.at(-1)?.results ?? [];
		assert.match(results[0] ?? '', /shortened: \d+ characters/);
		assert.doesNotMatch(results[2] ?? '', /shortened/);
		assert.ok(agent.events.some(event => event.type === 'tool' && /shortened/.test(event.call.title)));
		own.server.play(DONE);
		await assert.rejects(agent.session.prompt('x'.repeat(40_000)), /longer than scripted can take \(12000 tokens\)/);
	});

	it('is stopped in the middle of a command, ends what it ran, and goes on in the same session', async () => {
		const agent = await own.start();
		own.server.play(call('run', { command: 'echo $$ > pid; sleep 300' }), DONE);
		const running = agent.session.prompt('Run');
		const pidFile = path.join(own.folder, 'pid');
		await waitFor('the command runs', () => existsSync(pidFile) && readFileSync(pidFile, 'utf8') !== '');
		const pid = Number(readFileSync(pidFile, 'utf8'));
		await agent.session.cancel();
		assert.equal(await running, 'cancelled');
		assert.equal(spawnSync('kill', ['-0', String(pid)]).status, 1);
		own.server.play(DONE);
		assert.equal(await agent.session.prompt('Go on'), 'end_turn');
		assert.match(own.server.requests.at(-1)?.results.at(-1) ?? '', /interrupted/);
	});

	it('is stopped while the model answers', async () => {
		const agent = await own.start();
		own.server.play({ text: 'I am', hangs: true });
		const running = agent.session.prompt('Talk');
		await own.server.requested(1);
		await agent.session.cancel();
		assert.equal(await running, 'cancelled');
	});

	for (const api of ['responses', 'chat']) {
		it(`goes on in another process after it was killed in the middle, by ${api}`, async () => {
			const agent = await own.start({ API: api });
			own.server.play(call('list', {}), call('run', { command: 'sleep 300' }));
			const running = assert.rejects(agent.session.prompt('Begin'));
			await waitFor('the command runs', () =>
				agent.events.some(event => event.type === 'tool' && event.call.title === 'sleep 300'),
			);
			process.kill(agent.pid, 'SIGKILL');
			await running;
			const resumed = await own.start({ API: api }, { earlier: agent.session.id });
			assert.equal(resumed.session.how, 'resumed');
			own.server.play(DONE);
			assert.equal(await resumed.session.prompt('Go on'), 'end_turn');
			const conversation = JSON.stringify(own.server.requests.at(-1)?.body);
			assert.match(conversation, /Begin[\s\S]*Go on/);
			assert.ok((own.server.requests.at(-1)?.results ?? []).length >= 1);
		});
	}

	it('refuses to go on with a session that it does not have, or with a damaged one', async () => {
		const first = await own.start();
		own.server.play(DONE);
		await first.session.prompt('Begin');
		const sessions = path.join(own.scratch, 'home', '.local', 'state', 'errand-agent', 'sessions');
		const [file = ''] = readdirSync(sessions);
		writeFileSync(path.join(sessions, file), '{"version":1,"folder":"x","items":[{"type":"system"}]}');
		assert.equal((await own.start({}, { earlier: first.session.id })).session.how, 'new');
		assert.equal((await own.start({}, { earlier: '../../etc/passwd' })).session.how, 'new');
	});

	it('gives commands none of its own settings', async () => {
		const agent = await own.start({ KEY: 'sk-secret' });
		own.server.play(call('run', { command: 'env' }), DONE);
		await agent.session.prompt('Look');
		assert.doesNotMatch(own.server.requests.at(-1)?.results[0] ?? '', /sk-secret|ERRAND_AGENT/);
	});

	it('says which setting is missing or wrong, and starts nothing', () => {
		const run = (env: Record<string, string>) =>
			spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', AGENT_PROGRAM], { env, encoding: 'utf8' });
		for (const [env, sentence] of [
			[{}, /ERRAND_AGENT_URL must be/],
			[{ ERRAND_AGENT_URL: 'file:///x' }, /ERRAND_AGENT_URL must be/],
			[{ ERRAND_AGENT_URL: own.server.url }, /ERRAND_AGENT_MODEL must be/],
			[
				{ ERRAND_AGENT_URL: own.server.url, ERRAND_AGENT_MODEL: 'm', ERRAND_AGENT_API: 'x' },
				/ERRAND_AGENT_API must be/,
			],
			[
				{ ERRAND_AGENT_URL: own.server.url, ERRAND_AGENT_MODEL: 'm', ERRAND_AGENT_CONTEXT_LENGTH: '-1' },
				/ERRAND_AGENT_CONTEXT_LENGTH must be/,
			],
		] as const) {
			const { status, stderr } = run(env);
			assert.equal(status, 2);
			assert.match(stderr, sentence);
		}
	});
});
