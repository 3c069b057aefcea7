import assert from 'node:assert/strict';
import { ClientError } from '../../src/base/errors.ts';
import { assistantMessage, ToolCallCollector } from '../../src/client/toolCalls.ts';
import type { ChatRequest } from '../../src/contract/chatRequest.ts';
import { chatReply, chatUsage, models } from '../support/contractServer/fixtures.ts';
import { textOf } from '../unit/client/chatWire.ts';
import { collect } from '../unit/client/testClient.ts';
import { arrives, asking, callsOf, MODEL, plain, TEXT, tool, user } from './chatProofs.ts';
import { type ProofContext, prove } from './harness.ts';

const PATH = '/chat/completions';
const noul = { instructions: 'It opens late.', criteria: { true: 'After nine', false: 'Before' } };

describe('the chat client (replies)', () => {
	const id = (position: number) => `inference/chat-completion-response/${position}`;
	const complete = ({ client }: ProofContext) => client.chat.complete(asking('text'));

	prove([id(1), id(2), id(3)], 'tells the id, the time and the model of a completion', async context => {
		const { id: own, created, model } = await complete(context);
		assert.deepEqual({ own, created, model }, { own: chatReply.id, created: chatReply.created, model: MODEL });
	});

	prove(id(4), 'tells what kind of object the reply is', async context => {
		assert.equal((await complete(context)).object, 'chat.completion');
	});

	prove(id(5), 'takes None and null for absent in every nullable field', async ({ client }) => {
		for (const scenario of ['none', 'null']) {
			const reply = await client.chat.complete(asking(scenario));
			const [choice] = reply.choices;
			assert.equal(reply.system_fingerprint, undefined);
			assert.deepEqual([choice?.message?.tool_calls, choice?.message?.annotations], [[], []]);
			assert.equal(choice?.message?.function_call, undefined);
			assert.ok(!JSON.stringify(reply.usage ?? {}).includes('None'), scenario);
			const { events, error } = await collect(client.chat.stream(asking(scenario)));
			assert.equal(error, undefined, scenario);
			assert.ok(!events.some(event => JSON.stringify(event).includes('None') && event.type !== 'text'), scenario);
		}
	});

	prove(
		id(5),
		'takes None for an absent text where it ends a reply or stands for all else, and keeps it in a text',
		async context => {
			const { client, server } = context;
			const nothing = { role: 'None', content: 'None', tool_calls: 'None' };
			for (const [last, expected] of [
				[{ delta: nothing, finish_reason: 'stop' }, 'Tide'],
				[{ delta: { content: 'None' }, finish_reason: 'stop' }, 'Tide'],
				[{ delta: nothing, finish_reason: null }, 'Tide'],
				[{ delta: { content: 'None' }, finish_reason: null }, 'TideNone'],
				[{ delta: { role: 'assistant', content: 'None', tool_calls: 'None' }, finish_reason: null }, 'TideNone'],
			] as const) {
				const chunks = [
					{ delta: { content: 'Tide' }, finish_reason: null },
					last,
					{ delta: {}, finish_reason: 'stop' },
				];
				const events = chunks.map(chunk => ({ data: { choices: [{ index: 0, ...chunk }] } }));
				server.answer(() => true, { status: 200, headers: {}, events: [...events, { data: '[DONE]' }] });
				const read = await collect(client.chat.stream(asking('text')));
				assert.equal(read.error, undefined);
				assert.equal(textOf(read.events), expected);
			}
		},
	);

	prove(id(5), 'tells the fingerprint if there is one', async context => {
		assert.equal((await complete(context)).system_fingerprint, chatReply.system_fingerprint);
	});

	prove(id(6), 'tells text, role, index and both reasons of the choice', async context => {
		const { choices } = await complete(context);
		assert.equal(choices.length, 1);
		const [choice] = choices;
		assert.equal(choice?.index, 0);
		assert.equal(choice?.finish_reason, 'stop');
		assert.equal(choice?.provider_specific_fields?.native_finish_reason, chatReply.native_finish_reason);
		assert.equal(choice?.message?.role, 'assistant');
		assert.equal(choice?.message?.content, TEXT);
		const { events } = await collect(context.client.chat.stream(asking('text')));
		const finish = events.find(event => event.type === 'finish');
		assert.deepEqual(finish, { type: 'finish', reason: 'stop', nativeReason: chatReply.native_finish_reason });
	});

	prove(id(6), 'reads a function_call if there is one', async ({ client, server }) => {
		const called = { name: 'tide', arguments: '{"day":1}' };
		const message = { role: 'assistant', content: null, tool_calls: null, function_call: called };
		const json = { choices: [{ index: 0, finish_reason: 'function_call', message }] };
		server.answer(() => true, { status: 200, headers: {}, json });
		const [choice] = (await client.chat.complete(asking('text'))).choices;
		assert.deepEqual(choice?.message?.function_call, called);
		assert.equal(choice?.message?.content, undefined);
		assert.equal(choice?.finish_reason, 'function_call');
	});

	prove(id(6), 'streams the first of several choices, whole and undisturbed', async ({ client, server }) => {
		const delta = (index: number, content: string, finish: string | null = null) => ({
			data: { choices: [{ index, delta: { content }, finish_reason: finish }] },
		});
		const events = [delta(0, 'High '), delta(1, 'Low '), delta(1, 'tide.', 'length'), delta(0, 'tide.', 'stop')];
		server.answer(() => true, { status: 200, headers: {}, events: [...events, { data: '[DONE]' }] });
		const read = await collect(client.chat.stream(asking('text')));
		assert.equal(read.error, undefined);
		assert.equal(textOf(read.events), 'High tide.');
		assert.deepEqual(
			read.events.filter(({ type }) => type === 'finish'),
			[{ type: 'finish', reason: 'stop' }],
		);
	});

	prove(`inference/chat-completion-response/prose/1`, 'delivers the text of each chunk as it came', async context => {
		const { events } = await collect(context.client.chat.stream(asking('text')));
		const texts = events.flatMap(event => (event.type === 'text' ? [event.text] : []));
		assert.deepEqual(texts, chatReply.pieces);
	});

	prove(id(7), 'counts the tokens with both details, whole and streamed', async context => {
		assert.deepEqual(plain((await complete(context)).usage), chatUsage);
		const { events } = await collect(context.client.chat.stream(asking('text')));
		assert.deepEqual(plain(events.find(event => event.type === 'usage')), { type: 'usage', usage: chatUsage });
	});

	prove(id(8), 'names the provider that served, whole and streamed', async context => {
		assert.equal((await complete(context)).provider, 'gridserve');
		const { events } = await collect(context.client.chat.stream(asking('text')));
		const served = events.findLast(event => event.type === 'served');
		const { created, system_fingerprint: fingerprint } = chatReply;
		const named = { provider: 'gridserve', model: MODEL, id: chatReply.id, created, fingerprint };
		assert.deepEqual(served, { type: 'served', ...named });
	});

	prove('inference/chat-completion-request/19', 'puts the fragments of tool calls together', async ({ client }) => {
		const parameters = { type: 'object', properties: { day: { type: 'integer' }, place: { type: 'string' } } };
		const tools = ['tide', 'wind'].map(name => ({ type: 'function' as const, function: { name, parameters } }));
		const whole = callsOf(await client.chat.complete(asking('tools', { tools })));
		assert.deepEqual(
			whole.map(({ function: { name } }) => name),
			['tide', 'wind'],
		);
		const { events, error } = await collect(client.chat.stream(asking('tools', { tools })));
		assert.equal(error, undefined);
		const collector = new ToolCallCollector();
		for (const event of events) {
			collector.add(event);
		}
		assert.deepEqual(collector.collected(), whole);
		for (const call of whole) {
			assert.deepEqual(Object.keys(JSON.parse(call.function.arguments)), ['day', 'place']);
		}
	});
});

