import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { openRelay, type Relay } from '../../../../../src/agents/relay/relay.ts';
import { systemClock } from '../../../../../src/base/async.ts';
import { createLogger } from '../../../../../src/base/logger.ts';
import { ReasoningSeal } from '../../../../../src/service/responses/reasoningSeal.ts';
import type { ModelCall } from '../../../../../src/service/tasks/relay/modelCall.ts';
import { createModelListener } from '../../../../../src/service/tasks/relay/modelListener.ts';
import { TaskGateway, USER_SETTINGS } from '../../../../../src/service/tasks/relay/taskGateway.ts';
import { postLargeBody } from '../../../../support/largeBody.ts';
import { waitFor } from '../../../../support/waitFor.ts';
import { errorOf, eventsOf } from '../../helpers.ts';
import { type GatewayHarness, useGateway } from '../../inference/gatewayHarness.ts';

const MEGABYTE = 1024 * 1024;
const PATCH = '*** Begin Patch\n*** End Patch\n';
const user = { role: 'user', content: 'Add mul' };

const delta = (fields: object, finish_reason: string | null = null) => ({
	choices: [{ index: 0, delta: fields, finish_reason }],
});
const called = (name: string, text: string) =>
	delta({ tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name, arguments: text } }] });

describe('the models behind the relay', () => {
	const start = useGateway();
	const opened: Relay[] = [];

	afterEach(async () => {
		await Promise.all(opened.splice(0).map(relay => relay.close()));
	});

	async function open(harness: GatewayHarness, maxCost?: number) {
		const calls: ModelCall[] = [];
		const log: string[] = [];
		const overBudget: string[] = [];
		const logger = createLogger('test', (_, line) => log.push(line));
		const gateway = new TaskGateway(
			harness.gateway,
			{ model: 'small', provider: undefined, maxCost, settings: USER_SETTINGS },
			{
				onCall: call => calls.push(call),
				onRefused: sentence => log.push(sentence),
				onUnpriced: () => {},
				onOverBudget: sentence => overBudget.push(sentence),
			},
			systemClock,
		);
		const relay = await openRelay({
			listen: 'loopback',
			handle: createModelListener({ gateway, seal: new ReasoningSeal(randomBytes(32)), logger }),
			allowsHost: () => false,
			onRefused: sentence => log.push(sentence),
		});
		opened.push(relay);
		const post = (path: string, body: object, token = relay.token) =>
			fetch(`${relay.url}${path}`, {
				method: 'POST',
				headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
				body: JSON.stringify(body),
			});
		return { relay, calls, log, overBudget, post };
	}

	it('lists the one model', async () => {
		const { relay } = await open(await start({ up: { models: ['small', 'large'] } }));
		const headers = { authorization: `Bearer ${relay.token}` };
		for (const path of ['/v1/models', '/models', '/v1/models?client_version=1.2']) {
			const reply = await fetch(`${relay.url}${path}`, { headers });
			const { data, ...list } = (await reply.json()) as { data: { created: number }[] };
			assert.deepEqual(list, { object: 'list' });
			assert.deepEqual(
				data.map(({ created, ...model }) => ({ ...model, hasTime: created > 0 })),
				[{ id: 'small', object: 'model', hasTime: true }],
			);
		}
	});

	it('answers a streamed chat request of an agent, with reasoning and calls', async () => {
		const chunks = [
			delta({ role: 'assistant', content: '' }),
			delta({ reasoning_content: 'I read it.' }),
			called('read', '{"filePath":"a.js"}'),
			delta({}, 'tool_calls'),
			{ choices: [], usage: { prompt_tokens: 120, completion_tokens: 15, total_tokens: 135 } },
		];
		const harness = await start({ up: { behaves: { chunks } } });
		const { post, calls } = await open(harness);
		const texts: string[] = [];
		const reply = await post('/v1/chat/completions', {
			model: 'small',
			messages: [user],
			stream: true,
			stream_options: { include_usage: true },
			reasoning_effort: 'low',
		});
		for await (const { data } of eventsOf(reply)) {
			texts.push(data);
		}
		assert.equal(texts.at(-1), '[DONE]');
		const deltas = texts.slice(0, -1).map(text => JSON.parse(text).choices[0]?.delta);
		assert.ok(deltas.some(sent => sent?.reasoning_content === 'I read it.'));
		assert.ok(deltas.some(sent => sent?.tool_calls?.[0].function.name === 'read'));
		assert.equal(harness.server('up').chats[0]?.body['reasoning_effort'], undefined);
		assert.deepEqual(
			calls.map(({ inputTokens, outputTokens, outcome }) => ({ inputTokens, outputTokens, outcome })),
			[{ inputTokens: 120, outputTokens: 15, outcome: 'whole' }],
		);
	});

	it('answers a chat request that is not streamed', async () => {
		const { post } = await open(await start({ up: {} }));
		const reply = (await (await post('/chat/completions', { messages: [user] })).json()) as {
			choices: { message: { content: string } }[];
		};
		assert.equal(reply.choices[0]?.message.content, 'Hello there');
	});

	it('answers a request in the Messages form, metered and for the one model, and counts its tokens for nothing', async () => {
		const chunks = [
			called('read', '{"path":"a.js"}'),
			delta({}, 'tool_calls'),
			{ choices: [], usage: { prompt_tokens: 120, completion_tokens: 15, total_tokens: 135 } },
		];
		const behaves = { chunks, isForgetful: true };
		const harness = await start({ up: { models: [{ id: 'small', maxOutputTokens: 50 }], behaves } });
		const { post, calls, log } = await open(harness);
		const own = { models: ['large'], provider: { only: ['nobody'] } };
		const reply = await post('/v1/messages?beta=true', { ...own, model: null, max_tokens: 9_000, messages: [user] });
		const { content, usage } = (await reply.json()) as { content: { type: string }[]; usage: object };
		assert.deepEqual(content, [{ type: 'tool_use', id: 'call_1', name: 'read', input: { path: 'a.js' } }]);
		assert.deepEqual(usage, {
			input_tokens: 120,
			cache_creation_input_tokens: 0,
			cache_read_input_tokens: 0,
			output_tokens: 15,
		});
		assert.equal(harness.server('up').chats[0]?.body['max_tokens'], 50);
		assert.equal((await post('/v1/messages/count_tokens', { messages: [user] })).status, 200);
		assert.deepEqual(
			calls.map(({ inputTokens, outputTokens, outcome }) => ({ inputTokens, outputTokens, outcome })),
			[{ inputTokens: 120, outputTokens: 15, outcome: 'whole' }],
		);
		for (const path of ['/v1/messages', '/v1/messages/count_tokens']) {
			const refused = await post(path, { model: 'claude-other', messages: [user] });
			const { type } = (await refused.json()) as { type: string };
			assert.deepEqual([refused.status, type], [400, 'error']);
		}
		assert.equal(log.filter(line => line.includes('claude-other')).length, 1);
	});

	it('answers a responses request of codex, with its free-form tools', async () => {
		const chunks = [called('apply_patch', JSON.stringify({ input: PATCH })), delta({}, 'tool_calls')];
		const models = [{ id: 'small', codeOriented: true }];
		const harness = await start({ up: { models, dataPolicy: { zeroDataRetention: true }, behaves: { chunks } } });
		const { post } = await open(harness);
		const reply = await post('/v1/responses', {
			model: 'small',
			stream: true,
			store: false,
			input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Add mul' }] }],
			tools: [{ type: 'custom', name: 'apply_patch', description: 'Edits' }, { type: 'web_search' }],
			tool_choice: 'auto',
			prompt_cache_key: 'k',
			client_metadata: {},
			text: { verbosity: 'low' },
			reasoning: { effort: 'medium', summary: 'auto' },
			include: ['reasoning.encrypted_content'],
		});
		const items: Record<string, unknown>[] = [];
		let last: string | undefined;
		for await (const { name, data } of eventsOf(reply)) {
			last = name;
			if (name === 'response.output_item.done') {
				items.push(JSON.parse(data).item);
			}
		}
		assert.equal(last, 'response.completed');
		assert.equal(items[0]?.['type'], 'custom_tool_call');
		assert.equal(items[0]?.['input'], PATCH);
		const tools = harness.server('up').chats[0]?.body['tools'] as { function: { name: string } }[] | undefined;
		assert.deepEqual(
			tools?.map(tool => tool.function.name),
			['apply_patch'],
		);
	});

	it('answers no call without the token, and serves nothing else of the service', async () => {
		const harness = await start({ up: {} });
		const { post, relay } = await open(harness);
		await errorOf(await post('/v1/chat/completions', { messages: [user] }, 'another'), 401);
		await errorOf(await post('/enterprise/v1/responses', { input: 'x' }), 404);
		await errorOf(await post('/api/tasks', {}), 404);
		await relay.close();
		await assert.rejects(post('/v1/chat/completions', { messages: [user] }));
		assert.equal(harness.server('up').chats.length, 0);
	});

	it('refuses another model in the shape that agents read, on both endpoints', async () => {
		const { post, log } = await open(await start({ up: {} }));
		for (const [path, body] of [
			['/v1/chat/completions', { messages: [user] }],
			['/v1/responses', { input: 'x' }],
		] as const) {
			const message = await errorOf(await post(path, { ...body, model: 'gpt-5' }), 400);
			assert.match(message, /this task has the model "small" and no other/);
		}
		assert.deepEqual(log, [`A call for the model "gpt-5" was refused: the task's model is "small".`]);
	});

	it('breaks off a stream whose cost exceeds the limit, with a sentence, and refuses the next call', async () => {
		const prices = { input: 0, output: 1_000_000 };
		const harness = await start({ up: { prices, behaves: { isEndless: true } } });
		const { post, overBudget } = await open(harness, 30);
		const texts: string[] = [];
		for await (const { data } of eventsOf(await post('/v1/chat/completions', { messages: [user], stream: true }))) {
			texts.push(data);
		}
		assert.match(JSON.parse(texts.at(-1) ?? '').error.message, /^This agent has spent its limit of US\$ 30 /);
		assert.deepEqual(overBudget, [
			'This agent has spent its limit of US$ 30 for models, which errand.tasks.maxCost sets.',
		]);
		await waitFor('the end at the upstream', () => harness.server('up').chats[0]?.wasAbandoned);
		await errorOf(await post('/v1/responses', { input: 'x' }), 402);
		await errorOf(await post('/v1/chat/completions', { messages: [user], stream: true }), 402);
	});

	it('ends the call at the upstream when the relay is closed', async () => {
		const harness = await start({ up: { behaves: { isEndless: true } } });
		const { post, relay, calls } = await open(harness);
		const reply = await post('/v1/chat/completions', { messages: [user], stream: true });
		const reader = reply.body?.getReader();
		await reader?.read();
		await relay.close();
		await waitFor('the end at the upstream', () => harness.server('up').chats[0]?.wasAbandoned);
		await waitFor('the report of the call', () => calls.length === 1);
		assert.equal(calls[0]?.outcome, 'left');
	});

	it('pauses the upstream for a client that never reads', async () => {
		const harness = await start({ up: { behaves: { isEndless: true } } });
		const { relay } = await open(harness);
		const body = JSON.stringify({ messages: [user], stream: true });
		const socket = connect(Number(new URL(relay.url ?? '').port), '127.0.0.1');
		socket.on('error', () => {});
		socket.pause();
		socket.write(
			`POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${relay.token}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
		);
		const upstream = harness.server('up');
		let last = -1;
		await waitFor('a pause', async () => {
			const isPaused = upstream.sentBytes > 0 && upstream.sentBytes === last;
			last = upstream.sentBytes;
			await new Promise(resolve => setTimeout(resolve, 100));
			return isPaused;
		});
		assert.ok(upstream.sentBytes < 64 * MEGABYTE, `${upstream.sentBytes}`);
		socket.destroy();
		await waitFor('the end at the upstream', () => upstream.chats[0]?.wasAbandoned);
	});

	it('refuses a body of 100 MB without keeping it', async () => {
		const harness = await start({ up: {} });
		const { relay, post } = await open(harness);
		const headers = { authorization: `Bearer ${relay.token}` };
		const { answer, held } = await postLargeBody(`${relay.url}/v1/responses`, 100, headers);
		assert.ok(answer === 413 || /EPIPE|ECONNRESET/.test(String(answer)), String(answer));
		assert.ok(held < 40, `${held} MB`);
		assert.equal((await post('/v1/chat/completions', { messages: [user] })).status, 200);
	});

	it('writes nothing of a prompt or a reply into the log', async () => {
		const secret = 'the words of the prompt';
		const harness = await start({ up: { behaves: { pieces: ['a', secret], breaksAfter: 1 } } });
		const { post, log } = await open(harness);
		const body = { messages: [{ role: 'user', content: secret }] };
		await (await post('/v1/chat/completions', { ...body, stream: true })).text().catch(() => '');
		await (await post('/v1/chat/completions', { ...body, temperature: secret })).text();
		await (await post('/v1/responses', { input: secret })).text().catch(() => '');
		assert.ok(
			log.every(line => !line.includes(secret)),
			log.join('\n'),
		);
	});
});
