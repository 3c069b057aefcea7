import assert from 'node:assert/strict';
import { ClientError } from '../../src/base/errors.ts';
import { inputItemsOf, ResponseOutput } from '../../src/client/responseOutput.ts';
import type { ResponseEvent, ResponsesRequest } from '../../src/contract/responses.ts';
import type { ReceivedRequest, SentEvent } from '../support/contractServer/contractServer.ts';
import { annotations, chatReply, codeModel, openModel, responsesUsage } from '../support/contractServer/fixtures.ts';
import { collect } from '../unit/client/testClient.ts';
import { type ProofContext, prove } from './harness.ts';

const TEXT = chatReply.pieces.join('');
const user = (content: string) => ({ role: 'user' as const, content });
const asking = (content: string, fields: Partial<ResponsesRequest> = {}): ResponsesRequest => ({
	model: openModel.id,
	input: [user(content)],
	...fields,
});
const tool = (name: string) => ({
	type: 'function' as const,
	name,
	description: `Reads the ${name}`,
	parameters: { type: 'object', properties: { day: { type: 'integer' }, place: { type: 'string' } } },
});
const tools = [tool('tide'), tool('wind'), tool('moon')];
const code = { model: codeModel.id, instructions: 'Be brief.' };
const resultOf = ({ call_id = '' }: { call_id?: string | undefined }, output: string) => ({
	type: 'function_call_output' as const,
	call_id,
	output,
});
const isResponses = ({ path }: ReceivedRequest) => path === '/v1/responses';
const isRefusal = (error: unknown) => ClientError.is(error, 'invalid-request');

type EventOf<Type> = Extract<ResponseEvent, { type: Type }>;

/** Returns all events of one type. */
function ofType<Type extends ResponseEvent['type']>(events: readonly ResponseEvent[], type: Type): EventOf<Type>[] {
	return events.filter((event): event is EventOf<Type> => event.type === type);
}

const textOf = (events: readonly ResponseEvent[]) =>
	ofType(events, 'response.output_text.delta')
		.map(({ delta }) => delta)
		.join('');

/** Sends the request, checks that its reply ends well, and resolves with the reply's events. */
async function answered({ client }: Pick<ProofContext, 'client'>, request: ResponsesRequest): Promise<ResponseEvent[]> {
	const { events, error } = await collect(client.responses.stream(request));
	assert.equal(error, undefined);
	assert.equal(events.at(-1)?.type, 'response.completed');
	return events;
}

/** Sends the request, and checks that the server received exactly this request, with the two fixed fields added. */
async function arrives(context: ProofContext, request: ResponsesRequest): Promise<ResponseEvent[]> {
	const events = await answered(context, request);
	assert.deepEqual(context.lastRequest().json, { ...request, store: false, stream: true });
	return events;
}

/** Checks that the request is refused with the field's name before anything is sent. */
async function refuses(
	{ client, server }: ProofContext,
	fields: Record<string, unknown>,
	named: RegExp,
): Promise<void> {
	const before = server.received.length;
	const { events, error } = await collect(
		client.responses.stream({ ...asking('text'), ...fields } as ResponsesRequest),
	);
	assert.ok(isRefusal(error), String(error));
	assert.match((error as ClientError).message, named);
	assert.deepEqual(events, []);
	assert.equal(server.received.length, before);
}

function outputOf(events: readonly ResponseEvent[]) {
	const output = new ResponseOutput();
	for (const event of events) {
		output.add(event);
	}
	return output.items();
}

