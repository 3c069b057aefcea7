import assert from 'node:assert/strict';
import { inputItemsOf, ResponseOutput } from '../../../src/client/responseOutput.ts';
import type { InputItem, OutputItem, ResponsesRequest } from '../../../src/contract/responses.ts';
import { eventsOf } from '../../unit/service/helpers.ts';
import { conformance, type Implementation } from './harness.ts';

const user = (content: string) => ({ role: 'user' as const, content });

const tool = (name: string) => ({
	type: 'function' as const,
	name,
	description: `Reads the ${name}`,
	parameters: { type: 'object', properties: { day: { type: 'integer' } }, required: ['day'] },
});
const tools = [tool('tide'), tool('wind')];

const id = (position: number) => `inference/responses-request/${position}`;
const event = (position: number) => `inference/events/${position}`;

const post = (implementation: Implementation, body: object) =>
	implementation.fetchEnterprise('/v1/responses', {
		method: 'POST',
		body: JSON.stringify({ model: implementation.model, input: [user('Hello')], store: false, stream: true, ...body }),
	});

interface RawEvent {
	[field: string]: unknown;
	type: string;
	output_index?: number;
	item_id?: string;
	content_index?: number;
	item?: RawItem;
	response?: RawResponse;
}

interface RawItem {
	[field: string]: unknown;
	id: string;
	type: string;
	status?: string;
}

interface RawResponse {
	[field: string]: unknown;
	id: string;
	status: string;
	output: RawItem[];
	usage: Record<string, unknown> | null;
}

/** Every documented field of a response. */
const RESPONSE_FIELDS = ['created_at', 'id', 'model', 'object', 'output', 'status', 'usage'];

/** The events of a reply, each named by its own data. */
async function streamed(implementation: Implementation, body: object = {}): Promise<RawEvent[]> {
	const events: RawEvent[] = [];
	for await (const { name, data } of eventsOf(await post(implementation, body))) {
		const received = JSON.parse(data) as RawEvent;
		assert.equal(name, received.type);
		events.push(received);
	}
	return events;
}

/** What a request is refused with: the documented body, code and all. */
async function refused(implementation: Implementation, body: object, message: string | RegExp): Promise<void> {
	const response = await post(implementation, body);
	assert.equal(response.status, 400, await response.clone().text());
	const { error } = (await response.json()) as { error: { code: unknown; message: string } };
	assert.equal(error.code, '400');
	if (typeof message === 'string') {
		assert.equal(error.message, message);
	} else {
		assert.match(error.message, message);
	}
}

const accepted = async (implementation: Implementation, body: object): Promise<RawEvent[]> => {
	const events = await streamed(implementation, body);
	assert.equal(events.at(-1)?.type, 'response.completed', JSON.stringify(events.at(-1)));
	return events;
};

/** The output, as our client puts it together from the events. */
async function outputOf({ client }: Implementation, request: ResponsesRequest): Promise<OutputItem[]> {
	const output = new ResponseOutput();
	for await (const received of client.responses.stream(request)) {
		output.add(received);
	}
	return output.items();
}

const textOf = (output: readonly OutputItem[]) =>
	output.flatMap(item => (item.type === 'message' ? item.content.map(({ text }) => text) : [])).join('');

