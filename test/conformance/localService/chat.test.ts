import assert from 'node:assert/strict';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { ClientError } from '../../../src/base/errors.ts';
import type { ChatStreamEvent } from '../../../src/client/types.ts';
import { conformance, type Implementation } from './harness.ts';

const user = (content: string) => ({ role: 'user' as const, content });

const post = (implementation: Implementation, body: object, path = '/chat/completions', headers = {}) =>
	implementation.fetch(path, {
		method: 'POST',
		headers,
		body: JSON.stringify({ model: implementation.model, messages: [user('Hello')], ...body }),
	});

async function refused(implementation: Implementation, body: object, named: RegExp): Promise<void> {
	const response = await post(implementation, body);
	assert.ok(response.status >= 400 && response.status < 500, `${response.status} for ${JSON.stringify(body)}`);
	assert.match(await response.text(), named);
}

/** Resolves with the provider that served. */
async function accepted(implementation: Implementation, body: object): Promise<string | undefined> {
	const response = await post(implementation, { max_tokens: 1, ...body });
	const text = await response.text();
	assert.equal(response.status, 200, `${JSON.stringify(body)}: ${text}`);
	return (JSON.parse(text) as { provider?: string }).provider;
}

/** What a stream gave before it ended, and how it ended. */
async function collect(stream: AsyncIterable<ChatStreamEvent>) {
	const events: ChatStreamEvent[] = [];
	let failure: unknown;
	try {
		for await (const event of stream) {
			events.push(event);
		}
	} catch (error) {
		failure = error;
	}
	const text = events.map(event => (event.type === 'text' ? event.text : '')).join('');
	return { events, text, failure };
}

interface RawCompletion {
	[field: string]: unknown;
	choices: {
		index: unknown;
		finish_reason: unknown;
		message: { role: unknown; content: string; tool_calls?: unknown[] };
		provider_specific_fields: { native_finish_reason: unknown };
	}[];
	usage: Record<string, unknown>;
}

const complete = async (implementation: Implementation, body: object = {}, path?: string) => {
	const response = await post(implementation, body, path);
	assert.equal(response.status, 200);
	return (await response.json()) as RawCompletion;
};