describe('the chat client (endpoints)', () => {
	prove(
		['inference/endpoints/1', 'inference/authentication/1'],
		'sends the key to the host of the plan',
		async ({ client, connect, server, lastRequest }) => {
			await client.chat.complete(asking('text'));
			for (const host of ['public', 'enterprise'] as const) {
				const other = connect({ plan: host });
				await other.chat.complete(asking('text'));
				await collect(other.chat.stream(asking('text')));
				for (const request of server.received.slice(-2)) {
					assert.equal(`${request.method} ${request.host} ${request.path}`, `POST ${host} ${PATH}`);
					assert.equal(request.headers.authorization, `Bearer ${server.keys.inference}`);
					assert.match(request.headers['content-type'] ?? '', /^application\/json/);
				}
			}
			assert.ok(server.keys.inference.startsWith('sk-'));
			assert.equal(lastRequest().host, 'enterprise');
		},
	);

	prove(
		'inference/authentication/1',
		'tells of a key that is refused, and of one that is missing',
		async ({ connect, server }) => {
			await assert.rejects(connect({}, { inference: 'sk-another' }).chat.complete(asking('text')), {
				code: 'unauthorised',
				status: 401,
			});
			const before = server.received.length;
			await assert.rejects(connect({}, { inference: undefined }).chat.complete(asking('text')), { code: 'no-key' });
			assert.equal(server.received.length, before);
		},
	);

	prove(
		'inference/authentication/2',
		'sends the same kind of key to the enterprise host',
		async ({ connect, lastRequest, server }) => {
			await connect({ plan: 'enterprise' }).chat.complete(asking('text'));
			assert.equal(lastRequest().headers.authorization, `Bearer ${server.keys.inference}`);
		},
	);

	prove(
		'inference/limits/3',
		'waits as it is told when it is turned away, and asks again',
		async ({ client, server }) => {
			let count = 0;
			server.answer(() => count++ === 0, {
				status: 429,
				headers: { 'retry-after': '1' },
				json: { error: { message: 'Slow down' } },
			});
			const reply = await client.chat.complete(asking('text'));
			assert.equal(reply.choices[0]?.message?.content, TEXT);
			assert.equal(server.received.length, 2);
		},
	);

	prove(
		'inference/versioning/2',
		'needs no version in the path of chat, and has one in that of search',
		async ({ client, lastRequest }) => {
			await client.chat.complete(asking('text'));
			assert.equal(lastRequest().path, PATH);
			await collect(client.search.stream([user('text')]));
			assert.equal(lastRequest().path, `/v1${PATH}`);
		},
	);

	prove(
		'inference/versioning/4',
		'sends any name of a model, and has none of its own',
		async ({ connect, lastRequest }) => {
			const client = connect({ models: [], aliases: [], providerPrefixes: [] });
			for (const { id } of models.filter(({ kinds }) => kinds.includes('chat'))) {
				assert.equal((await client.chat.complete({ ...asking('text'), model: id })).model, id);
				assert.equal((lastRequest().json as ChatRequest).model, id);
			}
			await assert.rejects(client.chat.complete({ ...asking('text'), model: 'made-up-for-this-test' }), ClientError);
			assert.equal((lastRequest().json as ChatRequest).model, 'made-up-for-this-test');
		},
	);
});