describe('responses: the request', () => {
	const id = (position: number) => `inference/responses-request/${position}`;

	prove([id(1), 'inference/endpoints/3'], 'asks the enterprise host for the model, and streams', async context => {
		const events = await arrives(context, asking('text'));
		const { host, method, path, headers } = context.lastRequest();
		assert.deepEqual([host, method, path], ['enterprise', 'POST', '/v1/responses']);
		assert.equal(headers.authorization, `Bearer ${context.server.keys.inference}`);
		assert.equal(headers['content-type'], 'application/json');
		assert.equal(ofType(events, 'response.completed')[0]?.response?.model, openModel.id);
		assert.equal(textOf(events), TEXT);
		await refuses(context, { model: undefined }, /^model is missing/);
	});

	prove('inference/endpoints/3', 'is not supported without an enterprise host', async ({ connect, server }) => {
		const { error } = await collect(connect({ enterpriseUrl: undefined }).responses.stream(asking('text')));
		assert.ok(ClientError.is(error, 'not-supported'));
		assert.deepEqual(server.received, []);
	});

	prove([id(2), 'unspecified/inference/7'], 'demands instructions for code-oriented models alone', async context => {
		await arrives(context, asking('text', code));
		for (const instructions of [undefined, '']) {
			await refuses(context, { model: codeModel.id, instructions }, /^instructions is missing/);
		}
		await arrives(context, asking('text'));
	});

	prove(id(3), 'sends input as a list, in order, and refuses a text', async context => {
		await arrives(context, { model: openModel.id, input: [user('one'), user('two'), user('text')] });
		await refuses(context, { input: 'text' }, /^input is a text; allowed: a list/);
	});

	for (const [position, field, value] of [
		[4, 'store', false],
		[5, 'stream', true],
	] as const) {
		prove([id(position), 'unspecified/inference/7'], `fills ${field} in, and refuses another`, async context => {
			await arrives(context, asking('text', code));
			await arrives(context, asking('text', { ...code, [field]: value }));
			assert.equal((context.lastRequest().json as Record<string, unknown>)[field], value);
			await refuses(context, { [field]: !value }, new RegExp(`^${field} is ${!value}; allowed: ${value}$`));
		});
	}

	prove(id(6), 'sends flat tools, and refuses nested ones', async context => {
		const events = await arrives(context, asking('tools', { tools }));
		assert.deepEqual(
			outputOf(events).map(item => item.type === 'function_call' && item.name),
			['tide', 'wind'],
		);
		await arrives(context, asking('text', { tools: [{ type: 'function', name: 'bare' }] }));
		const { type, ...nested } = tool('tide');
		await refuses(context, { tools: [{ type, function: nested }] }, /^tools\[0\]\.function is an object.*flat/);
	});

	prove(id(7), 'sends tool_choice, and refuses required', async context => {
		const called = async (choice: ResponsesRequest['tool_choice'], scenario: string) =>
			outputOf(await arrives(context, asking(scenario, { tools, tool_choice: choice }))).map(item =>
				item.type === 'function_call' ? item.name : item.type,
			);
		assert.deepEqual(await called('auto', 'tools'), ['tide', 'wind']);
		assert.deepEqual(await called('none', 'tools'), ['message']);
		assert.deepEqual(await called({ type: 'function', name: 'moon' }, 'text'), ['moon']);
		await refuses(context, { tools, tool_choice: 'required' }, /^tool_choice .*allowed: "auto", "none" or/);
	});

	prove(id(8), 'sends parallel_tool_calls', async context => {
		for (const [value, calls] of [
			[true, 2],
			[false, 1],
		] as const) {
			const events = await arrives(context, asking('tools', { tools, parallel_tool_calls: value }));
			assert.equal(outputOf(events).length, calls);
		}
		await refuses(context, { parallel_tool_calls: 'yes' }, /^parallel_tool_calls is a text/);
	});

	prove(id(9), 'refuses previous_response_id, and never sends one', async context => {
		await refuses(context, { previous_response_id: 'resp_60b2f7' }, /^previous_response_id is a text; not allowed/);
		await answered(context, asking('text'));
		assert.ok(!context.lastRequest().text.includes('previous_response_id'));
	});

	prove(id(10), 'sends structured messages, and refuses other parts', async context => {
		const input: ResponsesRequest['input'] = [
			{ type: 'message', role: 'system', content: [{ type: 'input_text', text: 'Be brief.' }] },
			{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'At seven.' }] },
			{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'tools' }] },
		];
		const events = await arrives(context, { model: openModel.id, input, tools });
		assert.equal(outputOf(events).length, 2);
		for (const part of [
			{ type: 'input_image', image_url: 'a' },
			{ type: 'text', text: 'a' },
		]) {
			const message = { type: 'message', role: 'user', content: [part] };
			await refuses(
				context,
				{ input: [message] },
				new RegExp(`^input\\[0\\]\\.content\\[0\\]\\.type is "${part.type}"`),
			);
		}
	});

	prove(id(11), 'sends simple messages, and refuses other roles', async context => {
		const input: ResponsesRequest['input'] = [
			{ role: 'system', content: 'Be brief.' },
			{ role: 'assistant', content: 'At seven.' },
			user('tools'),
		];
		assert.equal(outputOf(await arrives(context, { model: openModel.id, input, tools })).length, 2);
		await refuses(context, { input: [{ role: 'tool', content: 'a' }] }, /^input\[0\]\.role is "tool"/);
	});

	const loop = [id(12), id(13), 'inference/events/prose/1', 'inference/states-and-transitions/prose/2'];
	prove(loop, 'answers calls in a loop: echoes each call, then its result', async context => {
		const first = asking('tools', { tools });
		const output = outputOf(await answered(context, first));
		const results = output.flatMap(item =>
			item.type === 'function_call' ? [resultOf(item, `${item.name}: 3 m`)] : [],
		);
		const input = [...first.input, ...inputItemsOf(output), ...results];
		const events = await arrives(context, { ...first, input });
		assert.equal(textOf(events), 'The tools said: tide: 3 m;wind: 3 m;');
		const [, ...appended] = (context.lastRequest().json as { input: Record<string, unknown>[] }).input;
		assert.deepEqual(
			appended.map(({ type, call_id }) => [type, call_id]),
			[
				['function_call', 'call_0_tide'],
				['function_call', 'call_1_wind'],
				['function_call_output', 'call_0_tide'],
				['function_call_output', 'call_1_wind'],
			],
		);
		assert.deepEqual(Object.keys(appended[0] ?? {}).sort(), ['arguments', 'call_id', 'name', 'type']);
		assert.equal(JSON.parse(String(appended[0]?.['arguments'])).day, 1);
	});
});

