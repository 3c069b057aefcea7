import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { OwnAgent } from '../../support/ownAgent.ts';
import type { ReceivedRequest, ScriptedReply } from '../../support/replyServer.ts';
import { useOwnAgent } from '../../support/useOwnAgent.ts';

const call = (name: string, input: unknown): ScriptedReply => ({ calls: [{ name, input }] });
const DONE: ScriptedReply = { text: 'Done.' };

describe('Errand’s own agent, at the length of its model', () => {
	const own = useOwnAgent();
	const put = (name: string, text: string) => writeFileSync(path.join(own.folder, name), text);
	const itemsOf = ({ body }: ReceivedRequest) => (body['input'] ?? body['messages']) as Record<string, unknown>[];
	const steps = ({ events }: OwnAgent) =>
		events.flatMap(event => (event.type === 'tool' && event.call.status === 'completed' ? [event.call] : []));
	const shown = (agent: OwnAgent, title: RegExp) => steps(agent).find(step => title.test(step.title));
	/** A text of about so many tokens, by the estimate of the agent. */
	const textOf = (tokens: number) => `${'some words '.repeat(9)}\n`.repeat(Math.ceil((tokens * 3) / 100));

	describe('of a reply', () => {
		for (const api of ['responses', 'chat']) {
			it(`does not run a call that was cut, but those before it, and says so to the model, by ${api}`, async () => {
				const agent = await own.start({ API: api });
				own.server.play(
					{
						calls: [
							{ name: 'write', input: { path: 'whole.txt', content: 'whole' } },
							{ name: 'write', raw: '{"path": "cut.txt", "content": "half of' },
						],
						isCut: true,
					},
					call('write', { path: 'cut.txt', content: 'small' }),
					DONE,
				);
				assert.equal(await agent.session.prompt('Go'), 'end_turn');
				assert.equal(readFileSync(path.join(own.folder, 'whole.txt'), 'utf8'), 'whole');
				assert.equal(readFileSync(path.join(own.folder, 'cut.txt'), 'utf8'), 'small');
				assert.match(
					own.server.requests[1]?.results[1] ?? '',
					/reached its maximum length .* not run\. Make it smaller/,
				);
				// A service may refuse arguments that are not JSON.
				assert.doesNotMatch(JSON.stringify(own.server.requests[1]?.body), /half of/);
			});

			it(`does not run a cut call whose arguments can be read, by ${api}`, async () => {
				const agent = await own.start({ API: api });
				own.server.play({ ...call('run', { command: 'touch ran' }), isCut: true }, DONE);
				assert.equal(await agent.session.prompt('Go'), 'end_turn');
				assert.ok(!existsSync(path.join(own.folder, 'ran')));
			});

			it(`goes on after a text that was cut, by ${api}`, async () => {
				const agent = await own.start({ API: api });
				own.server.play({ text: 'It is ', isCut: true }, { text: 'done.' });
				assert.equal(await agent.session.prompt('Go'), 'end_turn');
				assert.equal(agent.said(), 'It is done.');
				assert.match(
					JSON.stringify(itemsOf(own.server.requests[1] as ReceivedRequest)),
					/Go on exactly where it ended/,
				);
				assert.ok(shown(agent, /maximum length/));
			});

			it(`ends with a sentence where every reply is cut, by ${api}`, async () => {
				const agent = await own.start({ API: api });
				own.server.script = () => ({ isCut: true });
				await assert.rejects(
					agent.session.prompt('Go'),
					/6 replies in a row that were cut off at its maximum length\. Raise its maximum output/,
				);
				assert.equal(own.server.requests.length, 6);
			});
		}
	});

	describe('of a conversation', () => {
		/** The service refuses requests of more than so many characters, and answers wishes for a summary. */
		function limit(
			characters: number,
			error: { status: number; message: string; code?: string },
			...replies: ScriptedReply[]
		) {
			let next = 0;
			own.server.script = ({ body }) => {
				if (JSON.stringify(body).length > characters) {
					return { error };
				}
				return isWish(body) ? { text: 'SUMMARY of it all' } : (replies[next++] ?? DONE);
			};
		}
		const isWish = (body: object) => /Answer with the summary alone/.test(JSON.stringify(body));

		const refusals: [string, { status: number; message: string; code?: string }][] = [
			['400 with its code', { status: 400, message: 'Bad request', code: 'context_length_exceeded' }],
			['400 with words', { status: 400, message: "This model's maximum context length is 8192 tokens." }],
			['413', { status: 413, message: 'Payload' }],
			['500 with words', { status: 500, message: 'the request exceeds the available context size' }],
		];
		for (const [what, error] of refusals) {
			it(`shortens the oldest results and goes on, where it is not known and the service says ${what}`, async () => {
				put('long.txt', textOf(5_000));
				const agent = await own.start();
				const read = (from: number) => call('read', { path: 'long.txt', from_line: from });
				limit(45_000, error, read(1), read(2), read(3), DONE);
				assert.equal(await agent.session.prompt('Go'), 'end_turn');
				assert.equal(agent.said(), 'Done.');
				const results = own.server.requests.at(-1)?.results ?? [];
				assert.equal(results.length, 3);
				assert.match(results[0] ?? '', /shortened: \d+ characters\. Make this call again if you need them/);
				assert.doesNotMatch(results[2] ?? '', /shortened/);
				assert.ok(shown(agent, /earlier results? (was|were) shortened/));
			});
		}

		it('is not shortened where the model is known to take far more, but ends with what the service says', async () => {
			const agent = await own.start({ CONTEXT_LENGTH: '100000' });
			limit(0, { status: 400, message: 'The request is too large.' });
			await assert.rejects(agent.session.prompt('Go'), /The request is too large/);
			assert.equal(own.server.requests.length, 1);
		});

		it('ends with a sentence where even one message is too long', async () => {
			const agent = await own.start();
			own.server.script = () => ({ error: { status: 400, message: 'Too long', code: 'context_length_exceeded' } });
			await assert.rejects(
				agent.session.prompt('Go'),
				/longer than scripted can take .* Start a new task for what is left/,
			);
		});

		it('has a summary written where shortening is not enough, and tells plan and edited files again', async () => {
			put('a.txt', 'old\n');
			writeFileSync(path.join(own.folder, 'AGENTS.md'), 'Use tabs.\n');
			const agent = await own.start({ CONTEXT_LENGTH: '16000' });
			const said = (tokens: number, text: string): ScriptedReply => ({
				...call('list', { path: '.' }),
				text: text + textOf(tokens),
			});
			const replies = [
				call('plan', { steps: [{ text: 'Change it', status: 'in_progress' }] }),
				call('edit', { patch: '--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-old\n+new\n' }),
				said(4_000, 'first'),
				said(4_000, 'second'),
				said(4_000, 'third'),
				DONE,
			];
			let next = 0;
			own.server.script = ({ body }) => (isWish(body) ? { text: 'SUMMARY of it all' } : (replies[next++] ?? DONE));
			assert.equal(await agent.session.prompt('The task'), 'end_turn');
			const summary = shown(agent, /Summary/);
			assert.equal(summary?.output, 'SUMMARY of it all');
			assert.doesNotMatch(agent.said(), /SUMMARY/);
			const wish = own.server.requests.findIndex(({ body }) => isWish(body));
			const after = own.server.requests[wish + 1] as ReceivedRequest;
			const items = itemsOf(after);
			assert.match(JSON.stringify(items[0]), /The task/);
			assert.match(JSON.stringify(items[1]), /SUMMARY of it all/);
			assert.deepEqual(
				items.slice(2).map(item => item['name'] ?? item['output']),
				['plan', 'The plan is shown.', 'read', '    1\tnew\n'],
			);
			assert.match(String(after.body['instructions']), /Use tabs/);
			assert.doesNotMatch(JSON.stringify(items), /first/);
		});

		it('summarises when the prompt is /compact, and at nothing else', async () => {
			const agent = await own.start();
			own.server.script = ({ body }) => (isWish(body) ? { text: 'SUMMARY of it all' } : DONE);
			await agent.session.prompt('/compact');
			assert.match(agent.said(), /nothing to summarise/);
			assert.equal(own.server.requests.length, 0);
			await agent.session.prompt('One');
			await agent.session.prompt('/compact it');
			assert.equal(own.server.requests.length, 2);
			assert.equal(await agent.session.prompt('/compact ', [{ uri: 'a note', text: 'Of every prompt.' }]), 'end_turn');
			assert.equal(shown(agent, /Summary/)?.output, 'SUMMARY of it all');
			const named = agent.events.flatMap(event =>
				event.type === 'commands' ? event.commands.map(({ name }) => name) : [],
			);
			assert.deepEqual([...new Set(named)], ['compact']);
			await agent.session.prompt('Two');
			const items = itemsOf(own.server.requests.at(-1) as ReceivedRequest);
			assert.equal(items.length, 2);
			assert.match(JSON.stringify(items[0]), /SUMMARY of it all/);
			const later = await own.start({}, { earlier: agent.session.id });
			await later.session.prompt('Three');
			assert.match(
				JSON.stringify(itemsOf(own.server.requests.at(-1) as ReceivedRequest)),
				/SUMMARY[\s\S]*Two[\s\S]*Three/,
			);
		});

		it('says what to do where no summary comes', async () => {
			const agent = await own.start();
			own.server.play(DONE, call('list', {}), call('list', {}), DONE);
			await agent.session.prompt('One');
			await assert.rejects(agent.session.prompt('/compact'), /wrote no summary of it .* Start a new task/);
			assert.equal(await agent.session.prompt('Go on'), 'end_turn');
			assert.match(JSON.stringify(own.server.requests.at(-1)?.body), /One/);
		});
	});

	it('sends no two messages of the user in a row by chat, which some models refuse', async () => {
		const agent = await own.start({ API: 'chat' });
		own.server.play(DONE, { text: 'SUMMARY' }, { isCut: true }, DONE);
		await agent.session.prompt('One');
		await agent.session.prompt('/compact');
		assert.equal(await agent.session.prompt('Two'), 'end_turn');
		const { body = {} } = own.server.requests.at(-1) ?? {};
		const messages = body['messages'] as { role: string; content: string }[];
		assert.deepEqual(
			messages.map(({ role }) => role),
			['system', 'user'],
		);
		assert.match(messages[1]?.content ?? '', /SUMMARY[\s\S]*Two[\s\S]*Think less/);
	});

	for (const api of ['responses', 'chat']) {
		it(`sends requests each of which begins like the one before, but where it had to shorten, by ${api}`, async () => {
			put('long.txt', textOf(900));
			const agent = await own.start({ API: api, CONTEXT_LENGTH: '20000' });
			let step = 0;
			own.server.script = ({ body }) => {
				if (/Answer with the summary alone/.test(JSON.stringify(body))) {
					return { text: 'SUMMARY' };
				}
				step++;
				return step % 20 === 0
					? { text: `Part ${step} is done.` }
					: { ...call('read', { path: 'long.txt', from_line: step }), text: `Step ${step}` };
			};
			for (let turn = 0; turn < 4; turn++) {
				assert.equal(await agent.session.prompt(`Turn ${turn}`), 'end_turn');
			}
			const { requests } = own.server;
			assert.ok(requests.length >= 80);
			const heads = requests.map(({ body: { input: _, messages: __, ...head } }) => JSON.stringify(head));
			assert.equal(new Set(heads).size, 1);
			const documented = [
				'model',
				'instructions',
				'input',
				'store',
				'stream',
				'tools',
				'parallel_tool_calls',
				'messages',
			];
			assert.ok(requests.every(({ body }) => Object.keys(body).every(name => documented.includes(name))));
			const broken = requests.filter((request, index) => {
				const before = itemsOf(requests[index - 1] ?? request).map(item => JSON.stringify(item));
				return before.some((item, at) => item !== JSON.stringify(itemsOf(request)[at]));
			});
			const shortenings = steps(agent).filter(({ title }) => /shortened/.test(title)).length;
			const summaries = steps(agent).filter(({ title }) => /Summary/.test(title)).length;
			assert.ok(shortenings > 0);
			assert.equal(broken.length, shortenings + summaries);
			assert.ok(broken.length < requests.length / 8, `${broken.length} of ${requests.length}`);
		});
	}
});
