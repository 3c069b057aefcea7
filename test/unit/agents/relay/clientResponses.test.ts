import assert from 'node:assert/strict';
import { sendEvents, sendJson } from '../../../support/faultServer.ts';
import { call, completed, event, reasoning, response, wholeStream } from '../../client/responsesWire.ts';
import { eventsOf } from '../../service/helpers.ts';
import { refusalOf, useClientModels } from './clientModelsHarness.ts';

const PATH = '/v1/responses';
const PATCH = '*** Begin Patch\n*** End Patch\n';
const text = (value: string) => [{ type: 'input_text', text: value }];
const user = { type: 'message', role: 'user', content: text('Add mul') };
const parameters = { type: 'object', properties: {} };

/** The data of the events of a text, with what a reading of them leaves out: fields without a value. */
const dataOf = (event: string) => JSON.parse(event.slice(event.indexOf('data: ') + 'data: '.length));

describe('responses by the client of a connection', () => {
	const models = useClientModels();

	async function received(reply: Response): Promise<{ name: string | undefined; data: Record<string, unknown> }[]> {
		const events: { name: string | undefined; data: Record<string, unknown> }[] = [];
		for await (const { name, data } of eventsOf(reply)) {
			events.push({ name, data: JSON.parse(data) });
		}
		return events;
	}

	it('passes on the events as they came', async () => {
		const { post, calls, failures } = await models.open(reply => sendEvents(reply, ...wholeStream));
		const events = await received(await post(PATH, { input: [user], stream: true }));
		assert.deepEqual(
			events.map(({ name }) => name),
			wholeStream.map(sent => dataOf(sent).type),
		);
		assert.deepEqual(
			events.map(({ data }) => data),
			wholeStream.map(dataOf),
		);
		assert.deepEqual(failures, []);
		const { seconds, usage, ...ended } = calls[0] ?? { seconds: -1 };
		assert.deepEqual(ended, { model: 'vendor/coder', id: 'resp_1', outcome: 'whole' });
		assert.ok(seconds >= 0);
		assert.deepEqual(JSON.parse(JSON.stringify(usage)), {
			prompt_tokens: 5,
			completion_tokens: 7,
			total_tokens: 12,
			prompt_tokens_details: { cached_tokens: 1 },
			completion_tokens_details: { reasoning_tokens: 2 },
		});
		assert.equal(calls.length, 1);
	});

	it('passes on items that the contract does not know, in every event', async () => {
		const item = { type: 'web_search_call', id: 'ws_1', status: null, action: { deep: [1] } };
		const stream = [
			event('response.output_item.added', { output_index: 0, item }),
			event('response.output_item.done', { output_index: 0, item }),
			event('response.completed', { response: { ...response, output: [item, reasoning] } }),
		];
		const { post } = await models.open(reply => sendEvents(reply, ...stream));
		const events = await received(await post(PATH, { input: [user], stream: true }));
		assert.deepEqual(
			events.map(({ data }) => data),
			stream.map(dataOf),
		);
	});

	it('answers with the response alone unless a stream is asked for', async () => {
		const { post, calls } = await models.open(reply => sendEvents(reply, ...wholeStream));
		for (const stream of [undefined, false]) {
			const reply = await post(PATH, { input: [user], stream });
			assert.match(reply.headers.get('content-type') ?? '', /^application\/json/);
			assert.deepEqual(await reply.json(), response);
		}
		assert.deepEqual(
			models.bodies.map(({ store, stream }) => [store, stream]),
			[
				[false, true],
				[false, true],
			],
		);
		assert.deepEqual(
			calls.map(({ outcome }) => outcome),
			['whole', 'whole'],
		);
	});

	it('has free-form calls for free-form tools, streamed and whole', async () => {
		const item = { ...call, name: 'apply_patch', arguments: JSON.stringify({ input: PATCH }) };
		const place = { output_index: 0, item_id: item.id };
		const stream = [
			event('response.output_item.added', { output_index: 0, item: { ...item, arguments: '' } }),
			event('response.function_call_arguments.delta', { ...place, delta: item.arguments }),
			event('response.function_call_arguments.done', { ...place, arguments: item.arguments }),
			event('response.output_item.done', { output_index: 0, item }),
			event('response.completed', { response: { ...response, output: [item] } }),
		];
		const { post } = await models.open(reply => sendEvents(reply, ...stream));
		const asked = { input: [user], tools: [{ type: 'custom', name: 'apply_patch' }], tool_choice: 'auto' };
		const { arguments: _, ...rest } = item;
		const free = { ...rest, type: 'custom_tool_call', input: PATCH };
		const events = await received(await post(PATH, { ...asked, stream: true }));
		assert.deepEqual(
			events.map(({ name, data }) => [name, data['sequence_number']]),
			[
				['response.output_item.added', 0],
				['response.custom_tool_call_input.done', 1],
				['response.output_item.done', 2],
				['response.completed', 3],
			],
		);
		assert.deepEqual(events[2]?.data['item'], free);
		const whole = (await (await post(PATH, asked)).json()) as { output: unknown };
		assert.deepEqual(whole.output, [free]);
		const tools = (models.bodies[0]?.['tools'] ?? []) as Record<string, unknown>[];
		assert.deepEqual(
			tools.map(({ type, name }) => [type, name]),
			[['function', 'apply_patch']],
		);
		assert.equal(models.bodies[0]?.['tool_choice'], undefined);
	});

	describe('of what an agent asks', () => {
		const sent = async (body: object, options = {}) => {
			const { post } = await models.open(reply => sendEvents(reply, completed), options);
			const reply = await post(PATH, body);
			assert.equal(reply.status, 200, await reply.text());
			return models.bodies.at(-1);
		};

		it('passes on what the contract has, and nothing else', async () => {
			const body = await sent({
				model: 'gpt-5',
				store: true,
				previous_response_id: null,
				max_output_tokens: 10,
				temperature: 1,
				include: ['reasoning.encrypted_content'],
				prompt_cache_key: 'k',
				client_metadata: {},
				parallel_tool_calls: true,
				instructions: 'You are codex',
				input: [
					{ type: 'message', role: 'developer', content: text('<permissions>') },
					{ ...user, id: 'msg_1', status: 'completed' },
					{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'So', annotations: [] }] },
					{ ...call, namespace: null },
					{ type: 'function_call_output', id: 'fco_1', call_id: 'call_1', output: text('warm') },
					{ type: 'web_search_call', id: 'ws_1' },
					{ type: 'function_call_output', call_id: 'nobody', output: 'x' },
				],
				tools: [{ type: 'function', name: 'weather', strict: false, parameters }, { type: 'web_search' }],
				tool_choice: { type: 'function', name: 'weather' },
			});
			assert.deepEqual(body, {
				model: 'large',
				store: false,
				stream: true,
				parallel_tool_calls: true,
				instructions: 'You are codex\n\n<permissions>',
				input: [
					user,
					{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'So' }] },
					{ type: 'function_call', call_id: 'call_1', name: 'weather', arguments: call.arguments },
					{ type: 'function_call_output', call_id: 'call_1', output: 'warm' },
				],
				tools: [{ type: 'function', name: 'weather', parameters }],
				tool_choice: { type: 'function', name: 'weather' },
			});
		});

		it('sends reasoning back to the service as it came, to the byte', async () => {
			const { post } = await models.open(reply => sendEvents(reply, ...wholeStream));
			const events = await received(await post(PATH, { input: [user], stream: true }));
			const done = events.flatMap(({ name, data }) => (name === 'response.output_item.done' ? [data['item']] : []));
			await post(PATH, { input: [user, ...done, { type: 'function_call_output', call_id: 'call_1', output: '1' }] });
			const input = models.bodies[1]?.['input'] as { type: string }[];
			const returned = input.filter(({ type }) => type === 'reasoning').map(item => JSON.stringify(item));
			assert.deepEqual(returned, [JSON.stringify(reasoning)]);
		});

		it('may be a single text', async () => {
			assert.deepEqual((await sent({ input: 'Hello' }))?.['input'], [{ role: 'user', content: 'Hello' }]);
		});

		it('refuses what means nothing, by its name and without asking the service', async () => {
			const { post, calls, failures } = await models.open(reply => sendEvents(reply, completed));
			for (const [body, named] of [
				['text', /^input/],
				[{}, /^input/],
				[{ input: 3 }, /^input is 3/],
				[{ input: [user], previous_response_id: 'resp_1' }, /^previous_response_id/],
				[{ input: [{ role: 'captain', content: 'x' }] }, /role/],
				[{ input: [{ type: 'function_call', name: 'x' }] }, /call_id/],
				[{ input: [user], tools: [{ type: 'function', name: '' }] }, /^tools\[0\]\.name/],
			] as const) {
				const reply = await post(PATH, JSON.stringify(body));
				assert.equal(reply.status, 400, JSON.stringify(body));
				assert.match((await refusalOf(reply)).message, named);
			}
			assert.deepEqual([models.server.received.length, calls, failures], [0, [], []]);
		});
	});

	describe('under a routing policy, which has no place in them', () => {
		const asked = async (options: object) => {
			const { post, calls, failures } = await models.open(reply => sendEvents(reply, completed), options);
			const reply = await post(PATH, { input: [user] });
			return { reply, calls, failures };
		};

		it('are refused as if the service had none, so that an agent may use chat', async () => {
			for (const provider of [{ zdr: true }, { only: ['alpha'] }, { zdr: true, sort: 'price' }]) {
				const codeOriented = !('zdr' in provider) || 'sort' in provider;
				const { reply, calls, failures } = await asked({ provider, codeOriented });
				assert.equal(reply.status, 404);
				assert.match((await refusalOf(reply)).message, /routing policy of this session .* Use chat completions/);
				assert.deepEqual([calls, failures], [[], []]);
			}
			assert.equal(models.server.received.length, 0);
		});

		it('are sent where it demands nothing, or what holds anyway', async () => {
			for (const options of [
				{ provider: {} },
				{ provider: { zdr: false } },
				{ provider: { zdr: true, only: undefined }, codeOriented: true },
			]) {
				assert.equal((await asked(options)).reply.status, 200);
			}
		});
	});

	describe('of a service that has none', () => {
		it('end with 404, however it says so, which the host learns', async () => {
			const unknown = { error: { code: '404', message: 'No such path' } };
			const { post, calls, failures } = await models.open(reply => sendJson(reply, 404, unknown));
			const reply = await post(PATH, { input: [user], stream: true });
			assert.equal(reply.status, 404);
			assert.deepEqual(await refusalOf(reply), {
				message: 'No such path',
				type: 'invalid_request_error',
				code: 'not_found',
			});
			assert.deepEqual(failures, [{ code: 'not-found', endpoint: 'responses' }]);
			assert.deepEqual(
				calls.map(({ outcome }) => outcome),
				['failed'],
			);
		});

		it('end with 404 where the connection has no host for them', async () => {
			const fields = { enterpriseUrl: undefined };
			const { post, failures } = await models.open(reply => sendEvents(reply, completed), {}, fields);
			assert.equal((await post(PATH, { input: [user] })).status, 404);
			assert.deepEqual(failures, [{ code: 'not-supported', endpoint: 'responses' }]);
			assert.equal(models.server.received.length, 0);
		});
	});
});