conformance('responses', verifies => {
	verifies(
		[
			id(1),
			'inference/endpoints/3',
			event(1),
			event(2),
			event(3),
			event(4),
			event(5),
			event(6),
			event(7),
			event(8),
			event(11),
			'inference/responses-request/prose/1',
			'inference/states-and-transitions/prose/3',
		],
		'a reply is the documented events in their order, each naming its item and part, and ends with the whole response',
		async implementation => {
			const events = await accepted(implementation, {});
			const order = events.map(({ type }) => type).filter((type, index, all) => type !== all[index - 1]);
			assert.deepEqual(order, [
				'response.created',
				'response.in_progress',
				'response.output_item.added',
				'response.content_part.added',
				'response.output_text.delta',
				'response.output_text.done',
				'response.content_part.done',
				'response.output_item.done',
				'response.completed',
			]);
			const [created] = events;
			assert.equal(created?.response?.['object'], 'response');
			assert.equal(created?.response?.status, 'in_progress');
			assert.ok(Number.isInteger(created?.response?.['created_at']));
			const response = events.at(-1)?.response;
			assert.deepEqual(Object.keys(response ?? {}).sort(), RESPONSE_FIELDS);
			assert.equal(response?.id, created?.response?.id);
			assert.equal(response?.['created_at'], created?.response?.['created_at']);
			assert.equal(response?.['model'], implementation.model);
			assert.equal(response?.status, 'completed');
			const [item] = response?.output ?? [];
			assert.deepEqual([item?.type, item?.['role'], item?.status], ['message', 'assistant', 'completed']);
			const deltas = events.filter(({ type }) => type === 'response.output_text.delta');
			assert.ok(deltas.length > 4);
			const text = deltas.map(({ delta }) => delta).join('');
			assert.deepEqual(item?.['content'], [{ type: 'output_text', text, annotations: [] }]);
			assert.equal(events.find(({ type }) => type === 'response.output_text.done')?.['text'], text);
			for (const { type, item_id, output_index, content_index, item: own } of events.slice(2, -1)) {
				assert.equal(item_id ?? own?.id, item?.id, type);
				assert.equal(output_index, 0, type);
				assert.equal(content_index, own === undefined ? 0 : undefined, type);
			}
		},
	);

	verifies(
		[event(11), 'inference/responses-request/prose/1'],
		'usage counts input, output and both details',
		async implementation => {
			const usage = (await accepted(implementation, {})).at(-1)?.response?.usage ?? {};
			assert.deepEqual(Object.keys(usage).sort(), [
				'input_tokens',
				'input_tokens_details',
				'output_tokens',
				'output_tokens_details',
				'total_tokens',
			]);
			assert.equal(usage['total_tokens'], Number(usage['input_tokens']) + Number(usage['output_tokens']));
			assert.deepEqual(usage['input_tokens_details'], { cached_tokens: 0 });
			assert.deepEqual(usage['output_tokens_details'], { reasoning_tokens: 0 });
		},
	);

	verifies(
		[
			'inference/authentication/1',
			'inference/authentication/2',
			'inference/endpoints/prose/1',
			'inference/errors/prose/1',
		],
		'a request without a valid key is refused in the same form',
		async implementation => {
			const response = await implementation.fetchEnterprise('/v1/responses', {
				method: 'POST',
				headers: { authorization: 'Bearer wrong' },
				body: '{}',
			});
			assert.equal(response.status, 401);
			const { error } = (await response.json()) as { error: { code: unknown; message: unknown } };
			assert.equal(typeof error.message, 'string');
			assert.equal(typeof error.code, 'string');
		},
	);

	verifies('inference/endpoints/3', 'the endpoint is on the enterprise host alone', async implementation => {
		const response = await implementation.fetch('/v1/responses', { method: 'POST', body: '{}' });
		assert.equal(response.status, 404);
	});

	verifies(
		[id(2), id(4), id(5), 'inference/errors/1', 'inference/errors/3', 'inference/errors/4'],
		'a code-oriented model demands instructions, store and stream, each with its documented message',
		async implementation => {
			const model = implementation.codeModel;
			await accepted(implementation, { model, instructions: 'Be brief.' });
			for (const instructions of [undefined, '', '  ', null, 1]) {
				await refused(implementation, { model, instructions }, 'Instructions are required');
			}
			for (const store of [undefined, true, null, 'false']) {
				await refused(implementation, { model, instructions: 'x', store }, 'Store must be set to false');
			}
			for (const stream of [undefined, false, null]) {
				await refused(implementation, { model, instructions: 'x', stream }, 'Stream must be set to true');
			}
		},
	);

	verifies(
		[id(2), id(4), id(5), 'unspecified/inference/7'],
		'other models need none of the three, refuse another store, and answer whole without a stream',
		async implementation => {
			await accepted(implementation, { store: undefined });
			await refused(implementation, { store: true }, 'Store must be set to false');
			// What was not asked to be streamed is answered whole, in the form of the last event's response.
			for (const stream of [undefined, false]) {
				const response = await post(implementation, { stream });
				assert.equal(response.status, 200);
				const { object, status } = (await response.json()) as RawResponse;
				assert.deepEqual([object, status], ['response', 'completed']);
			}
		},
	);

	verifies(
		[
			id(1),
			id(3),
			id(9),
			'inference/errors/2',
			'inference/errors/5',
			'inference/errors/prose/1',
			'inference/errors/prose/2',
		],
		'a missing model or input, an input that is no list and previous_response_id are told',
		async implementation => {
			await refused(implementation, { model: undefined }, 'Missing required parameter: model');
			await refused(implementation, { input: undefined }, 'Missing required parameter: input');
			await refused(implementation, { input: 'Hello' }, 'Input must be a list');
			await refused(implementation, { input: { role: 'user' } }, 'Input must be a list');
			await refused(implementation, { input: [] }, /^input: /);
			for (const previous_response_id of ['resp_1', null]) {
				await refused(implementation, { previous_response_id }, 'Unsupported parameter: previous_response_id');
			}
		},
	);

	verifies(
		[id(6), id(7), id(8), id(10), id(11), id(12), id(13)],
		'a field, an item or a tool in another shape than the documented one is refused and named',
		async implementation => {
			const { type, ...nested } = tool('tide');
			const call = { type: 'function_call', name: 'tide', call_id: 'call_1', arguments: '{}' };
			const output = { type: 'function_call_output', call_id: 'call_1', output: 'high' };
			for (const [body, named] of [
				[{ undocumented: true }, /undocumented/],
				[{ include: ['file_search_call.results'] }, /include/],
				[{ max_tokens: 5 }, /max_tokens/],
				[{ tools: [{ type, function: nested }] }, /^tools\[0\]/],
				[{ tools, tool_choice: 'required' }, /^tool_choice/],
				[{ tools, tool_choice: { type: 'function', function: { name: 'tide' } } }, /^tool_choice/],
				[{ tools, tool_choice: { type: 'function', name: 'moon' } }, /^tool_choice/],
				[{ parallel_tool_calls: 'no' }, /^parallel_tool_calls/],
				[{ input: [{ role: 'tool', content: 'x' }] }, /^input\[0\]/],
				[{ input: [{ type: 'message', role: 'user', content: 1 }] }, /^input\[0\]/],
				[{ input: [{ type: 'message', role: 'user', content: [{ type: 'image', text: '' }] }] }, /^input\[0\]/],
				[{ input: [user('x'), { type: 'item_reference', id: 'x' }] }, /^input\[1\]/],
				[{ input: [{ ...call, call_id: undefined }] }, /^input\[0\]\.call_id/],
				[{ input: [{ ...call, arguments: {} }] }, /^input\[0\]\.arguments/],
				[{ input: [call] }, /^input\[0\]\.call_id.*no function_call_output/],
				[{ input: [output] }, /^input\[0\]\.call_id.*no function_call before/],
				[{ input: [call, call, output] }, /^input\[1\]\.call_id/],
				[{ input: [call, output, output] }, /^input\[2\]\.call_id/],
				[{ input: [call, { ...output, output: {} }] }, /^input\[1\]\.output/],
			] as const) {
				await refused(implementation, body, named);
			}
		},
	);

	verifies([id(10), id(11)], 'structured and simple messages of all roles are understood', async implementation => {
		await accepted(implementation, {
			instructions: 'Be brief.',
			input: [
				{ role: 'system', content: 'Be kind.' },
				{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'One' }] },
				{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Two' }] },
				user('Three'),
				// Clients of public practice send the type with a text, too.
				{ type: 'message', role: 'assistant', content: 'Four' },
			],
		});
	});

	verifies(
		[id(6), event(3), event(8), event(9), event(10), 'inference/responses-request/prose/2'],
		'a function call comes as an item with its arguments in pieces and as a whole',
		async implementation => {
			const events = await accepted(implementation, { input: [user(implementation.prompts.call)], tools });
			const added = events.filter(
				({ type, item }) => type === 'response.output_item.added' && item?.type === 'function_call',
			);
			const [{ item, output_index } = { item: undefined, output_index: undefined }] = added;
			assert.equal(added.length, 1);
			assert.equal(item?.['name'], 'tide');
			const about = events.filter(({ item_id }) => item_id === item?.id);
			assert.ok(about.every(one => one.output_index === output_index));
			const pieces = about
				.filter(({ type }) => type === 'response.function_call_arguments.delta')
				.map(({ delta }) => delta);
			assert.ok(pieces.length > 1);
			const done = about.find(({ type }) => type === 'response.function_call_arguments.done');
			assert.equal(done?.['arguments'], pieces.join(''));
			assert.ok(Number.isInteger((JSON.parse(pieces.join('')) as { day: unknown }).day));
			const whole = events.find(one => one.type === 'response.output_item.done' && one.item?.id === item?.id)?.item;
			assert.deepEqual([whole?.['arguments'], whole?.status], [pieces.join(''), 'completed']);
			assert.deepEqual(Object.keys(whole ?? {}).sort(), ['arguments', 'call_id', 'id', 'name', 'status', 'type']);
			assert.ok(whole?.['call_id']);
			assert.deepEqual(events.at(-1)?.response?.output.at(-1), whole);
		},
	);

	verifies([id(7), id(8)], 'tool_choice and parallel_tool_calls are kept', async implementation => {
		const called = async (prompt: string, fields: object) =>
			((await accepted(implementation, { input: [user(prompt)], tools, ...fields })).at(-1)?.response?.output ?? [])
				.filter(({ type }) => type === 'function_call')
				.map(({ name }) => name);
		const { call, calls } = implementation.prompts;
		assert.deepEqual(await called(calls, {}), ['tide', 'wind']);
		assert.deepEqual(await called(calls, { parallel_tool_calls: true }), ['tide', 'wind']);
		assert.deepEqual(await called(calls, { parallel_tool_calls: false }), ['tide']);
		assert.deepEqual(await called(call, { tool_choice: 'auto' }), ['tide']);
		assert.deepEqual(await called(call, { tool_choice: 'none' }), []);
		assert.deepEqual(await called('Hello', { tool_choice: { type: 'function', name: 'wind' } }), ['wind']);
	});

	verifies(
		[id(12), id(13), 'inference/events/prose/1', 'inference/states-and-transitions/prose/2'],
		'the results of several parallel calls lead to an answer in text',
		async implementation => {
			const request: ResponsesRequest = {
				model: implementation.model,
				input: [user(implementation.prompts.calls)],
				tools,
			};
			const output = await outputOf(implementation, request);
			const calls = output.filter(item => item.type === 'function_call');
			assert.equal(new Set(calls.map(({ call_id }) => call_id)).size, 2);
			const results = calls.map(({ call_id = '', name = '' }) => ({
				type: 'function_call_output' as const,
				call_id,
				output: `The ${name} is high.`,
			}));
			const input = [...request.input, ...inputItemsOf(output), ...results];
			const answer = await outputOf(implementation, { ...request, input });
			assert.match(textOf(answer), /The tide is high\..*The wind is high\./s);
		},
	);

	verifies(
		['inference/zero-data-retention-zdr/3', 'unspecified/inference/15'],
		'reasoning of a code-oriented model comes sealed, and goes back as it came',
		async implementation => {
			const request: ResponsesRequest = {
				model: implementation.codeModel,
				instructions: 'Be brief.',
				input: [user('Hello')],
			};
			const output = await outputOf(implementation, request);
			const [reasoning] = output;
			assert.ok(reasoning?.type === 'reasoning');
			const sealed = String(reasoning['encrypted_content']);
			assert.ok(sealed.length > 40);
			assert.doesNotMatch(sealed, /stand-in|user wants/i);
			const again = { ...request, input: [...request.input, ...inputItemsOf(output), user('And now?')] };
			assert.match(textOf(await outputOf(implementation, again)), /\*\*1\*\* of them with reasoning that came back/);

			const items = inputItemsOf(output).slice(1);
			const withReasoning = (item: object) => ({
				...again,
				store: false,
				stream: true,
				input: [user('x'), item, ...items],
			});
			const flipped = sealed.slice(0, -9) + (sealed.at(-9) === 'A' ? 'B' : 'A') + sealed.slice(-8);
			for (const encrypted_content of [flipped, sealed.slice(1), sealed.slice(0, -4), 'x', '', null, undefined, 5]) {
				const item = { ...reasoning, encrypted_content } satisfies InputItem;
				await refused(implementation, withReasoning(item), /^input\[1\]\.encrypted_content: /);
			}
		},
	);

	verifies(
		'unspecified/inference/15',
		'an error in the middle ends the response; what came before it stays',
		async implementation => {
			const events = await streamed(implementation, { input: [user(implementation.prompts.error)] });
			const last = events.at(-1);
			assert.equal(last?.type, 'response.failed');
			assert.equal(last?.response?.status, 'failed');
			const failure = last?.response?.['error'] as { message: string } | undefined;
			assert.match(failure?.message ?? '', /it broke/);
			assert.ok(events.filter(({ type }) => type === 'response.output_text.delta').length > 2);
			assert.ok(!events.some(({ type }) => type === 'response.completed'));
		},
	);

	verifies(id(1), 'a model that is not there is an error before anything is streamed', async implementation => {
		const response = await post(implementation, { model: 'no-such-model' });
		assert.equal(response.status, 404);
		const { error } = (await response.json()) as { error: { code: string; message: string } };
		assert.equal(error.code, '404');
		assert.match(error.message, /no such model/);
	});
});