describe('the chat client (where the contract leaves something open)', () => {
	const id = (position: number) => `unspecified/inference/${position}`;

	prove(id(2), 'reads reasoning, text, provider, finish and usage out of chunks', async ({ client }) => {
		const { events, error } = await collect(client.chat.stream(asking('reasoning')));
		assert.equal(error, undefined);
		const reasoning = events.map(event => (event.type === 'reasoning' ? event.text : '')).join('');
		assert.equal(reasoning, chatReply.reasoningPieces.join(''));
		assert.equal(textOf(events), TEXT);
		assert.deepEqual([...new Set(events.map(({ type }) => type))], ['served', 'reasoning', 'text', 'finish', 'usage']);
	});

	prove(id(2), 'ends with the mark, or with a clean close after a finish reason', async ({ client }) => {
		for (const scenario of ['text', 'no-done']) {
			const { events, error } = await collect(client.chat.stream(asking(scenario)));
			assert.equal(error, undefined, scenario);
			assert.equal(textOf(events), TEXT, scenario);
		}
	});

	prove(id(2), 'tells that a reply was cut off, and keeps its text', async ({ client }) => {
		const { events, error } = await collect(client.chat.stream(asking('cut')));
		assert.ok(ClientError.is(error, 'truncated'));
		const text = textOf(events);
		assert.ok(text !== '' && TEXT.startsWith(text));
	});

	prove(id(3), 'ends with the error in the midst of a stream, and keeps the text before it', async ({ client }) => {
		for (const scenario of ['error-midway', 'error-event']) {
			const { events, error } = await collect(client.chat.stream(asking(scenario)));
			assert.ok(ClientError.is(error) && error.code !== 'truncated', `${scenario}: ${String(error)}`);
			assert.ok(error.serviceMessage, scenario);
			const text = textOf(events);
			assert.ok(text !== '' && TEXT.startsWith(text), scenario);
		}
	});

	prove(
		id(4),
		'sends the calls of an assistant back as received, with an empty content',
		async ({ client, lastRequest }) => {
			const collector = new ToolCallCollector();
			const first = await collect(client.chat.stream(asking('tools', { tools: [tool] })));
			for (const event of first.events) {
				collector.add(event);
			}
			const calls = collector.collected();
			assert.equal(calls.length, 1);
			const results = calls.map(call => ({ role: 'tool' as const, content: 'Ebb.', tool_call_id: call.id }));
			const messages = [user('tools'), assistantMessage('', calls), ...results];
			const { events, error } = await collect(client.chat.stream({ model: MODEL, messages, tools: [tool] }));
			assert.equal(error, undefined);
			assert.match(textOf(events), /Ebb\./);
			assert.deepEqual((lastRequest().json as ChatRequest).messages[1], {
				role: 'assistant',
				content: '',
				tool_calls: calls,
			});
		},
	);

	prove(id(10), 'passes a response format through as given', async context => {
		const format = {
			type: 'json_schema',
			json_schema: { name: 'tide', strict: true, schema: { type: 'object' } },
			x: [null],
		};
		await arrives(context, asking('text', { response_format: format }));
	});

	prove(id(12), 'sends a content of parts', async context => {
		const content = [
			{ type: 'text' as const, text: 'What is it?' },
			{ type: 'image_url' as const, image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
		];
		const request: ChatRequest = { model: 'sonata-large', messages: [{ role: 'user', content }] };
		await arrives(context, request);
	});

	prove(id(13), 'reads the body of an error in its order, and always counts the status', async ({ client, server }) => {
		const long = 'x'.repeat(600);
		for (const [json, text, message] of [
			[{ error: { message: 'A', code: 'x' }, message: 'B', detail: 'C' }, undefined, 'A'],
			[{ error: 'A', detail: 'C' }, undefined, 'A'],
			[{ message: 'B', detail: 'C' }, undefined, 'B'],
			[{ detail: 'C' }, undefined, 'C'],
			[undefined, long, long.slice(0, 500)],
			[undefined, '', undefined],
		] as const) {
			server.answer(() => true, { status: 402, headers: {}, ...(json ? { json } : { text: text ?? '' }) });
			await assert.rejects(client.chat.complete(asking('text')), {
				code: 'payment-required',
				status: 402,
				serviceMessage: message,
			});
		}
	});

	prove(
		id(16),
		'asks at most three times where it is turned away, and not again once a stream has begun',
		async ({ client, server }) => {
			for (const status of [429, 503]) {
				const before = server.received.length;
				server.answer(() => true, { status, headers: {}, json: { error: 'Later' } });
				await assert.rejects(client.chat.complete(asking('text')), { status });
				assert.equal(server.received.length - before, 3);
			}
			server.answer(() => true, { status: 500, headers: {}, json: {} });
			const before = server.received.length;
			await assert.rejects(client.chat.complete(asking('text')), { code: 'server' });
			assert.equal(server.received.length - before, 1);
		},
	);

	prove(id(16), 'waits no longer than a minute, however long it is asked to', async ({ client, server }) => {
		server.answer(() => true, { status: 429, headers: { 'retry-after': '61' }, json: {} });
		await assert.rejects(client.chat.complete(asking('text')), { code: 'rate-limited', retryAfterMs: 61_000 });
		assert.equal(server.received.length, 1);
	});

	prove(id(16), 'asks each endpoint again that may be, and no other', async ({ client, server }) => {
		const list = [user('text')];
		const decision = { state: {}, questions: { late: { ...noul, type: 'noul' as const } } };
		const followUp = { prompt: 'x' };
		server.answer(() => true, { status: 503, headers: { 'retry-after': '0' }, json: {} });
		for (const [tries, ask] of [
			[3, () => collect(client.chat.stream(asking('text')))],
			[3, () => collect(client.search.stream(list))],
			[3, () => collect(client.responses.stream({ model: MODEL, input: list }))],
			[3, () => client.decisions.evaluate(decision)],
			[3, () => client.images.generate({ model: MODEL, prompt: 'x' })],
			[3, () => client.tasks.list()],
			[3, () => client.tasks.get('t1')],
			[3, () => client.tasks.stop('t1')],
			[3, () => client.sources.organisations()],
			[3, () => client.agentTasks.list()],
			[1, () => client.models.discover()],
			[1, () => client.tasks.create({ ...followUp, repoUrl: 'https://forge.example/a/b.git' })],
			[1, () => client.tasks.continue('t1', followUp)],
		] as const) {
			const before = server.received.length;
			await Promise.allSettled([ask()]);
			assert.equal(server.received.length - before, tries, `${server.received.at(-1)?.path}`);
		}
	});

	prove(id(16), 'does not ask again after the first byte of a stream', async ({ client, server }) => {
		await collect(client.chat.stream(asking('error-midway')));
		await collect(client.chat.stream(asking('cut')));
		assert.equal(server.received.length, 2);
	});
});