describe('responses: the events', () => {
	const id = (position: number) => `inference/events/${position}`;
	const text = (context: ProofContext) => answered(context, asking('text'));
	const calls = (context: ProofContext) => answered(context, asking('tools', { tools }));

	for (const [position, type] of [
		[1, 'response.created'],
		[2, 'response.in_progress'],
	] as const) {
		prove(id(position), `gives ${type} with the response so far`, async context => {
			const events = await text(context);
			assert.equal(events[position - 1]?.type, type);
			const [event, ...more] = ofType(events, type);
			assert.deepEqual(more, []);
			assert.equal(event?.response?.object, 'response');
			assert.equal(event?.response?.status, 'in_progress');
			assert.deepEqual(event?.response?.output, []);
		});
	}

	prove(id(3), 'gives response.output_item.added with its item', async context => {
		const [message, ...none] = ofType(await text(context), 'response.output_item.added');
		assert.ok(message?.item?.type === 'message');
		assert.equal(message.item.role, 'assistant');
		assert.equal(message.item.status, 'in_progress');
		assert.deepEqual(none, []);
		const added = ofType(await calls(context), 'response.output_item.added');
		assert.deepEqual(
			added.map(({ output_index: index, item }) => [index, item?.type === 'function_call' && item.name]),
			[
				[0, 'tide'],
				[1, 'wind'],
			],
		);
	});

	prove([id(4), id(7)], 'gives response.content_part.added and .done with their parts', async context => {
		const events = await text(context);
		const added = ofType(events, 'response.content_part.added');
		const done = ofType(events, 'response.content_part.done');
		assert.deepEqual([added.length, done.length], [1, 1]);
		assert.deepEqual([added[0]?.part?.type, added[0]?.part?.text], ['output_text', '']);
		assert.deepEqual([done[0]?.part?.type, done[0]?.part?.text], ['output_text', TEXT]);
		assert.deepEqual(done[0]?.part?.annotations, annotations);
	});

	prove(id(5), 'gives each response.output_text.delta as it came', async context => {
		const deltas = ofType(await text(context), 'response.output_text.delta');
		assert.deepEqual(
			deltas.map(({ delta }) => delta),
			chatReply.pieces,
		);
	});

	prove(id(6), 'gives response.output_text.done with the whole text', async context => {
		const done = ofType(await text(context), 'response.output_text.done');
		assert.deepEqual(
			done.map(({ text }) => text),
			[TEXT],
		);
	});

	prove(id(8), 'gives response.output_item.done, with a tool call that is whole', async context => {
		const [message] = ofType(await text(context), 'response.output_item.done');
		assert.ok(message?.item?.type === 'message');
		assert.deepEqual(
			message.item.content.map(({ text }) => text),
			[TEXT],
		);
		const done = ofType(await calls(context), 'response.output_item.done');
		assert.equal(done.length, 2);
		for (const { item } of done) {
			assert.ok(item?.type === 'function_call');
			assert.equal(item.call_id, `call_${item.name === 'tide' ? 0 : 1}_${item.name}`);
			assert.equal(JSON.parse(item.arguments ?? '').day, 1);
			assert.equal(item.status, 'completed');
		}
	});

	prove([id(9), id(10)], 'joins the pieces of arguments to what is told as the whole', async context => {
		const events = await calls(context);
		const done = ofType(events, 'response.function_call_arguments.done');
		assert.equal(done.length, 2);
		for (const { item_id: item, arguments: whole } of done) {
			const pieces = ofType(events, 'response.function_call_arguments.delta').filter(piece => piece.item_id === item);
			assert.ok(pieces.length > 1);
			assert.equal(pieces.map(({ delta }) => delta).join(''), whole);
			assert.equal(JSON.parse(whole ?? '').day, 1);
		}
		// Without the events of finished items, the pieces alone lead to the same calls.
		const pieces = events.filter(({ type }) => !/item\.done|arguments\.done|completed/.test(type));
		const argumentsOf = (items: ReturnType<typeof outputOf>) =>
			items.map(item => item.type === 'function_call' && item.arguments);
		assert.deepEqual(argumentsOf(outputOf(pieces)), argumentsOf(outputOf(events)));
	});

	prove(
		[id(11), 'inference/states-and-transitions/prose/3'],
		'ends with response.completed: the whole output and the usage',
		async context => {
			const events = await text(context);
			const { response } = events.at(-1) as EventOf<'response.completed'>;
			assert.deepEqual(response?.usage, responsesUsage);
			assert.equal(response?.status, 'completed');
			assert.equal(response?.created_at, 1_751_300_999);
			assert.deepEqual(
				response?.output,
				ofType(events, 'response.output_item.done').map(({ item }) => item),
			);
			for (const scenario of ['none', 'null']) {
				const last = (await answered(context, asking(scenario))).at(-1) as EventOf<'response.completed'>;
				assert.equal(last.response?.usage, undefined);
				assert.equal(textOf(await answered(context, asking(scenario))), TEXT);
			}
		},
	);

	const shapes = ['inference/responses-request/prose/1', 'inference/responses-request/prose/2'];
	prove([id(11), ...shapes], 'ends with a response that has every documented field', async context => {
		const { response } = (await text(context)).at(-1) as EventOf<'response.completed'>;
		const part = { type: 'output_text', text: TEXT, annotations };
		const message = { id: 'msg_93ac', type: 'message', role: 'assistant', status: 'completed', content: [part] };
		assert.deepEqual(response, {
			id: 'resp_60b2f7',
			object: 'response',
			created_at: 1_751_300_999,
			model: openModel.id,
			status: 'completed',
			output: [message],
			usage: responsesUsage,
		});
		const called = (await calls(context)).at(-1) as EventOf<'response.completed'>;
		const [call] = called.response?.output ?? [];
		assert.ok(call?.type === 'function_call');
		const { arguments: given, ...fields } = call;
		const id = 'call_0_tide';
		assert.deepEqual(fields, { id: `fc_${id}`, type: 'function_call', name: 'tide', call_id: id, status: 'completed' });
		assert.equal(typeof JSON.parse(given ?? ''), 'object');
	});

	prove(id(11), 'is truncated without response.completed, after what came', async ({ client }) => {
		const { events, error } = await collect(client.responses.stream(asking('cut')));
		assert.ok(ClientError.is(error, 'truncated'));
		assert.equal(textOf(events), chatReply.pieces.slice(0, 2).join(''));
	});

	prove(
		['inference/versioning/1', 'unspecified/inference/15'],
		'ignores events and keeps items that are not documented',
		async context => {
			const { client, server } = context;
			const item = { type: 'web_search_call', id: 'ws_1', status: null };
			const names = ['response.queued', 'response.reasoning_summary_text.delta', 'response.web_search_call.searching'];
			const unknown: SentEvent[] = names.map(event => ({ event, data: { type: event, item_id: 'rs_1' } }));
			server.answer(isResponses, {
				status: 200,
				headers: { 'content-type': 'text/event-stream' },
				events: [
					...unknown,
					{ event: 'response.output_text.delta', data: { type: 'response.output_text.delta', delta: 'a', extra: [1] } },
					...unknown,
					{
						event: 'response.completed',
						data: { type: 'response.completed', response: { output: [item], tier: 'x' } },
					},
				],
			});
			const events = await answered({ client }, asking('text'));
			assert.deepEqual(
				events.map(({ type }) => type),
				['response.output_text.delta', 'response.completed'],
			);
			assert.deepEqual(events[0]?.['extra'], [1]);
			assert.deepEqual(outputOf(events), [{ type: 'other', received: item }]);
		},
	);

	prove('unspecified/inference/15', 'ends with failed, incomplete and error, after what came', async ({ client }) => {
		for (const [scenario, code, said] of [
			['failed', 'server', 'The model failed'],
			['error-midway', 'upstream', 'The provider broke off'],
			['incomplete', 'truncated', 'max_output_tokens'],
		] as const) {
			const { events, error } = await collect(client.responses.stream(asking(scenario)));
			assert.ok(ClientError.is(error, code), String(error));
			assert.equal(error.serviceMessage, said);
			assert.equal(textOf(events), chatReply.pieces.slice(0, 2).join(''));
		}
	});

	prove(
		['inference/zero-data-retention-zdr/3', 'unspecified/inference/15'],
		'sends encrypted reasoning back byte for byte, and asks for none',
		async context => {
			const first = asking('tools', { ...code, tools });
			const output = outputOf(await arrives(context, first));
			const [reasoning] = output;
			assert.ok(reasoning?.type === 'reasoning');
			const results = output.flatMap(item => (item.type === 'function_call' ? [resultOf(item, 'calm')] : []));
			const input = [...first.input, ...inputItemsOf(output), ...results];
			const events = await arrives(context, { ...first, input });
			assert.equal(textOf(events), 'The tools said: calm;calm;');
			// The server accepts only reasoning items that it has sent.
			assert.ok(context.lastRequest().text.includes(JSON.stringify(reasoning)));
		},
	);
});