conformance('chat', verifies => {
	verifies(
		['inference/endpoints/1', 'inference/endpoints/2', 'inference/versioning/2'],
		'both paths of the chat endpoint answer alike',
		async implementation => {
			const [plain, versioned] = await Promise.all([
				complete(implementation, { seed: 1 }),
				complete(implementation, { seed: 1 }, '/v1/chat/completions'),
			]);
			assert.equal(plain.choices[0]?.message.content, versioned.choices[0]?.message.content);
			assert.equal(plain['model'], versioned['model']);
		},
	);

	verifies(
		['inference/authentication/1', 'inference/endpoints/prose/1', 'unspecified/inference/13'],
		'a request without a valid key is refused; an error has a message that a client can show',
		async implementation => {
			for (const authorization of ['', 'Bearer wrong', `Basic ${implementation.key}`]) {
				const response = await post(implementation, {}, '/chat/completions', { authorization });
				assert.equal(response.status, 401);
				const { error } = (await response.json()) as { error: { message: string } };
				assert.ok(error.message.length > 10);
			}
		},
	);

	verifies(
		[
			'inference/chat-completion-response/1',
			'inference/chat-completion-response/2',
			'inference/chat-completion-response/3',
			'inference/chat-completion-response/4',
			'inference/chat-completion-response/8',
		],
		'a reply has id, created, model, object, choices, usage and provider',
		async implementation => {
			const reply = await complete(implementation);
			assert.ok(typeof reply['id'] === 'string' && reply['id'] !== '');
			assert.ok(Number.isInteger(reply['created']));
			assert.equal(reply['model'], implementation.model);
			assert.equal(reply['object'], 'chat.completion');
			assert.equal(reply['provider'], implementation.provider);
			assert.equal(reply.choices.length, 1);
			const { id, provider } = await implementation.client.chat.complete({
				model: implementation.model,
				messages: [user('Hello')],
			});
			assert.notEqual(id, reply['id']);
			assert.equal(provider, implementation.provider);
		},
	);

	verifies(
		'inference/chat-completion-response/6',
		'a choice has an index, a finish_reason, a message with role and content, and the native reason',
		async implementation => {
			const [choice] = (await complete(implementation)).choices;
			assert.equal(choice?.index, 0);
			assert.equal(choice?.finish_reason, 'stop');
			assert.equal(typeof choice?.provider_specific_fields.native_finish_reason, 'string');
			assert.equal(choice?.message.role, 'assistant');
			assert.ok(choice?.message.content);
			// Only `annotations` may be missing.
			assert.ok(choice && 'tool_calls' in choice.message && 'function_call' in choice.message);
		},
	);

	verifies(
		'inference/chat-completion-response/7',
		'usage counts tokens as integers, with both details',
		async implementation => {
			const { usage } = await complete(implementation);
			for (const field of ['prompt_tokens', 'completion_tokens', 'total_tokens']) {
				assert.ok(Number.isInteger(usage[field]) && Number(usage[field]) > 0, field);
			}
			assert.equal(usage['total_tokens'], Number(usage['prompt_tokens']) + Number(usage['completion_tokens']));
			assert.deepEqual(Object.keys(usage['completion_tokens_details'] as object).sort(), [
				'accepted_prediction_tokens',
				'audio_tokens',
				'reasoning_tokens',
				'rejected_prediction_tokens',
			]);
			assert.deepEqual(Object.keys(usage['prompt_tokens_details'] as object).sort(), ['audio_tokens', 'cached_tokens']);
		},
	);

	verifies(
		[
			'inference/message-chat-completions/1',
			'inference/message-chat-completions/2',
			'inference/message-chat-completions/3',
		],
		'system, user, assistant and tool messages are accepted',
		async implementation => {
			const call = { id: 'call_1', type: 'function', function: { name: 'read', arguments: '{}' } };
			await accepted(implementation, {
				messages: [
					{ role: 'system', content: 'Be brief.' },
					user('Hello'),
					{ role: 'assistant', content: '', tool_calls: [call] },
					{ role: 'tool', content: 'result', tool_call_id: 'call_1' },
				],
			});
			await refused(implementation, { messages: [{ role: 'robot', content: '' }] }, /role/);
		},
	);

	verifies(
		[
			'inference/chat-completion-request/6',
			'inference/chat-completion-request/7',
			'inference/chat-completion-request/8',
			'inference/chat-completion-request/9',
			'inference/chat-completion-request/10',
			'inference/chat-completion-request/11',
			'inference/chat-completion-request/12',
			'inference/chat-completion-request/13',
			'inference/chat-completion-request/16',
			'inference/chat-completion-request/17',
			'inference/limits/1',
		],
		'a parameter outside its range is refused and named; its bounds are accepted',
		async implementation => {
			const ranges: Record<string, { inside: number[]; outside: unknown[] }> = {
				max_tokens: { inside: [1], outside: [0, -1, 1.5, '1'] },
				temperature: { inside: [0, 2], outside: [-0.1, 2.1] },
				seed: { inside: [-5, 0], outside: [0.5] },
				top_p: { inside: [0.001, 1], outside: [0, 1.1] },
				top_k: { inside: [1, 1_000_000], outside: [0, 1.5] },
				frequency_penalty: { inside: [-2, 2], outside: [-2.1, 2.1] },
				presence_penalty: { inside: [-2, 2], outside: [-2.1, 2.1] },
				repetition_penalty: { inside: [0.001, 2], outside: [0, 2.1] },
				min_p: { inside: [0, 1], outside: [-0.1, 1.1] },
				top_a: { inside: [0, 1], outside: [-0.1, 1.1] },
			};
			for (const [field, { inside, outside }] of Object.entries(ranges)) {
				for (const value of inside) {
					await accepted(implementation, { [field]: value });
				}
				for (const value of outside) {
					await refused(implementation, { [field]: value }, new RegExp(field));
				}
			}
		},
	);

	verifies(
		[
			'inference/chat-completion-request/3',
			'inference/chat-completion-request/4',
			'inference/chat-completion-request/14',
			'inference/chat-completion-request/15',
			'inference/chat-completion-request/19',
			'inference/chat-completion-request/20',
			'inference/chat-completion-request/22',
			'inference/provider-object/1',
			'inference/provider-object/2',
			'inference/provider-object/3',
			'inference/provider-object/4',
			'inference/provider-object/5',
			'inference/provider-object/6',
			'inference/provider-object/7',
			'inference/provider-object/8',
			'inference/provider-object/9',
			'inference/provider-object/10',
			'inference/provider-object/11',
		],
		'every documented field is accepted; one that is not documented is refused and named',
		async implementation => {
			await accepted(implementation, {
				models: [implementation.model],
				provider: {
					sort: 'price',
					order: [implementation.provider],
					only: [implementation.provider],
					ignore: [],
					allow_fallbacks: true,
					require_parameters: false,
					data_collection: 'deny',
					quantizations: [],
					preferred_min_throughput: 1,
					preferred_max_latency: 60,
					zdr: true,
				},
				logit_bias: { 1: 1 },
				top_logprobs: 0,
				stop: [],
				tools: [{ type: 'function', function: { name: 'read', description: 'Reads', parameters: { type: 'object' } } }],
				tool_choice: 'auto',
				user: 'someone',
			});
			await refused(implementation, { undocumented: true }, /undocumented/);
			await refused(implementation, { provider: { undocumented: true } }, /undocumented/);
		},
	);

	verifies('inference/chat-completion-request/8', 'a seed makes the output deterministic', async implementation => {
		const [one, two] = await Promise.all([
			complete(implementation, { seed: 7 }),
			complete(implementation, { seed: 7 }),
		]);
		assert.equal(one.choices[0]?.message.content, two.choices[0]?.message.content);
	});

	verifies(
		'inference/states-and-transitions/prose/1',
		'a request is answered as if it were the first one, whatever was asked before it',
		async implementation => {
			const ask = async () => (await complete(implementation, { seed: 3 })).choices[0]?.message.content;
			const first = await ask();
			await complete(implementation, { messages: [user('From now on, answer in French only.')] });
			assert.equal(await ask(), first);
		},
	);

	verifies('inference/chat-completion-request/6', 'max_tokens ends the output', async implementation => {
		const reply = await complete(implementation, { max_tokens: 2 });
		assert.equal(reply.choices[0]?.finish_reason, 'length');
		assert.equal(reply.usage['completion_tokens'], 2);
	});

	verifies('inference/chat-completion-request/18', 'generation stops at any stop text', async implementation => {
		const text = (await complete(implementation, { seed: 1 })).choices[0]?.message.content ?? '';
		const word = text.split(/\s+/)[3] ?? '';
		const cut = (await complete(implementation, { seed: 1, stop: ['§ never §', word] })).choices[0]?.message.content;
		assert.equal(cut?.trimEnd(), text.slice(0, text.indexOf(word)).trimEnd());
	});

	verifies('inference/chat-completion-request/20', '`none`: no tool is called', async implementation => {
		const tools = [{ type: 'function', function: { name: 'read' } }];
		const reply = await complete(implementation, { tools, tool_choice: 'none' });
		assert.deepEqual(reply.choices[0]?.message.tool_calls ?? [], []);
	});

	verifies(
		['inference/chat-completion-request/5', 'inference/chat-completion-response/prose/1', 'unspecified/inference/2'],
		'a stream is server-sent events of chat.completion.chunk objects with choices[].delta.content; a stream gives its finish_reason, then usage with empty choices, then [DONE]',
		async implementation => {
			const response = await post(implementation, { stream: true });
			assert.equal(response.status, 200);
			assert.match(response.headers.get('content-type') ?? '', /^text\/event-stream/);
			assert.ok(response.body);
			const data: string[] = [];
			const stream = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
			for await (const event of stream) {
				data.push(event.data);
			}
			assert.equal(data.pop(), '[DONE]');
			const chunks = data.map(text => JSON.parse(text) as Record<string, unknown> & { choices: RawChunkChoice[] });
			assert.ok(chunks.length > 4);
			for (const chunk of chunks) {
				assert.equal(chunk['object'], 'chat.completion.chunk');
				assert.equal(chunk['id'], chunks[0]?.['id']);
			}
			const last = chunks.pop();
			assert.deepEqual(last?.choices, []);
			assert.ok(last?.['usage']);
			assert.equal(chunks.at(-1)?.choices[0]?.finish_reason, 'stop');
			assert.ok(chunks.some(chunk => typeof chunk.choices[0]?.delta.content === 'string'));
		},
	);

	verifies(
		['inference/chat-completion-request/5', 'inference/chat-completion-response/8'],
		'the pieces of a stream are the text of the reply; a stream names who served it',
		async implementation => {
			const request = { model: implementation.model, messages: [user('Hello')], seed: 1 };
			const whole = await implementation.client.chat.complete(request);
			const { events, text, failure } = await collect(implementation.client.chat.stream(request));
			assert.equal(failure, undefined);
			assert.equal(text, whole.choices[0]?.message?.content);
			assert.ok(events.filter(event => event.type === 'text').length > 4);
			const served = events.find(event => event.type === 'served');
			assert.equal(served?.provider, implementation.provider);
			assert.equal(served?.model, implementation.model);
			assert.ok(events.some(event => event.type === 'usage' && event.usage.total_tokens === whole.usage?.total_tokens));
			assert.ok(events.some(event => event.type === 'finish' && event.reason === 'stop'));
		},
	);

	verifies(
		'unspecified/inference/3',
		'an error in the middle ends the stream; the text so far has come',
		async ({ client, model, prompts }) => {
			const { text, failure } = await collect(client.chat.stream({ model, messages: [user(prompts.error)] }));
			assert.ok(text.length > 10);
			assert.ok(ClientError.is(failure), String(failure));
			assert.notEqual(failure.code, 'truncated');
		},
	);

	verifies('inference/provider-object/15', 'only: no other provider serves', async implementation => {
		const { provider } = implementation;
		assert.equal(await accepted(implementation, { provider: { only: [provider, 'nobody'] } }), provider);
		await refused(implementation, { provider: { only: ['nobody'] } }, /provider/);
	});

	verifies('inference/provider-object/4', 'ignore: a listed provider is skipped', async implementation => {
		const { provider } = implementation;
		await accepted(implementation, { provider: { ignore: ['nobody'] } });
		await refused(implementation, { provider: { only: [provider], ignore: [provider] } }, /provider/);
		const served = await post(implementation, { max_tokens: 1, provider: { ignore: [provider] } });
		assert.notEqual(((await served.json()) as { provider?: string }).provider, provider);
	});

	verifies(
		['inference/provider-object/14', 'inference/provider-object/16'],
		'order: one that does not host the model is skipped, unless fallbacks are disabled',
		async implementation => {
			const { provider } = implementation;
			const strict = { order: ['nobody', provider], allow_fallbacks: false };
			assert.equal(await accepted(implementation, { provider: strict }), provider);
			const free = { order: ['nobody'], only: [provider] };
			assert.equal(await accepted(implementation, { provider: free }), provider);
			await refused(implementation, { provider: { order: ['nobody'], allow_fallbacks: false } }, /provider/);
		},
	);

	verifies('inference/model-identifiers/1', 'a model that is not there is an error', async implementation => {
		await refused(implementation, { model: 'no-such-model' }, /model/);
	});
});

interface RawChunkChoice {
	delta: { content?: unknown };
	finish_reason: unknown;
}
