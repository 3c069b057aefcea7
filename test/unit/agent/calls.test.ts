import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { OwnAgent } from '../../support/ownAgent.ts';
import type { ScriptedReply } from '../../support/replyServer.ts';
import { useOwnAgent } from '../../support/useOwnAgent.ts';

const call = (name: string, input: unknown): ScriptedReply => ({ calls: [{ name, input }] });
const raw = (name: string, text: string): ScriptedReply => ({ calls: [{ name, raw: text }] });
const edit = (old: string, put: string): ScriptedReply => call('edit', { path: 'a.ts', old, new: put });
const DONE: ScriptedReply = { text: 'Done.' };

describe('Errand’s own agent, whose model calls tools badly', () => {
	const own = useOwnAgent();
	const put = (text: string, name = 'a.ts') => writeFileSync(path.join(own.folder, name), text);
	const file = () => readFileSync(path.join(own.folder, 'a.ts'), 'utf8');
	/** Plays calls one after another, and returns their results. */
	async function answersTo(...replies: ScriptedReply[]): Promise<string[]> {
		const agent = await own.start();
		own.server.play(...replies, DONE);
		assert.equal(await agent.session.prompt('Go'), 'end_turn');
		return own.server.requests.at(-1)?.results ?? [];
	}
	const failed = ({ events }: OwnAgent) =>
		events.flatMap(event => (event.type === 'tool' && event.call.status === 'failed' ? [event.call] : []));

	it('takes arguments that can only mean one thing', async () => {
		put('one\ntwo\nthree\n');
		assert.deepEqual(
			await answersTo(
				call('read', { path: 'a.ts', from_line: '2', lines: '1' }),
				call('list', { path: null }),
				raw('list', 'null'),
				raw('read', JSON.stringify(JSON.stringify({ path: 'a.ts', lines: 1 }))),
				call('edit', { path: 'a.ts', old: 'three', new: 'four', replace_all: 'true', patch: null }),
				call('plan', { steps: JSON.stringify([{ text: 'One', status: 'pending' }]) }),
			),
			[
				'    2\ttwo\n(The file has 3 lines. Read on from line 3.)',
				'a.ts',
				'a.ts',
				'    1\tone\n(The file has 3 lines. Read on from line 2.)',
				'a.ts was changed.',
				'The plan is shown.',
			],
		);
	});

	it('takes names and arguments that a model has not written quite right, and sends them back right', async () => {
		put('one\ntwo\n');
		const lines = '    1\tone\n    2\ttwo\n';
		const results = await answersTo(
			call('Read', { path: 'a.ts' }),
			call('functions.read', { path: 'a.ts', from_line: 0, lines: 2_000 }),
			raw('read<|channel|>commentary', '{"path": "a.ts"'),
			raw('edit', '{"path": "a.ts", "old": "one\ntwo", "new": "three\nfour",}'),
			call('Functions', {}),
		);
		assert.deepEqual(results.slice(0, -1), [lines, lines, lines, 'a.ts was changed.']);
		assert.match(results.at(-1) ?? '', /no tool "Functions"/);
		assert.equal(file(), 'three\nfour\n');
		const sent = own.server.requests.at(-1)?.body['input'] as { type: string; name: string; arguments: string }[];
		const calls = sent.filter(({ type }) => type === 'function_call');
		assert.deepEqual(
			calls.map(({ name }) => name),
			['read', 'read', 'read', 'edit', 'Functions'],
		);
		assert.deepEqual(JSON.parse(calls[3]?.arguments ?? ''), { path: 'a.ts', old: 'one\ntwo', new: 'three\nfour' });
	});

	it('tells of each call that cannot be used, and ends at the sixth such reply', async () => {
		const agent = await own.start();
		const bad = [
			raw('read', '{"path": '),
			raw('read', '{}'),
			raw('fly', '{}'),
			raw('read', '{"path": 5}'),
			raw('read', '['),
		];
		own.server.play(...bad, call('list', {}), ...bad, raw('read', '{}'), DONE);
		await assert.rejects(
			agent.session.prompt('Go'),
			/called tools 6 times in a row in a way that cannot be used\. Choose another model/,
		);
		assert.equal(own.server.requests.length, 12);
		const shown = failed(agent);
		assert.equal(shown.length, 11);
		assert.deepEqual([shown[2]?.title, /no tool "fly"/.test(shown[2]?.output ?? '')], ['Unusable call of fly', true]);
		assert.match(shown[0]?.output ?? '', /not valid JSON/);
	});

	it('sends back no name and no character that a service would refuse, and takes no path with control characters', async () => {
		const agent = await own.start({ API: 'chat' });
		own.server.play(
			{ calls: [{ name: `read file!${'x'.repeat(1_000)}`, input: {} }] },
			call('run', { command: "printf 'a\\000b'" }),
			call('write', { path: 'x\u001b[31m\ny', content: '' }),
			call('read', { path: 'a\0b' }),
			DONE,
		);
		assert.equal(await agent.session.prompt('Go'), 'end_turn');
		const { body, results = [] } = own.server.requests.at(-1) ?? {};
		assert.match(JSON.stringify(body?.['messages']), /"name":"read_file_x{54}"/);
		assert.match(results[1] ?? '', /^a\ufffdb/);
		assert.match(results[2] ?? '', /control character/);
		assert.match(results[3] ?? '', /control character/);
		assert.deepEqual(readdirSync(own.folder), ['.git']);
	});

	it('counts the replies, not the calls of one', async () => {
		const results = await answersTo({ calls: Array.from({ length: 10 }, () => ({ name: 'fly', input: {} })) });
		assert.equal(results.length, 10);
	});

	describe('that edit what does not stand in the file', () => {
		it('matches white space and copied line numbers where one place fits, and says so', async () => {
			put('function a() {\n\tb();\n}\n');
			const results = await answersTo(
				edit('function a() {\n  b();\n}', 'function a() {\n  c();\n}'),
				edit('    2\t\tc();\n', '    2\t\td();\n'),
			);
			assert.equal(file(), 'function a() {\n\td();\n}\n');
			assert.match(results[0] ?? '', /was changed\. The white space of old was not that of the file: lines 1 to 3/);
			assert.match(results[1] ?? '', /line numbers are not part of the file/);
		});

		it('takes plain quotes for typographic ones, and says so', async () => {
			put("say('yes');\n");
			const [result = ''] = await answersTo(edit('say(‘yes’);', 'say(‘no’);'));
			assert.match(result, /was changed\. The file has plain quotes/);
			assert.equal(file(), "say('no');\n");
			const [kept = ''] = await answersTo(edit('ask(‘no’);', 'ask(‘yes’);'));
			assert.match(kept, /does not stand in a\.ts\. The nearest are lines 1 to 1/);
			assert.equal(file(), "say('no');\n");
		});

		it('replaces all that was copied with line numbers, if it is to', async () => {
			put('one\ntwo\none\n');
			await answersTo(call('edit', { path: 'a.ts', old: '    1\tone\n', new: '    1\tsix\n', replace_all: true }));
			assert.equal(file(), 'six\ntwo\nsix\n');
		});

		it('keeps the line ends of the file', async () => {
			put('if (a)\r\n\tb();\r\n');
			await answersTo(edit('if (a)\n  b();', 'if (a)\n  c();'));
			assert.equal(file(), 'if (a)\r\n\tc();\r\n');
		});

		it('changes nothing where two places fit, or none, and tells the nearest lines', async () => {
			const text = 'first(1);\n  first(1);\nconst total = sum(list, start);\n';
			put(text);
			const results = await answersTo(
				edit(' first(1) ;', 'second();'),
				edit('   first(1);', 'second();'),
				edit('const total = sum(list, begin);', 'x'),
				call('edit', { path: 'a.ts', patch: '@@ -3 +3 @@\n-const total = sum(list, end);\n+x' }),
			);
			assert.equal(file(), text);
			assert.match(results[1] ?? '', /does not stand in a\.ts/);
			for (const result of results.slice(2)) {
				assert.match(result, /- const total = sum\(list, \w+\);\n\+ const total = sum\(list, start\);/);
			}
		});
	});

	describe('in a loop', () => {
		it('tells the model at the third call with the same result, and ends at the fifth with a sentence', async () => {
			put('one\n');
			const agent = await own.start();
			own.server.script = () => call('read', { path: 'a.ts' });
			await assert.rejects(
				agent.session.prompt('Go'),
				/made the same call 5 times with the same result \(Read a\.ts\), so it was stopped\. Say in other words/,
			);
			assert.equal(own.server.requests.length, 5);
			const results = own.server.requests.at(-1)?.results ?? [];
			assert.doesNotMatch(results[1] ?? '', /same result/);
			assert.match(results[2] ?? '', /made this call 3 times with the same result/);
			own.server.play(DONE);
			assert.equal(await agent.session.prompt('Go on'), 'end_turn');
		});

		it('takes plans for the same call, whatever they say, until something else is done', async () => {
			const plan = (text: string) => call('plan', { steps: [{ text, status: 'pending' }] });
			const agent = await own.start();
			own.server.play(...['a', 'b', 'c', 'd'].flatMap(text => [plan(text), call('list', { path: text })]), DONE);
			assert.equal(await agent.session.prompt('Go'), 'end_turn');
			own.server.play(...['a', 'b', 'c', 'd', 'e', 'f'].map(plan));
			await assert.rejects(agent.session.prompt('Go'), /made the same call 5 times with the same result \(Plan\)/);
		});

		it('lets a command wait for something, tells how to wait better, and ends at the tenth', async () => {
			const agent = await own.start();
			const before = own.server.requests.length;
			own.server.script = () => call('run', { command: 'exit 7' });
			await assert.rejects(agent.session.prompt('Go'), /made the same call 10 times .*\(exit 7\)/);
			assert.equal(own.server.requests.length - before, 10);
			assert.match(own.server.requests.at(-1)?.results[2] ?? '', /3 times .* in the background and wait with output/);
		});

		it('notices two calls in turns, commands too, and a change back and forth', async () => {
			put('one\n');
			for (const turns of [
				[call('read', { path: 'a.ts' }), call('run', { command: 'cat a.ts' })],
				[edit('one', 'two'), edit('two', 'one')],
			]) {
				const agent = await own.start();
				const before = own.server.requests.length;
				own.server.script = (_, number) => turns[(number - before) % 2] ?? DONE;
				await assert.rejects(agent.session.prompt('Go'), /made the same call 5 times/);
				assert.ok(own.server.requests.length - before <= 12);
			}
		});

		it('does not take a test after each change for one', async () => {
			put('0\n');
			const agent = await own.start();
			const test = call('run', { command: 'echo failed; exit 1' });
			const replies = Array.from({ length: 8 }, (_, index) => [
				test,
				index % 2 === 0 ? edit(`${index}`, `${index + 1}`) : call('run', { command: `echo ${index + 1} > a.ts` }),
			]).flat();
			own.server.play(...replies, DONE);
			assert.equal(await agent.session.prompt('Go'), 'end_turn');
			assert.equal(file(), '8\n');
		});
	});
});
