import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { ServiceProcess } from '../../../support/serviceProcess.ts';
import { UpstreamServer } from '../../../support/upstreamServer.ts';
import { waitFor } from '../../../support/waitFor.ts';
import { eventsOf } from '../helpers.ts';

interface SentEvent {
	[field: string]: unknown;
	type: string;
	sequence_number: number;
	output_index?: number;
	item?: Record<string, unknown>;
	response?: { status: string; output: Record<string, unknown>[]; [field: string]: unknown };
}

const delta = (fields: object, finish_reason: string | null = null) => ({
	choices: [{ index: 0, delta: fields, finish_reason }],
});
const fragment = (index: number, id: string | undefined, name: string | undefined, text: string) =>
	delta({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: text } }] });

const tool = { type: 'function', name: 'tide', description: 'Reads it', parameters: { type: 'object' } };
const user = (content: string) => ({ role: 'user', content });

describe('responses over an upstream', () => {
	let service: ServiceProcess;
	let upstream: UpstreamServer;

	before(async () => {
		upstream = await UpstreamServer.start();
		service = await ServiceProcess.start({
			handover: {
				findOllama: false,
				upstreams: [
					{
						slug: 'up',
						url: upstream.url,
						models: [{ id: 'small' }, { id: 'thinking', takesReasoning: true }, { id: 'coder', codeOriented: true }],
					},
				],
			},
		});
	});
	after(async () => {
		await service.stop();
		await upstream.stop();
	});
	beforeEach(() => {
		upstream.behaviour = {};
		upstream.requests.length = 0;
	});

	const post = (body: object) =>
		service.fetch('/enterprise/v1/responses', {
			json: { model: 'small', input: [user('Hello')], stream: true, ...body },
		});

	async function streamed(body: object = {}): Promise<SentEvent[]> {
		const events: SentEvent[] = [];
		for await (const { name, data } of eventsOf(await post(body))) {
			const event = JSON.parse(data) as SentEvent;
			assert.equal(event.type, name);
			assert.equal(event.sequence_number, events.length);
			events.push(event);
		}
		return events;
	}

	/** The last event, which tells of the whole response. */
	async function ended(status: string, body: object = {}): Promise<NonNullable<SentEvent['response']>> {
		const last = (await streamed(body)).at(-1);
		assert.equal(last?.type, `response.${status}`, JSON.stringify(last));
		assert.ok(last.response);
		assert.equal(last.response.status, status);
		return last.response;
	}

	const callsOf = (output: Record<string, unknown>[]) =>
		output
			.filter(({ type }) => type === 'function_call')
			.map(({ call_id, name, arguments: text }) => [call_id, name, text]);

	describe('what the upstream is sent', () => {
		it('has items of an earlier response that came back unchanged, and tools that say whether they are strict', async () => {
			const call = { type: 'function_call', name: 'tide', call_id: 'c1', arguments: '{}' };
			const part = { type: 'output_text', text: 'Wait', annotations: [], logprobs: [] };
			const input = [
				{ role: 'developer', content: [{ type: 'input_text', text: 'Be brief' }] },
				user('Hello'),
				{ id: 'msg_1', type: 'message', role: 'assistant', status: 'completed', content: [part] },
				{ id: 'fc_1', status: 'completed', ...call },
				{ type: 'function_call_output', call_id: 'c1', output: 'high' },
			];
			const include = ['reasoning.encrypted_content'];
			await streamed({ input, include, tools: [{ ...tool, strict: false }], instructions: null });
			const sent = upstream.chats[0]?.body;
			assert.deepEqual(sent?.['messages'], [
				{ role: 'system', content: 'Be brief' },
				user('Hello'),
				{
					role: 'assistant',
					content: 'Wait',
					tool_calls: [{ id: 'c1', type: 'function', function: { name: 'tide', arguments: '{}' } }],
				},
				{ role: 'tool', tool_call_id: 'c1', content: 'high' },
			]);
			assert.doesNotMatch(JSON.stringify(sent?.['tools']), /strict/);
			const refused = await post({ include: ['message.output_text.logprobs'] });
			assert.equal(refused.status, 400);
			assert.match(await refused.text(), /include/);
		});

		it('is the conversation in the shape of chat, without what only responses has', async () => {
			await ended('completed', {
				instructions: 'Be brief.',
				input: [
					user('One'),
					{ type: 'function_call', name: 'tide', call_id: 'c1', arguments: '{"day":1}' },
					{ type: 'function_call_output', call_id: 'c1', output: 'high' },
				],
				tools: [tool],
				tool_choice: { type: 'function', name: 'tide' },
				parallel_tool_calls: true,
				store: false,
				stream: true,
			});
			const { stream_options, ...body } = upstream.chats[0]?.body ?? {};
			const { type, ...inner } = tool;
			assert.deepEqual(body, {
				model: 'small',
				messages: [
					{ role: 'system', content: 'Be brief.' },
					user('One'),
					{
						role: 'assistant',
						content: '',
						tool_calls: [{ id: 'c1', type: 'function', function: { name: 'tide', arguments: '{"day":1}' } }],
					},
					{ role: 'tool', tool_call_id: 'c1', content: 'high' },
				],
				tools: [{ type, function: inner }],
				tool_choice: { type: 'function', function: { name: 'tide' } },
				stream: true,
			});
		});

		it('has the reasoning of earlier replies only where the model takes it', async () => {
			upstream.behaviour = { chunks: [delta({ reasoning_content: 'Because.' }), delta({ content: 'So.' })] };
			const { output } = await ended('completed');
			const [reasoning, message] = output;
			assert.equal(reasoning?.['type'], 'reasoning');
			const input = [user('One'), reasoning, { role: 'assistant', content: 'So.' }, user('Two')];
			assert.ok(message);
			for (const [model, expected] of [
				['small', { role: 'assistant', content: 'So.' }],
				['thinking', { role: 'assistant', content: 'So.', reasoning: 'Because.' }],
			] as const) {
				await ended('completed', { model, input });
				const [, said] = (upstream.chats.at(-1)?.body['messages'] ?? []) as object[];
				assert.deepEqual(said, expected, model);
			}
		});

		it('is nothing where a code-oriented model is not known to keep no data', async () => {
			const response = await post({ model: 'coder', instructions: 'x', store: false, stream: true });
			assert.equal(response.status, 404);
			assert.match(await response.text(), /provider\.zdr/);
			assert.deepEqual(upstream.chats, []);
		});
	});

	describe('function calls', () => {
		it('keep their fragments apart, however they are mixed', async () => {
			upstream.behaviour = {
				chunks: [
					fragment(0, 'a', 'tide', ''),
					fragment(1, 'b', 'wind', '{"x":'),
					fragment(0, undefined, undefined, '{"y":'),
					fragment(1, undefined, undefined, '1}'),
					fragment(0, undefined, undefined, '2}'),
				],
			};
			const events = await streamed({ tools: [tool] });
			const output = events.at(-1)?.response?.output ?? [];
			assert.deepEqual(callsOf(output), [
				['a', 'tide', '{"y":2}'],
				['b', 'wind', '{"x":1}'],
			]);
			for (const [index, item] of output.entries()) {
				const about = events.filter(event => event['item_id'] === item['id']);
				assert.ok(about.every(event => event.output_index === index));
				const pieces = about.filter(({ type }) => type.endsWith('arguments.delta')).map(event => event['delta']);
				assert.equal(pieces.join(''), item['arguments']);
			}
		});

		it('of one index for all are told apart by their ids', async () => {
			upstream.behaviour = { chunks: [fragment(0, 'a', 'tide', '{}'), fragment(0, 'b', 'wind', '{"x":1}')] };
			const calls = [
				['a', 'tide', '{}'],
				['b', 'wind', '{"x":1}'],
			];
			assert.deepEqual(callsOf((await ended('completed')).output), calls);
			const only = await ended('completed', { parallel_tool_calls: false });
			assert.deepEqual(callsOf(only.output), calls.slice(0, 1));
		});

		it('are cut to the first one where parallel calls are not wanted, with its arguments only', async () => {
			upstream.behaviour = {
				chunks: [
					fragment(0, 'a', 'tide', '{"y":'),
					fragment(1, 'b', 'wind', '{'),
					fragment(0, undefined, undefined, '2}'),
					fragment(1, undefined, undefined, '}'),
				],
			};
			const { output } = await ended('completed', { parallel_tool_calls: false });
			assert.deepEqual(callsOf(output), [['a', 'tide', '{"y":2}']]);
		});

		it('without an id or arguments get them; a name that comes late is waited for', async () => {
			upstream.behaviour = {
				chunks: [
					fragment(0, undefined, 'tide', ''),
					fragment(1, 'b', undefined, '{"x":'),
					fragment(1, 'b', 'wind', '1}'),
				],
			};
			const [[id, ...first] = [], second] = callsOf((await ended('completed')).output);
			assert.match(String(id), /^call_\w+$/);
			assert.deepEqual(first, ['tide', '{}']);
			assert.deepEqual(second, ['b', 'wind', '{"x":1}']);
		});

		it('without a name are no reply', async () => {
			upstream.behaviour = { chunks: [fragment(0, 'a', undefined, '{}')] };
			const { error } = await ended('failed');
			assert.match((error as { message: string }).message, /without naming it/);
		});

		it('are no reply where there are more than any has, named or not', async () => {
			for (const name of ['tide', undefined]) {
				upstream.behaviour = {
					chunks: Array.from({ length: 1100 }, (_, index) => fragment(index, `c${index}`, name, '')),
				};
				const { error } = await ended('failed');
				assert.match((error as { message: string }).message, /more than 1000 items/);
			}
		});

		it('follow text and reasoning as items of their own', async () => {
			upstream.behaviour = {
				chunks: [delta({ reasoning: 'Hm.' }), delta({ content: 'I look.' }), fragment(0, 'a', 'tide', '{}')],
			};
			const events = await streamed();
			assert.deepEqual(
				events.at(-1)?.response?.output.map(({ type, status }) => [type, status]),
				[
					['reasoning', undefined],
					['message', 'completed'],
					['function_call', 'completed'],
				],
			);
			const at = (type: string, index: number) =>
				events.findIndex(event => event.type === type && event.output_index === index);
			assert.ok(at('response.output_item.done', 0) < at('response.output_item.added', 1));
			assert.ok(at('response.output_item.done', 1) < at('response.output_item.added', 2));
		});
	});

	describe('the end', () => {
		it('maps the usage with its details', async () => {
			const usage = {
				prompt_tokens: 7,
				completion_tokens: 5,
				total_tokens: 12,
				prompt_tokens_details: { cached_tokens: 3 },
				completion_tokens_details: { reasoning_tokens: 2 },
			};
			upstream.behaviour = {
				isForgetful: true,
				chunks: [delta({ content: 'x' }), delta({}, 'stop'), { choices: [], usage }],
			};
			assert.deepEqual((await ended('completed'))['usage'], {
				input_tokens: 7,
				output_tokens: 5,
				total_tokens: 12,
				input_tokens_details: { cached_tokens: 3 },
				output_tokens_details: { reasoning_tokens: 2 },
			});
		});

		it('makes no usage up where the upstream tells none', async () => {
			upstream.behaviour = { isForgetful: true, chunks: [delta({ content: 'x' }), delta({}, 'stop')] };
			assert.equal((await ended('completed'))['usage'], null);
		});

		it('says that a reply was cut to a length or filtered, and keeps what there is', async () => {
			for (const [finish, reason] of [
				['length', 'max_output_tokens'],
				['content_filter', 'content_filter'],
			] as const) {
				upstream.behaviour = { isForgetful: true, chunks: [delta({ content: 'Half' }), delta({}, finish)] };
				const response = await ended('incomplete');
				assert.deepEqual(response['incomplete_details'], { reason });
				assert.equal(response.output[0]?.['status'], 'incomplete');
				assert.match(JSON.stringify(response.output[0]?.['content']), /Half/);
			}
		});

		it('carries sources that come after the text', async () => {
			const annotation = { type: 'url_citation', url_citation: { url: 'https://example.com/', title: 'x' } };
			upstream.behaviour = {
				chunks: [delta({ content: 'So.' }), fragment(0, 'a', 'tide', '{}'), delta({ annotations: [annotation] })],
			};
			const [message] = (await ended('completed')).output;
			const [part] = (message?.['content'] ?? []) as { annotations: object[] }[];
			assert.deepEqual(part?.annotations, [annotation]);
		});

		it('is an error for a reply that is too long to be repeated as a whole', async () => {
			upstream.behaviour = { isEndless: true };
			const { error } = await ended('failed');
			assert.match((error as { message: string }).message, /longer than 1048576 characters/);
			await waitFor('the upstream to be left', () => upstream.chats[0]?.wasAbandoned);
		});

		it('is an error where the upstream fails or breaks off in the middle', async () => {
			for (const behaviour of [{ errorAfter: 1 }, { breaksAfter: 1 }]) {
				upstream.behaviour = { pieces: ['One', 'two', 'three'], ...behaviour };
				const events: SentEvent[] = await streamed();
				assert.equal(events.at(-1)?.type, 'response.failed');
				assert.ok(events.some(({ type }) => type === 'response.output_text.delta'));
			}
		});
	});

	describe('a request without a stream', () => {
		it('is answered with the response as a whole, which is that of the last event', async () => {
			upstream.behaviour = {
				chunks: [delta({ reasoning: 'Hm.' }), delta({ content: 'I look.' }), fragment(0, 'a', 'tide', '{}')],
			};
			const last = await ended('completed', { tools: [tool] });
			for (const stream of [undefined, false, null]) {
				const response = await post({ tools: [tool], stream });
				assert.match(response.headers.get('content-type') ?? '', /^application\/json/);
				const whole = (await response.json()) as typeof last;
				assert.deepEqual([whole['object'], whole.status, whole['usage']], ['response', 'completed', last['usage']]);
				const shapes = ({ output }: typeof last) =>
					output.map(({ type, role, status, name }) => [type, role, status, name]);
				assert.deepEqual(shapes(whole), shapes(last));
			}
		});

		it('says that a reply was cut to a length', async () => {
			upstream.behaviour = { isForgetful: true, chunks: [delta({ content: 'Half' }), delta({}, 'length')] };
			const whole = (await (await post({ stream: undefined })).json()) as Record<string, unknown>;
			assert.deepEqual([whole['status'], whole['incomplete_details']], ['incomplete', { reason: 'max_output_tokens' }]);
		});

		it('is answered with an error where the upstream fails or breaks off in the middle', async () => {
			for (const [behaviour, message] of [
				[{ errorAfter: 1 }, /had an internal error: it broke\.$/],
				[{ breaksAfter: 1 }, /ended its reply early\.$/],
			] as const) {
				upstream.behaviour = { pieces: ['One', 'two'], ...behaviour };
				const response = await post({ stream: undefined });
				assert.equal(response.status, 502);
				const { error } = (await response.json()) as { error: { message: string; code: string } };
				assert.match(error.message, message);
				assert.equal(error.code, '502');
			}
		});

		it('is refused for a code-oriented model, with the documented sentence', async () => {
			for (const stream of [undefined, false]) {
				const response = await post({ model: 'coder', instructions: 'x', store: false, stream });
				assert.equal(response.status, 400);
				assert.match(await response.text(), /"Stream must be set to true"/);
			}
		});
	});

	describe('fields that the contract has for chat only', () => {
		it('reach the upstream under their names there', async () => {
			const schema = { type: 'object', properties: { a: { type: 'string' } } };
			const format = { type: 'json_schema', name: 'reply', schema, strict: true };
			const response = await ended('completed', {
				temperature: 0.5,
				top_p: 0.9,
				max_output_tokens: 7,
				user: 'u',
				text: { format, verbosity: 'low' },
			});
			assert.deepEqual(response['text'], { format }, 'the response repeats the form, by which clients read it');
			const { messages, model, stream, stream_options, ...sent } = upstream.chats[0]?.body ?? {};
			assert.deepEqual(sent, {
				temperature: 0.5,
				top_p: 0.9,
				max_tokens: 7,
				user: 'u',
				response_format: { type: 'json_schema', json_schema: { name: 'reply', schema, strict: true } },
			});
		});

		it('are refused outside their ranges and forms, by their names', async () => {
			for (const [body, named] of [
				[{ temperature: 3 }, /temperature/],
				[{ max_output_tokens: 0 }, /max_output_tokens/],
				[{ text: { format: { type: 'grammar' } } }, /text\.format/],
				[{ text: { undocumented: 1 } }, /undocumented/],
			] as const) {
				const response = await post(body);
				assert.equal(response.status, 400, JSON.stringify(body));
				assert.match(await response.text(), named);
			}
			assert.equal(upstream.chats.length, 0);
		});

		it('are none for a plain text', async () => {
			await ended('completed', { text: { format: { type: 'text' } } });
			assert.ok(!('response_format' in (upstream.chats[0]?.body ?? {})));
		});
	});

	it('takes fields that change no answer, in the request, its items and its tools, and names them in the log', async () => {
		const part = { type: 'output_text', text: 'Wait', annotations: [], parsed: null };
		await ended('completed', {
			input: [
				{ type: 'message', role: 'user', content: 'Hello' },
				{ type: 'message', id: 'm', status: 'completed', role: 'assistant', content: [part] },
				{ type: 'function_call', name: 'tide', call_id: 'c1', arguments: '{}', parsed_arguments: {} },
				{ type: 'function_call_output', call_id: 'c1', output: [{ type: 'input_text', text: 'high' }] },
			],
			metadata: { secret: 'value' },
			reasoning: { effort: 'low' },
			truncation: 'disabled',
			prompt_cache_key: 'k',
			service_tier: 'auto',
			background: false,
		});
		const messages = (upstream.chats[0]?.body['messages'] ?? []) as { role: string; content: string }[];
		assert.deepEqual(
			messages.map(({ role, content }) => [role, content]),
			[
				['user', 'Hello'],
				['assistant', 'Wait'],
				['tool', 'high'],
			],
		);
		const log = await readFile(path.join(service.stateFolder, 'service.log'), 'utf8');
		for (const field of ['metadata', 'reasoning', 'input.parsed_arguments', 'input.content.annotations']) {
			assert.equal(log.split(` changes no answer field=${field}\n`).length, 2, field);
		}
		assert.doesNotMatch(log, /secret|value/);
	});

	it('refuses what it cannot do, with the name of the field', async () => {
		for (const [field, value] of Object.entries({ truncation: 'auto', background: true, conversation: 'c' })) {
			const response = await post({ [field]: value });
			assert.equal(response.status, 400);
			assert.match(await response.text(), new RegExp(field));
		}
	});

	it('gives an error before the first byte as a status, with the status as its code', async () => {
		upstream.behaviour = { status: 429, headers: { 'retry-after': '7' } };
		const response = await post({});
		assert.equal(response.status, 429);
		assert.equal(response.headers.get('retry-after'), '7');
		const { error } = (await response.json()) as { error: { code: string; message: string } };
		assert.equal(error.code, '429');
		assert.match(error.message, /^up is limiting requests/);
	});

	it('leaves the upstream when the client goes, before the first byte and after it', async () => {
		for (const behaviour of [{ firstMs: 20_000 }, { isEndless: true }]) {
			upstream.behaviour = behaviour;
			upstream.requests.length = 0;
			const gone = new AbortController();
			const fetching = service.fetch('/enterprise/v1/responses', {
				json: { model: 'small', input: [user('Hello')] },
				signal: gone.signal,
			});
			fetching.catch(() => {});
			await waitFor('the request to reach the upstream', () => upstream.chats.length === 1);
			if (behaviour.isEndless) {
				await (await fetching).body?.getReader().read();
			}
			gone.abort();
			await waitFor('the upstream to be left', () => upstream.chats[0]?.wasAbandoned);
		}
	});
});
