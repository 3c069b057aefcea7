import assert from 'node:assert/strict';
import { sendEvents, sendJson } from '../../../support/faultServer.ts';
import { chunk, DONE } from '../../client/chatWire.ts';
import { eventsOf } from '../../service/helpers.ts';
import { refusalOf, useClientModels } from './clientModelsHarness.ts';

const PATH = '/v1/chat/completions';
const user = { role: 'user', content: 'Add mul' };
const parameters = { type: 'object', properties: {} };
const call = { id: 'call_1', type: 'function', function: { name: 'read', arguments: '{"path":"a.js"}' } };
const usage = { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 };
const served = { id: 'up-1', model: 'large:77', provider: 'alpha' };

interface Choice {
	delta: Record<string, unknown>;
	finish_reason: string | null;
	[field: string]: unknown;
}
type Chunk = Record<string, unknown> & { choices: Choice[] };

const fragment = (fields: object) => chunk({ tool_calls: [fields] });
const whole = (...chunks: string[]): string[] => [...chunks, chunk({}, {}, { finish_reason: 'stop' }), DONE];

describe('chat completions by the client of a connection', () => {
	const models = useClientModels();

	async function chunksOf(reply: Response): Promise<Chunk[]> {
		const texts: string[] = [];
		for await (const { data } of eventsOf(reply)) {
			texts.push(data);
		}
		assert.equal(texts.pop(), '[DONE]');
		return texts.map(text => JSON.parse(text) as Chunk);
	}

	/** The fragments of calls that an agent gets of a reply. */
	async function fragmentsOf(...chunks: string[]): Promise<Record<string, unknown>[]> {
		const { post } = await models.open(response => sendEvents(response, ...whole(...chunks)));
		const received = await chunksOf(await post(PATH, { messages: [user], stream: true }));
		return received.flatMap(({ choices }) => (choices[0]?.delta['tool_calls'] ?? []) as Record<string, unknown>[]);
	}

	it('streams reasoning, text, finish and usage in OpenAI’s form, with the provider that served', async () => {
		const { post, calls, failures } = await models.open(response =>
			sendEvents(
				response,
				chunk({ role: 'assistant', reasoning_content: 'Hm.' }, served),
				chunk({ content: 'Hello' }, served),
				chunk({ content: ' there' }, served),
				chunk({}, served, { finish_reason: 'stop', provider_specific_fields: { native_finish_reason: 'eos' } }),
				chunk({}, { ...served, choices: [], usage }),
				DONE,
			),
		);
		const chunks = await chunksOf(await post(PATH, { messages: [user], stream: true }));
		const choice = (delta: object, finish_reason: string | null = null) => [{ index: 0, delta, finish_reason }];
		assert.deepEqual(
			chunks.map(({ choices }) => choices),
			[
				choice({ role: 'assistant', content: '', reasoning_content: 'Hm.' }),
				choice({ content: 'Hello' }),
				choice({ content: ' there' }),
				[{ ...choice({}, 'stop')[0], provider_specific_fields: { native_finish_reason: 'eos' } }],
				[],
			],
		);
		for (const { created, choices: _, usage: __, ...head } of chunks) {
			assert.deepEqual(head, { ...served, object: 'chat.completion.chunk' });
			assert.ok(Number(created) > 0);
		}
		assert.deepEqual(
			chunks.map(sent => sent['usage']),
			[undefined, undefined, undefined, undefined, usage],
		);
		assert.deepEqual(failures, []);
		assert.equal(calls.length, 1);
		const { seconds, usage: counted, ...ended } = calls[0] ?? { seconds: -1 };
		assert.deepEqual(ended, { ...served, outcome: 'whole' });
		assert.ok(seconds >= 0);
		assert.equal(counted?.prompt_tokens, 12);
	});

	it('answers in one piece unless a stream is asked for, which the service is asked for all the same', async () => {
		const { post, calls } = await models.open(response =>
			sendEvents(
				response,
				chunk({ reasoning: 'Hm.' }, served),
				chunk({
					content: 'Hello',
					annotations: [{ type: 'url_citation', url_citation: { url: 'https://a.invalid' } }],
				}),
				fragment({ index: 0, id: 'call_1', function: { name: 'read', arguments: '{"pa' } }),
				fragment({ index: 0, function: { arguments: 'th":1}' } }),
				chunk({}, { usage }, { finish_reason: 'tool_calls' }),
				DONE,
			),
		);
		for (const stream of [undefined, false, null]) {
			const reply = await post('/chat/completions', { messages: [user], stream });
			assert.equal(reply.status, 200);
			assert.match(reply.headers.get('content-type') ?? '', /^application\/json/);
			const { created, usage: counted, ...body } = (await reply.json()) as Record<string, unknown>;
			assert.ok(Number(created) > 0);
			assert.deepEqual(JSON.parse(JSON.stringify(body)), {
				...served,
				object: 'chat.completion',
				choices: [
					{
						index: 0,
						message: {
							role: 'assistant',
							content: 'Hello',
							reasoning_content: 'Hm.',
							tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'read', arguments: '{"path":1}' } }],
							annotations: [{ type: 'url_citation', url_citation: { url: 'https://a.invalid' } }],
						},
						finish_reason: 'tool_calls',
					},
				],
			});
			assert.equal((counted as typeof usage).completion_tokens, 5);
		}
		assert.deepEqual(
			models.bodies.map(({ stream }) => stream),
			[true, true, true],
		);
		assert.deepEqual(
			calls.map(({ outcome }) => outcome),
			['whole', 'whole', 'whole'],
		);
	});

	it('names the model of the session and an id of its own if the service names none', async () => {
		const { post, calls } = await models.open(response => sendEvents(response, ...whole(chunk({ content: 'Hello' }))));
		const chunks = await chunksOf(await post(PATH, { messages: [user], stream: true }));
		assert.deepEqual(
			new Set(chunks.map(({ model, provider }) => `${model} ${provider}`)),
			new Set(['large undefined']),
		);
		assert.equal(new Set(chunks.map(({ id }) => id)).size, 1);
		assert.match(String(chunks[0]?.['id']), /^chatcmpl-/);
		assert.deepEqual(
			calls.map(({ model, provider, id, usage: counted }) => [model, provider, id, counted]),
			[['large', undefined, undefined, undefined]],
		);
	});

	describe('with calls of tools', () => {
		it('passes on the fragments of parallel calls, name and id once', async () => {
			const fragments = await fragmentsOf(
				fragment({ index: 0, id: 'a', type: 'function', function: { name: 'read', arguments: '' } }),
				fragment({ index: 0, id: 'a', function: { name: 'read', arguments: '{"pa' } }),
				fragment({ index: 1, id: 'b', type: 'function', function: { name: 'list', arguments: '{' } }),
				fragment({ index: 0, function: { arguments: 'th":1}' } }),
				fragment({ index: 1, function: { arguments: '}' } }),
			);
			assert.deepEqual(fragments, [
				{ index: 0, id: 'a', type: 'function', function: { name: 'read', arguments: '' } },
				{ index: 0, function: { arguments: '{"pa' } },
				{ index: 1, id: 'b', type: 'function', function: { name: 'list', arguments: '{' } },
				{ index: 0, function: { arguments: 'th":1}' } },
				{ index: 1, function: { arguments: '}' } },
			]);
		});

		it('tells calls apart that a service gives the same index', async () => {
			const fragments = await fragmentsOf(
				fragment({ index: 0, id: 'a', function: { name: 'read', arguments: '{}' } }),
				fragment({ index: 0, id: 'b', function: { name: 'read', arguments: '{}' } }),
			);
			assert.deepEqual(
				fragments.map(({ index, id }) => [index, id]),
				[
					[0, 'a'],
					[1, 'b'],
				],
			);
		});

		it('gives an id to a call without one, and holds it back until it has a name', async () => {
			const fragments = await fragmentsOf(
				fragment({ index: 0, function: { arguments: '{"nobody":1}' } }),
				fragment({ index: 1, function: { arguments: '{"pa' } }),
				fragment({ index: 1, function: { name: 'read', arguments: 'th":1}' } }),
			);
			assert.equal(fragments.length, 1);
			const { id, ...sent } = fragments[0] ?? {};
			assert.deepEqual(sent, { index: 0, type: 'function', function: { name: 'read', arguments: '{"path":1}' } });
			assert.match(String(id), /^call_./);
		});
	});

	describe('of what an agent asks', () => {
		const sent = async (body: object, options = {}, fields = {}) => {
			const { post } = await models.open(response => sendEvents(response, ...whole()), options, fields);
			const reply = await post(PATH, body);
			assert.equal(reply.status, 200, await reply.text());
			return models.bodies.at(-1);
		};

		it('passes on what the contract has, and nothing else', async () => {
			const body = await sent({
				model: 'gpt-5',
				models: ['gpt-5-mini'],
				user: 'somebody',
				n: 1,
				store: true,
				metadata: { a: 1 },
				parallel_tool_calls: false,
				stream_options: { include_usage: true },
				reasoning_effort: 'high',
				thinking: { type: 'enabled' },
				max_completion_tokens: 30,
				stop: 'END',
				temperature: 0.5,
				top_p: null,
				messages: [
					{ role: 'developer', content: [{ type: 'text', text: 'Be brief', cache_control: {} }] },
					{ ...user, name: 'somebody' },
					{ role: 'assistant', content: null, reasoning_content: 'Hm.', tool_calls: [{ ...call, index: 0 }] },
					{ role: 'tool', tool_call_id: 'call_1', name: 'read', content: 'export' },
				],
				tools: [{ type: 'function', function: { name: 'read', strict: true, parameters } }, { type: 'web_search' }],
				tool_choice: 'auto',
			});
			assert.deepEqual(body, {
				model: 'large',
				stream: true,
				max_tokens: 30,
				stop: ['END'],
				temperature: 0.5,
				messages: [
					{ role: 'system', content: [{ type: 'text', text: 'Be brief' }] },
					user,
					{ role: 'assistant', content: '', tool_calls: [call] },
					{ role: 'tool', tool_call_id: 'call_1', content: 'export' },
				],
				tools: [{ type: 'function', function: { name: 'read', parameters } }],
				tool_choice: 'auto',
			});
		});

		it('sends the session’s routing policy, and never the agent’s own', async () => {
			const provider = { only: ['alpha'], zdr: true };
			const own = { provider: { only: ['beta'], zdr: false, sort: 'price' } };
			assert.deepEqual((await sent({ messages: [user], ...own }, { provider }))?.['provider'], provider);
			assert.ok(!('provider' in ((await sent({ messages: [user], ...own })) ?? {})));
		});

		it('sends the user’s parameters where the agent has none of its own', async () => {
			const options = { parameters: { temperature: 0.1, seed: 7, user: 'me' } };
			const body = await sent({ messages: [user], temperature: 1, user: 'somebody' }, options);
			assert.deepEqual([body?.['temperature'], body?.['seed'], body?.['user']], [1, 7, 'me']);
		});

		it('asks for no more tokens than the model has', async () => {
			const limits = { contextLength: 1000, maxOutputTokens: 400 };
			const fields = { models: [{ id: 'large', contextLength: 1000 }] };
			for (const [wanted, limited, expected] of [
				[32_000, limits, 400],
				[32_000, { contextLength: 1000 }, 999],
				[100, limits, 100],
				[undefined, limits, undefined],
			] as const) {
				const body = await sent({ messages: [user], max_tokens: wanted }, limited, fields);
				assert.equal(body?.['max_tokens'], expected);
			}
		});

		it('refuses what is out of its range, by its name and without asking the service', async () => {
			const { post, calls, failures } = await models.open(response => sendEvents(response, ...whole()));
			for (const [body, named] of [
				['text', /^messages/],
				[{}, /^messages/],
				[{ messages: [] }, /^messages/],
				[{ messages: 'all of them' }, /^messages/],
				[{ messages: [{ role: 'captain', content: 'x' }] }, /^messages\[0\]\.role/],
				[{ messages: [{ role: 'tool', content: 'x' }] }, /^messages\[0\]\.tool_call_id/],
				[{ messages: [user], temperature: 7 }, /^temperature is 7/],
				[{ messages: [user], max_tokens: -1 }, /^max_tokens/],
				[{ messages: [user], tools: [{ type: 'function', function: { name: '' } }] }, /^tools\[0\]/],
			] as const) {
				const reply = await post(PATH, JSON.stringify(body));
				assert.equal(reply.status, 400);
				const { message, code, type } = await refusalOf(reply);
				assert.match(message, named);
				assert.deepEqual([code, type], ['invalid_request', 'invalid_request_error']);
			}
			assert.deepEqual([models.server.received.length, calls, failures], [0, [], []]);
		});
	});

	it('reads a service that answers in one piece', async () => {
		const choices = [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }];
		const { post } = await models.open(response => sendJson(response, 200, { ...served, choices, usage }));
		const chunks = await chunksOf(await post(PATH, { messages: [user], stream: true }));
		assert.deepEqual(
			chunks.map(({ choices: [choice] }) => choice?.delta['content']),
			['Hello', undefined, undefined],
		);
	});
});
