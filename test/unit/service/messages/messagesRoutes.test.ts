import assert from 'node:assert/strict';
import { systemClock } from '../../../../src/base/async.ts';
import { createLogger } from '../../../../src/base/logger.ts';
import { IdleWatch } from '../../../../src/service/idleWatch.ts';
import { ServerSeal } from '../../../../src/service/inference/serverSeal.ts';
import { registerMessagesRoutes } from '../../../../src/service/messages/messagesRoutes.ts';
import { createApp, type ServiceServer, startServer } from '../../../../src/service/server.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import {
	messageEnd,
	messageStart,
	textBlock,
	thinkingBlock,
	toolBlock,
	type WireEvent,
} from '../../../support/messagesWire.ts';
import type { UpstreamBehaviour } from '../../../support/upstreamServer.ts';
import { waitFor } from '../../../support/waitFor.ts';
import { eventsOf } from '../helpers.ts';
import { type GatewayHarness, type UpstreamInput, useGateway } from '../inference/gatewayHarness.ts';

const delta = (fields: object, finish_reason: string | null = null) => ({
	choices: [{ index: 0, delta: fields, finish_reason }],
});
const user = (content: unknown) => ({ role: 'user', content });

describe('the Messages form at the local service', () => {
	const start = useGateway();
	const idleWatch = new IdleWatch({ idleMs: 60_000, isBusy: () => false, onIdle: () => {} });
	let harness: GatewayHarness;
	let server: ServiceServer;
	let log: string[];

	async function serve(behaves: UpstreamBehaviour, upstream: UpstreamInput = {}, clock = systemClock): Promise<void> {
		harness = await start({ one: { models: ['small'], behaves, ...upstream } });
		log = [];
		const logger = createLogger('test', (_, line) => log.push(line));
		const app = createApp(logger);
		registerMessagesRoutes(app, { gateway: harness.gateway, logger, clock });
		server = await startServer({ token: 'token', port: 0, app, idleWatch: () => idleWatch });
	}

	afterEach(async () => await server.close(0));
	after(() => idleWatch.dispose());

	const post = (fields: object, path = '/v1/messages', headers: Record<string, string> = { 'x-api-key': 'token' }) =>
		fetch(`${server.address}${path}`, {
			method: 'POST',
			headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', ...headers },
			body: JSON.stringify({ model: 'small', max_tokens: 50, messages: [user('Hello')], ...fields }),
		});

	async function streamed(fields: object = {}, path?: string): Promise<WireEvent[]> {
		const events: WireEvent[] = [];
		for await (const { name, data } of eventsOf(await post({ stream: true, ...fields }, path))) {
			const event = JSON.parse(data) as WireEvent;
			assert.equal(name, event.type);
			events.push(event);
		}
		return events;
	}

	async function errorOf(response: Response): Promise<[number, string]> {
		const { type, error } = (await response.json()) as { type: string; error: { type: string; message: string } };
		assert.equal(type, 'error');
		assert.notEqual(error.message, '');
		return [response.status, error.type];
	}

	it('streams a reply of chat: reasoning, text and calls, with the tokens at the end', async () => {
		const call = (index: number, fields: object) => delta({ tool_calls: [{ index, type: 'function', ...fields }] });
		await serve({
			chunks: [
				delta({ role: 'assistant', reasoning_content: 'Hm.' }),
				delta({ content: 'I ' }),
				delta({ content: 'look.' }),
				call(0, { id: 'call_1', function: { name: 'read', arguments: '{"path"' } }),
				call(0, { function: { arguments: ':"a"}' } }),
				delta({}, 'tool_calls'),
			],
			isForgetful: true,
		});
		for (const path of ['/v1/messages', '/enterprise/v1/messages?beta=true']) {
			const [first, ping, ...rest] = await streamed({}, path);
			assert.ok(first);
			assert.equal(first.type, 'message_start');
			assert.equal((first['message'] as { model: string }).model, 'small');
			assert.equal(ping?.type, 'ping');
			assert.deepEqual(rest, [
				...thinkingBlock(0, 'errand-unsigned', 'Hm.'),
				...textBlock(1, 'I ', 'look.'),
				...toolBlock(2, 'call_1', 'read', '{"path"', ':"a"}'),
				...messageEnd('tool_use', {
					input_tokens: 0,
					cache_creation_input_tokens: 0,
					cache_read_input_tokens: 0,
					output_tokens: 0,
				}),
			]);
		}
		assert.equal(harness.server('one').chats[0]?.body['max_tokens'], 50);
	});

	it('passes a reply of the same form on, with its signatures, reasons and tokens', async () => {
		const usage = { output_tokens: 15, input_tokens: 25, cache_creation_input_tokens: 10, cache_read_input_tokens: 40 };
		const events = [...textBlock(1, 'Hello'), ...messageEnd('stop_sequence', usage, { stop_sequence: 'END' })];
		await serve({ events: [messageStart(), ...thinkingBlock(0, 'c2ln', 'Hm'), ...events] }, { kind: 'messages' });
		const signature = new ServerSeal(harness.server('one').url).seal('c2ln');
		const passedOn = [...thinkingBlock(0, signature, 'Hm'), ...events];
		assert.deepEqual((await streamed({ stop_sequences: ['END'] })).slice(2), passedOn);
		assert.deepEqual(harness.server('one').chats[0]?.body['stop_sequences'], ['END']);
	});

	it('answers with one message where no stream is wanted', async () => {
		await serve({ pieces: ['Hello', ' there'] });
		const response = await post({});
		assert.equal(response.status, 200);
		const { id, ...message } = (await response.json()) as { id: string };
		assert.match(id, /^msg_/);
		assert.deepEqual(message, {
			type: 'message',
			role: 'assistant',
			model: 'small',
			content: [{ type: 'text', text: 'Hello there' }],
			stop_reason: 'end_turn',
			stop_sequence: null,
			usage: { input_tokens: 3, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 2 },
		});
	});

	it('gives a model that takes reasoning its own back, and one call where no more are wanted', async () => {
		const called = ['read', 'list'].map((name, index) =>
			delta({ tool_calls: [{ index, id: name, type: 'function', function: { name, arguments: '{}' } }] }),
		);
		await serve({ chunks: called }, { takesReasoning: true });
		const turn = {
			role: 'assistant',
			content: [
				{ type: 'thinking', thinking: 'Hm', signature: 'errand-unsigned' },
				{ type: 'text', text: 'Hi' },
			],
		};
		const events = await streamed({
			messages: [user('Hello'), turn, user('Go on')],
			tools: [{ name: 'read', input_schema: { type: 'object' } }],
			tool_choice: { type: 'auto', disable_parallel_tool_use: true },
		});
		const [asked] = harness.server('one').chats;
		assert.ok(asked);
		const [, sent] = asked.body['messages'] as { reasoning?: string }[];
		assert.equal(sent?.reasoning, 'Hm');
		assert.equal(events.filter(({ type }) => type === 'content_block_start').length, 1);
	});

	it('counts the tokens of a request', async () => {
		await serve({ events: [], inputTokens: 77 }, { kind: 'messages' });
		const response = await post({ max_tokens: undefined }, '/v1/messages/count_tokens');
		assert.deepEqual([response.status, await response.json()], [200, { input_tokens: 77 }]);
	});

	it('takes the token in the form’s own header or as a bearer, and refuses any other in the form’s own words', async () => {
		await serve({});
		assert.equal((await post({}, '/v1/messages', { authorization: 'Bearer token' })).status, 200);
		assert.deepEqual(await errorOf(await post({}, '/v1/messages', {})), [401, 'authentication_error']);
		assert.deepEqual(await errorOf(await post({}, '/v1/messages', { 'x-api-key': 'other' })), [
			401,
			'authentication_error',
		]);
	});

	it('refuses with the status and the type that say why', async () => {
		await serve({});
		assert.deepEqual(await errorOf(await post({ messages: [] })), [400, 'invalid_request_error']);
		assert.deepEqual(await errorOf(await post({ temperature: 7 })), [400, 'invalid_request_error']);
		assert.deepEqual(await errorOf(await post({ model: 'none' })), [404, 'not_found_error']);
		for (const [status, told, type] of [
			[401, 502, 'api_error'],
			[402, 402, 'billing_error'],
			[429, 429, 'rate_limit_error'],
			[500, 502, 'api_error'],
			[503, 503, 'overloaded_error'],
			[529, 503, 'overloaded_error'],
		] as const) {
			harness.server('one').behaviour = { status, body: { error: { message: 'as the test wants it' } } };
			assert.deepEqual(await errorOf(await post({ stream: true })), [told, type], String(status));
		}
	});

	it('ends a stream with an error in its middle, and refuses a whole reply for one', async () => {
		await serve({ errorAfter: 1 });
		const events = await streamed();
		const { error } = events.at(-1) as unknown as { error: { type: string; message: string } };
		assert.equal(error.type, 'api_error');
		assert.match(error.message, /it broke/);
		assert.deepEqual(
			events.map(({ type }) => type),
			['message_start', 'ping', 'content_block_start', 'content_block_delta', 'error'],
		);
		assert.deepEqual(await errorOf(await post({})), [502, 'api_error']);
	});

	it('has its head before a first word that takes long, and then tells a failure as an event', async () => {
		const clock = new ManualClock();
		await serve({ firstMs: 60_000 }, {}, clock);
		const coming = streamed();
		await waitFor('the request', () => harness.server('one').chats.length === 1 && clock.running(60_000) === 1);
		await clock.advance(60_000);
		await harness.server('one').stop();
		const [only] = (await coming) as unknown as { type: string; error: { type: string } }[];
		assert.deepEqual([only?.type, only?.error.type], ['error', 'overloaded_error']);
	});

	it('ends a stream with an error where a reply cannot be written in the form', async () => {
		const call = (index: number, name: string, text: string) =>
			delta({ tool_calls: [{ index, id: name, type: 'function', function: { name, arguments: text } }] });
		const flood = Array.from({ length: 6 }, () => call(1, 'list', 'x'.repeat(1_000_000)));
		await serve({ chunks: [call(0, 'read', '{'), ...flood] });
		assert.equal((await streamed()).at(-1)?.type, 'error');
		assert.deepEqual(await errorOf(await post({})), [502, 'api_error']);
	});

	it('answers whole with what came before a call that was cut', async () => {
		const cut = {
			tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'read', arguments: '{"a":' } }],
		};
		await serve({ chunks: [delta({ content: 'I look.' }), delta(cut), delta({}, 'length')] });
		const response = await post({});
		const { content, stop_reason } = (await response.json()) as { content: object[]; stop_reason: string };
		assert.deepEqual([response.status, stop_reason], [200, 'max_tokens']);
		assert.deepEqual(content, [{ type: 'text', text: 'I look.' }]);
	});

	it('follows the routing policy and sends the parameters that chat has, and refuses what is out of their range', async () => {
		await serve({});
		assert.equal((await post({ seed: 7, provider: { only: ['one'] } })).status, 200);
		assert.equal(harness.server('one').chats[0]?.body['seed'], 7);
		assert.deepEqual(await errorOf(await post({ provider: { only: ['other'] } })), [404, 'not_found_error']);
		assert.deepEqual(await errorOf(await post({ provider: { zdr: true } })), [404, 'not_found_error']);
		assert.deepEqual(await errorOf(await post({ seed: 'x' })), [400, 'invalid_request_error']);
		assert.equal(harness.server('one').chats.length, 1);
	});

	it('names in the log what has no meaning here, once and in words of its own', async () => {
		await serve({});
		for (let count = 0; count < 2; count++) {
			await post({ metadata: { user_id: 'secret' }, 'sk-secret': true });
		}
		const noted = log.filter(line => line.includes('changes no answer'));
		assert.equal(noted.length, 2);
		assert.ok(noted.some(line => line.includes('field=metadata')));
		assert.ok(!log.join().includes('secret'));
	});
});
