import assert from 'node:assert/strict';
import { beginEvents, sendEvents, sendJson } from '../../../support/faultServer.ts';
import { messageEnd, textBlock, thinkingBlock, toolBlock, type WireEvent } from '../../../support/messagesWire.ts';
import { chunk, DONE } from '../../client/chatWire.ts';
import { eventsOf } from '../../service/helpers.ts';
import { useClientModels } from './clientModelsHarness.ts';

const PATH = '/v1/messages';
const body = { model: 'claude-any', max_tokens: 50, messages: [{ role: 'user', content: 'Add mul' }] };
const served = { id: 'up-1', model: 'large:77', provider: 'alpha' };
const usage = {
	prompt_tokens: 12,
	completion_tokens: 5,
	total_tokens: 17,
	prompt_tokens_details: { cached_tokens: 8 },
};

describe('the Messages form by the client of a connection', () => {
	const models = useClientModels();

	async function eventsIn(reply: Response): Promise<WireEvent[]> {
		const events: WireEvent[] = [];
		for await (const { name, data } of eventsOf(reply)) {
			const event = JSON.parse(data) as WireEvent;
			assert.equal(name, event.type);
			events.push(event);
		}
		return events;
	}

	const fragment = (fields: object) => chunk({ tool_calls: [fields] }, served);

	it('streams reasoning, text, calls and usage, and tells the host who served', async () => {
		const { post, calls, failures } = await models.open(response =>
			sendEvents(
				response,
				chunk({ role: 'assistant', reasoning_content: 'Hm.' }, served),
				chunk({ content: 'Hello' }, served),
				fragment({ index: 0, id: 'call_1', function: { name: 'read', arguments: '{"pa' } }),
				fragment({ index: 0, function: { arguments: 'th":1}' } }),
				chunk({}, served, { finish_reason: 'tool_calls' }),
				chunk({}, { ...served, choices: [], usage }),
				DONE,
			),
		);
		const [first, , ...rest] = await eventsIn(await post(`${PATH}?beta=true`, { ...body, stream: true }));
		assert.ok(first);
		const { id, model } = first['message'] as { id: string; model: string };
		assert.deepEqual([id, model], ['up-1', 'large:77']);
		assert.deepEqual(rest, [
			...thinkingBlock(0, 'errand-unsigned', 'Hm.'),
			...textBlock(1, 'Hello'),
			...toolBlock(2, 'call_1', 'read', '{"pa', 'th":1}'),
			...messageEnd('tool_use', {
				input_tokens: 4,
				cache_creation_input_tokens: 0,
				cache_read_input_tokens: 8,
				output_tokens: 5,
			}),
		]);
		assert.deepEqual(failures, []);
		assert.equal(calls.length, 1);
		assert.equal(calls[0]?.provider, 'alpha');
		assert.equal(calls[0]?.usage?.prompt_tokens, 12);
	});

	it('answers in one piece unless a stream is asked for', async () => {
		const { post } = await models.open(response =>
			sendEvents(response, chunk({ content: 'Hello' }), chunk({}, { usage }, { finish_reason: 'length' }), DONE),
		);
		const reply = await post(PATH, body);
		assert.match(reply.headers.get('content-type') ?? '', /^application\/json/);
		const message = (await reply.json()) as Record<string, unknown>;
		assert.deepEqual(message['content'], [{ type: 'text', text: 'Hello' }]);
		assert.equal(message['stop_reason'], 'max_tokens');
		assert.equal(message['model'], 'large');
	});

	it('asks for the session’s model with its policy, and sends nothing that the contract has not', async () => {
		const { post } = await models.open(
			response => sendEvents(response, chunk({ content: 'a' }, {}, { finish_reason: 'stop' }), DONE),
			{
				provider: { zdr: true },
				maxOutputTokens: 20,
			},
		);
		const turn = {
			role: 'assistant',
			content: [
				{ type: 'thinking', thinking: 'Hm', signature: 'c2ln' },
				{ type: 'text', text: 'Hi' },
			],
		};
		await post(PATH, {
			...body,
			models: ['dear'],
			provider: { zdr: false, only: ['nobody'] },
			user: 'u',
			seed: 3,
			metadata: { user_id: 'u' },
			thinking: { type: 'enabled', budget_tokens: 2_000 },
			messages: [...body.messages, turn, { role: 'user', content: 'Go on' }],
		});
		assert.deepEqual(models.bodies, [
			{
				model: 'large',
				max_tokens: 20,
				seed: 3,
				provider: { zdr: true },
				stream: true,
				messages: [...body.messages, { role: 'assistant', content: 'Hi' }, { role: 'user', content: 'Go on' }],
			},
		]);
	});

	it('estimates the tokens of a request, and asks nobody', async () => {
		const { post, calls } = await models.open(() => assert.fail('it was asked'));
		const reply = await post('/messages/count_tokens', { messages: body.messages });
		assert.equal(reply.status, 200);
		const { input_tokens } = (await reply.json()) as { input_tokens: number };
		assert.ok(input_tokens > 2 && input_tokens < 20, String(input_tokens));
		assert.deepEqual(calls, []);
	});

	it('refuses in the words of the form: a wrong token, a request that means nothing, and what the service refuses', async () => {
		const errorOf = async (reply: Response) => {
			const { type, error } = (await reply.json()) as { type: string; error: { type: string; message: string } };
			assert.equal(type, 'error');
			return [reply.status, error.type, error.message];
		};
		const { relay, post, failures } = await models.open(response =>
			sendJson(response, 402, { error: { message: 'There is no credit left' } }),
		);
		const headers = { 'x-api-key': 'wrong' };
		const [status, type] = await errorOf(await fetch(`${relay.url}${PATH}`, { method: 'POST', headers, body: '{}' }));
		assert.deepEqual([status, type], [401, 'authentication_error']);
		const unpaid = await post(PATH, { ...body, stream: true });
		assert.deepEqual(await errorOf(unpaid), [402, 'billing_error', 'There is no credit left']);
		assert.deepEqual(failures, [{ code: 'payment-required', endpoint: 'messages' }]);
		const broken = { role: 'user', content: [{ type: 'tool_result' }] };
		const [code, kind, message] = await errorOf(await post(PATH, { ...body, messages: [broken] }));
		assert.deepEqual([code, kind], [400, 'invalid_request_error']);
		assert.match(String(message), /^messages\[0\]\.content\[0\]\.tool_use_id/);
		assert.deepEqual(await errorOf(await post('/v1/messages/count_tokens', '{')), [
			400,
			'invalid_request_error',
			'The request body is not valid JSON, or nested too deeply.',
		]);
	});

	it('lets an agent in by the form’s own header', async () => {
		const { relay } = await models.open(response =>
			sendEvents(response, chunk({ content: 'a' }, {}, { finish_reason: 'stop' }), DONE),
		);
		const headers = { 'x-api-key': relay.token };
		const reply = await fetch(`${relay.url}${PATH}`, { method: 'POST', headers, body: JSON.stringify(body) });
		assert.equal(reply.status, 200);
	});

	it('says that a conversation is too long in the words that agents of this form look for', async () => {
		const said = "This model's maximum context length is 8192 tokens";
		const { post } = await models.open(response => sendJson(response, 400, { error: { message: said } }));
		for (const stream of [true, false]) {
			const reply = await post(PATH, { ...body, stream });
			const { error } = (await reply.json()) as { error: object };
			const message = `prompt is too long: ${said}`;
			assert.deepEqual([reply.status, error], [400, { type: 'invalid_request_error', message }]);
		}
		const begun = await models.open(response => {
			beginEvents(response);
			response.write(chunk({ content: 'Hel' }));
			response.end(`data: ${JSON.stringify({ error: { message: 'Prompt is too long', code: 400 } })}\n\n`);
		});
		const events = await eventsIn(await begun.post(PATH, { ...body, stream: true }));
		const { error } = events.at(-1) as unknown as { error: { message: string } };
		assert.match(error.message, /^Prompt is too long/);
	});

	it('ends a stream that breaks off with an error, and leaves a call that was cut out of a whole message', async () => {
		const { post, calls } = await models.open(response => {
			beginEvents(response);
			response.write(chunk({ content: 'Hel' }));
			response.end();
		});
		const events = await eventsIn(await post(PATH, { ...body, stream: true }));
		const { error } = events.at(-1) as unknown as { error: { type: string } };
		assert.equal(error.type, 'api_error');
		assert.equal(calls[0]?.outcome, 'failed');
		const broken = await models.open(response =>
			sendEvents(
				response,
				fragment({ index: 0, id: 'a', function: { name: 'read', arguments: '{"a":' } }),
				chunk({}, {}, { finish_reason: 'tool_calls' }),
				DONE,
			),
		);
		const { content, stop_reason } = (await (await broken.post(PATH, body)).json()) as Record<string, unknown>;
		assert.deepEqual([content, stop_reason], [[], 'max_tokens']);
		assert.deepEqual(broken.failures, []);
	});
});