describe('responses: the errors', () => {
	const correct = { ...code, input: [user('text')], store: false, stream: true };
	for (const [position, field, message, body] of [
		[1, 'instructions', 'Instructions are required', { ...correct, instructions: undefined }],
		[2, 'input', 'Input must be a list', { ...correct, input: 'text' }],
		[3, 'store', 'Store must be set to false', { ...correct, store: true }],
		[4, 'stream', 'Stream must be set to true', { ...correct, stream: false }],
		[
			5,
			'previous_response_id',
			'Unsupported parameter: previous_response_id',
			{ ...correct, previous_response_id: 'resp_1' },
		],
	] as const) {
		prove(
			[`inference/errors/${position}`, 'unspecified/inference/14'],
			`tells of ${field} by its message, whatever the status`,
			async ({ client, server }) => {
				// The client itself sends no such request, so the server's answer to one is played back to it.
				const refusal = await fetch(`${server.hosts.enterprise}/v1/responses`, {
					method: 'POST',
					headers: { authorization: `Bearer ${server.keys.inference}`, 'content-type': 'application/json' },
					body: JSON.stringify(body),
				});
				const json: unknown = await refusal.json();
				// 429 and 503 are retried first.
				for (const status of [400, 401, 404, 422, 429, 500, 503]) {
					server.answer(isResponses, { status, headers: { 'content-type': 'application/json' }, json });
					const { error } = await collect(client.responses.stream(asking('text')));
					assert.ok(ClientError.is(error, 'invalid-request'), String(error));
					assert.equal(error.message, `the service refused ${field} of the request`);
					assert.equal(error.serviceMessage, message);
					assert.equal(error.status, status);
				}
			},
		);
	}

	const shape = ['inference/errors/prose/1', 'inference/errors/prose/2'];
	prove(
		['inference/errors/1', ...shape],
		'tells of a parameter that the service misses',
		async ({ client, server }) => {
			const error = { code: '400', message: 'Missing required parameter: model' };
			server.answer(isResponses, { status: 400, headers: {}, json: { error } });
			const refused = (await collect(client.responses.stream(asking('text')))).error;
			assert.ok(ClientError.is(refused, 'invalid-request'));
			assert.deepEqual([refused.status, refused.serviceMessage], [400, error.message]);
		},
	);

	prove('inference/errors/1', 'tells what the service says of a model that is not marked', async ({ connect }) => {
		const { error } = await collect(connect({ models: [] }).responses.stream(asking('text', { model: codeModel.id })));
		assert.ok(isRefusal(error));
		assert.equal((error as ClientError).serviceMessage, 'Instructions are required');
	});
});
