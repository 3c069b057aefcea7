import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { tools } from '../../../src/agent/tools/tools.ts';
import type { PermissionRequest } from '../../../src/agents/session/events.ts';
import type { ScriptedReply } from '../../support/replyServer.ts';
import { useOwnAgent } from '../../support/useOwnAgent.ts';
import { isAlive, waitFor } from '../../support/waitFor.ts';

const call = (name: string, input: unknown): ScriptedReply => ({ calls: [{ name, input }] });
const run = (command: string) => call('run', { command });
const DONE: ScriptedReply = { text: 'Done.' };
const isLinux = process.platform === 'linux';

describe('Errand’s own agent, with a hostile model or repository', () => {
	const own = useOwnAgent();
	const put = (name: string, text: string) => writeFileSync(path.join(own.folder, name), text);
	const results = () => own.server.requests.at(-1)?.results ?? [];
	/** Plays calls one after another, and returns their results. */
	async function answersTo(...replies: ScriptedReply[]): Promise<string[]> {
		const agent = await own.start();
		own.server.play(...replies, DONE);
		assert.equal(await agent.session.prompt('Go'), 'end_turn');
		return results();
	}

	it('goes on after calls that the system refuses', async () => {
		put('a.txt', 'a\n');
		const said = await answersTo(
			run('echo \0'),
			run(`: ${'x'.repeat(3_000_000)}`),
			call('search', { pattern: 'a\0' }),
			call('read', { path: 'a\0.txt' }),
			call('write', { path: `${'n'.repeat(300)}/a.txt`, content: '' }),
		);
		assert.equal(said.length, 5);
		for (const text of said) {
			assert.match(text, /failed|cannot|not allowed|several steps/);
		}
	});

	it('leaves alone what is no plain file, and does not wait for it', async function () {
		if (!isLinux) {
			this.skip();
		}
		for (const name of ['pipe', 'AGENTS.md']) {
			execFileSync('mkfifo', [path.join(own.folder, name)]);
		}
		const said = await answersTo(
			call('read', { path: 'pipe' }),
			call('write', { path: 'pipe', content: 'x' }),
			call('edit', { path: 'pipe', old: 'a', new: 'b' }),
		);
		assert.ok(
			said.every(text => /no plain file/.test(text)),
			said.join('\n'),
		);
	});

	it('does not read instructions without end', async () => {
		execFileSync('truncate', ['-s', '1G', path.join(own.folder, 'AGENTS.md')]);
		await answersTo(call('list', {}));
		assert.doesNotMatch(String(own.server.requests[0]?.body['instructions']), /From AGENTS\.md/);
	});

	for (const api of ['responses', 'chat']) {
		it(`answers each of several calls that have one id, by ${api}, also after it was stopped`, async () => {
			const agent = await own.start({ API: api });
			const same = (name: string, input: unknown) => ({ name, input, id: 'call_0' });
			// Chat completions take a second call of one index and id for a part of the first.
			const both = api === 'chat' ? [same('list', {})] : [same('list', {}), same('list', {})];
			own.server.play({ calls: both }, { calls: [same('run', { command: 'touch begun; sleep 300' })] }, DONE);
			const running = agent.session.prompt('Go');
			await waitFor('the command', () => existsSync(path.join(own.folder, 'begun')));
			await agent.session.cancel();
			assert.equal(await running, 'cancelled');
			own.server.play(DONE);
			assert.equal(await agent.session.prompt('Go on'), 'end_turn');
			const { input = [], messages = [] } = (own.server.requests.at(-1)?.body ?? {}) as Record<string, Called[]>;
			const called = [
				...input.filter(({ type }) => type === 'function_call').map(item => item.call_id),
				...messages.flatMap(({ tool_calls: calls = [] }) => calls.map(({ id }) => id)),
			];
			const answered = [
				...input.filter(({ type }) => type === 'function_call_output').map(item => item.call_id),
				...messages.filter(({ role }) => role === 'tool').map(message => message.tool_call_id),
			];
			assert.equal(new Set(called).size, both.length + 1);
			assert.deepEqual(answered.sort(), called.sort());
		});

		it(`ends a reply that does not end, by ${api}`, async () => {
			const agent = await own.start({ API: api });
			own.server.play({ text: 'more '.repeat(20_000), repeats: true });
			await assert.rejects(agent.session.prompt('Go'), /did not end/);
		});

		it(`does not do a thousand calls of one reply, by ${api}`, async () => {
			const agent = await own.start({ API: api });
			const calls = Array.from({ length: 1_000 }, () => ({ name: 'list', input: {} }));
			own.server.play({ calls }, DONE);
			assert.equal(await agent.session.prompt('Go'), 'end_turn');
			assert.equal(results().length, calls.length);
			assert.ok(results().filter(text => /too many calls/i.test(text)).length >= calls.length - 100);
			assert.ok(agent.events.filter(({ type }) => type === 'tool').length < 1_000);
		});
	}

	it('stays responsive whatever a reply looks like', async () => {
		const agent = await own.start();
		own.server.play({ text: '{'.repeat(3_000_000) });
		const began = performance.now();
		assert.equal(await agent.session.prompt('Go'), 'end_turn');
		assert.ok(performance.now() - began < 60_000);
	});

	it('refuses patches and replacements that would take for ever or fill the memory', async () => {
		put('same.txt', 'a\n'.repeat(500_000));
		put('long.txt', 'a'.repeat(1_000_000));
		const said = await answersTo(
			call('edit', { path: 'same.txt', patch: `@@\n${' a\n'.repeat(200_000)}-b\n+c\n` }),
			call('edit', { path: 'long.txt', old: 'a', new: 'b'.repeat(900_000), replace_all: true }),
		);
		assert.match(said[0] ?? '', /too much/);
		assert.match(said[1] ?? '', /too large/);
	});

	it('applies a patch of many lines', async () => {
		put('few.txt', 'a\n');
		const lines = 200_000;
		await answersTo(call('edit', { path: 'few.txt', patch: `@@ -1 +1 @@\n-a\n${'+b\n'.repeat(lines)}` }));
		assert.equal(readFileSync(path.join(own.folder, 'few.txt'), 'utf8').length, 2 * lines);
	});

	it('searches its folder, wherever the repository’s configuration leads', async () => {
		put('inside.txt', 'a word inside\n');
		const outside = path.join(own.scratch, 'outside');
		mkdirSync(outside);
		writeFileSync(path.join(outside, 'secret.txt'), 'a word outside\n');
		execFileSync('git', ['-C', own.folder, 'config', 'core.worktree', outside]);
		assert.deepEqual(await answersTo(call('search', { pattern: 'word' })), ['inside.txt:1:a word inside\n']);
		execFileSync('mv', [path.join(own.folder, '.git'), path.join(own.folder, 'moved')]);
		put('.git', 'gitdir: moved\n');
		assert.deepEqual(await answersTo(call('search', { pattern: 'a word' })), ['inside.txt:1:a word inside\n']);
	});

	it('leads no tool out of its folder or to git’s own files, whatever the path', async function () {
		if (process.platform === 'win32') {
			this.skip();
		}
		const outside = path.join(own.scratch, 'outside');
		mkdirSync(outside);
		writeFileSync(path.join(outside, 'secret.txt'), 'a word outside\n');
		mkdirSync(path.join(own.folder, 'sub/.git'), { recursive: true });
		for (const [target, name] of [
			[outside, 'out'],
			['../outside/secret.txt', 'secret.txt'],
			['out/secret.txt', 'twice.txt'],
			['../outside/absent.txt', 'dangling.txt'],
			['.git', 'plain'],
		]) {
			execFileSync('ln', ['-s', String(target), path.join(own.folder, String(name))]);
		}
		const paths = [
			...['../outside/secret.txt', path.join(outside, 'secret.txt'), 'sub/../../outside/secret.txt', 'out/secret.txt'],
			...['out/new.txt', 'secret.txt', 'twice.txt', 'dangling.txt', '.git/config', '.GIT/config', 'sub/.git/config'],
			...[
				'plain/config',
				'sub/../.git/hooks/pre-commit',
				'.//.git//config',
				'.g\u200cit/config',
				'a\nb',
				'../repository.txt',
			],
		];
		const refuses = async (...calls: ScriptedReply[]) => {
			for (const [index, text] of (await answersTo(...calls)).entries()) {
				const what = JSON.stringify(calls[index]);
				assert.doesNotMatch(text, /^The arguments of/, `${what} needs further arguments: add them to this test`);
				assert.match(text, /not allowed|cannot be used|does not exist/, what);
				assert.doesNotMatch(text, /a word outside/);
			}
		};
		const further: Record<string, object> = {
			search: { pattern: 'word' },
			write: { content: 'x' },
			edit: { old: 'word', new: 'x' },
		};
		const named = tools.filter(({ schema }) => 'path' in schema.shape);
		assert.ok(named.length >= 5);
		await refuses(...named.flatMap(({ name }) => paths.map(file => call(name, { path: file, ...further[name] }))));
		await refuses(
			...paths.slice(0, -2).map(file => call('edit', { patch: `--- /dev/null\n+++ b/${file}\n@@ -0,0 +1 @@\n+x\n` })),
		);
		assert.deepEqual(readdirSync(outside), ['secret.txt']);
		assert.equal(readFileSync(path.join(outside, 'secret.txt'), 'utf8'), 'a word outside\n');
		assert.deepEqual(readdirSync(own.scratch).sort(), ['home', 'outside', 'repository']);
	});

	it('ends what a command leaves running, also outside of its process group', async function () {
		if (!isLinux) {
			this.skip();
		}
		await answersTo(
			run('setsid sh -c "echo \\$\\$ > pid; sleep 300" > /dev/null 2>&1 & while ! test -s pid; do :; done'),
		);
		const pid = Number(readFileSync(path.join(own.folder, 'pid'), 'utf8'));
		await waitFor('its end', async () => !(await isAlive(pid)));
	});

	it('keeps a file’s permissions, and what a link leads to', async () => {
		put('run.sh', 'old\n');
		execFileSync('chmod', ['755', path.join(own.folder, 'run.sh')]);
		execFileSync('ln', ['-s', 'run.sh', path.join(own.folder, 'link.sh')]);
		await answersTo(call('edit', { path: 'link.sh', old: 'old', new: 'new' }));
		assert.equal(readFileSync(path.join(own.folder, 'run.sh'), 'utf8'), 'new\n');
		assert.equal(statSync(path.join(own.folder, 'run.sh')).mode & 0o777, 0o755);
		assert.equal(execFileSync('readlink', [path.join(own.folder, 'link.sh')], { encoding: 'utf8' }), 'run.sh\n');
	});

	describe('that has to ask', () => {
		it('ends when it is stopped while it waits for an answer', async () => {
			let asked = 0;
			const agent = await own.start(
				{},
				{
					mode: 'ask',
					decide: () => {
						asked++;
						return new Promise(() => {});
					},
				},
			);
			own.server.play(run('touch ran'), DONE);
			const running = agent.session.prompt('Go');
			await waitFor('the question', () => asked > 0);
			await agent.session.cancel();
			assert.equal(await running, 'cancelled');
			assert.equal(existsSync(path.join(own.folder, 'ran')), false);
		});

		it('lets no command that was allowed read its key from its environment, and still uses the key', async function () {
			if (!isLinux) {
				this.skip();
			}
			const temporary = path.join(own.scratch, 'tmp');
			mkdirSync(temporary);
			const agent = await own.start(
				{ KEY: 'sk-agent-secret' },
				{ mode: 'ask', decide: () => ({ option: 'once' }), environment: { TMPDIR: temporary } },
			);
			own.server.play(run("env; tr '\\0' '\\n' < /proc/$PPID/environ; echo looked"), DONE);
			assert.equal(await agent.session.prompt('Go'), 'end_turn');
			const [said = ''] = results();
			assert.match(said, /looked/);
			assert.match(said, /ERRAND_AGENT_MODEL=scripted/, 'the environment of the agent could be read');
			assert.doesNotMatch(said, /sk-agent-secret/);
			assert.ok(own.server.requests.every(({ authorization }) => authorization === 'Bearer sk-agent-secret'));
			assert.deepEqual(readdirSync(temporary), []);
		});

		it('says what an answer for the session allows', async () => {
			const asked: PermissionRequest[] = [];
			const agent = await own.start(
				{},
				{
					mode: 'ask',
					decide: request => {
						asked.push(request);
						return { option: 'no' };
					},
				},
			);
			own.server.play(run('touch ran'), call('write', { path: 'a.txt', content: 'x' }), DONE);
			await agent.session.prompt('Go');
			const names = asked.map(({ options }) => options.find(({ kind }) => kind === 'allow_always')?.name);
			assert.deepEqual(names, ['Allow every command in this session', 'Allow every change of a file in this session']);
		});
	});

	for (const how of ['input', 'SIGTERM'] as const) {
		it(`leaves no command running when its client goes away (${how})`, async () => {
			const agent = await own.start();
			own.server.play(run('trap "" TERM; echo $$ > pid; while :; do sleep 1; done'));
			const running = agent.session.prompt('Go').catch(() => {});
			const file = path.join(own.folder, 'pid');
			await waitFor('the command', () => existsSync(file) && readFileSync(file, 'utf8') !== '');
			const pid = Number(readFileSync(file, 'utf8'));
			if (how === 'SIGTERM') {
				process.kill(agent.pid, 'SIGTERM');
			} else {
				agent.endInput();
			}
			await waitFor('its end', async () => !(await isAlive(pid)) && !(await isAlive(agent.pid)));
			await running;
		});
	}
});

interface Called {
	type?: string;
	role?: string;
	call_id?: string;
	tool_call_id?: string;
	tool_calls?: { id: string }[];
}
