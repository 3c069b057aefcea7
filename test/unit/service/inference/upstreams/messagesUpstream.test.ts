import assert from 'node:assert/strict';
import { upstreamKind } from '../../../../../src/contract/upstreams.ts';
import { ServerSeal } from '../../../../../src/service/inference/serverSeal.ts';
import { wholeReply } from '../../../../../src/service/inference/wholeReply.ts';
import { messageEnd, messageStart, textBlock, thinkingBlock, toolBlock } from '../../../../support/messagesWire.ts';
import type { UpstreamBehaviour } from '../../../../support/upstreamServer.ts';
import { allOf, refusal, textOf, useGateway } from '../gatewayHarness.ts';

const KEY = 'sk-ant-api03-8f3b5c7d9e1a2b4c';
const events = [messageStart(), ...textBlock(0, 'Hello', ' there'), ...messageEnd('end_turn')];
const signal = new AbortController().signal;

describe('an upstream of the Messages form', () => {
	const start = useGateway();

	const served = (behaves: UpstreamBehaviour = { events }, fields: object = {}) =>
		start({ one: { kind: 'messages', key: KEY, models: ['small'], behaves, ...fields } });

	it('is asked at its own path, with its own header for the key and the version of the form', async () => {
		const gateway = await served();
		const { chunks } = await gateway.chat({ max_tokens: 9 });
		assert.equal(textOf(await allOf(chunks)), 'Hello there');
		const [asked] = gateway.server('one').chats;
		assert.equal(asked?.path, '/v1/messages');
		assert.equal(asked?.headers['x-api-key'], KEY);
		assert.equal(asked?.headers['anthropic-version'], '2023-06-01');
		assert.equal(asked?.headers.authorization, undefined);
		const cache_control = { type: 'ephemeral' };
		assert.deepEqual(asked?.body, {
			model: 'small',
			max_tokens: 9,
			messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello', cache_control }] }],
			stream: true,
		});
	});

	it('gets its thinking back as it has signed or sealed it, none of another server, whatever else is said of reasoning', async () => {
		const gateway = await served();
		const own = [
			{ type: 'thinking' as const, thinking: 'Hm', signature: 'c2ln' },
			{ type: 'redacted_thinking' as const, data: 'EmwK' },
		];
		const [seal, other] = [gateway.server('one').url, 'https://other.example/v1'].map(url => new ServerSeal(url));
		const thinking = [seal, other].flatMap(by =>
			own.map(block =>
				'data' in block
					? { ...block, data: String(by?.seal(block.data)) }
					: { ...block, signature: String(by?.seal(block.signature)) },
			),
		);
		await gateway.servedBy({
			messages: [
				{ role: 'user', content: 'Hello' },
				{ role: 'assistant', content: 'Hi', reasoning: 'Hm', thinking },
				{ role: 'user', content: 'Go on' },
			],
			hints: { thinking: { type: 'enabled', budget_tokens: 2_000 } },
		});
		const [asked] = gateway.server('one').chats;
		assert.ok(asked);
		assert.deepEqual(asked.body['thinking'], { type: 'enabled', budget_tokens: 2_000 });
		const [, turn] = asked.body['messages'] as { content: object[] }[];
		assert.deepEqual(turn?.content, [...own, { type: 'text', text: 'Hi' }]);
	});

	it('is alone in getting what only this form has', async () => {
		const gateway = await start({ one: { models: ['small'] } });
		const thinking = [{ type: 'thinking' as const, thinking: 'Hm', signature: 'c2ln' }];
		const turn = { role: 'assistant' as const, content: 'Hi', thinking };
		await gateway.servedBy({ messages: [turn], hints: { effort: 'high' } });
		const { messages, ...others } = gateway.server('one').chats[0]?.body ?? {};
		assert.deepEqual(messages, [{ role: 'assistant', content: 'Hi' }]);
		assert.ok(!('hints' in others));
	});

	it('serves a whole reply with calls, thinking and the tokens of the cache', async () => {
		const gateway = await served({
			events: [
				messageStart(),
				...thinkingBlock(0, 'c2ln', 'Hm'),
				...toolBlock(1, 'toolu_1', 'read', '{"path":', '"a"}'),
				...messageEnd('tool_use'),
			],
		});
		const { choices, usage } = await wholeReply((await gateway.chat()).chunks);
		const { message, finish_reason } = choices[0] ?? {};
		assert.equal(finish_reason, 'tool_calls');
		assert.equal(message?.reasoning_content, 'Hm');
		const seal = new ServerSeal(gateway.server('one').url);
		assert.equal(message?.reasoning_details?.[0]?.signature, seal.seal('c2ln'));
		assert.deepEqual(message?.tool_calls?.[0]?.function, { name: 'read', arguments: '{"path":"a"}' });
		assert.equal(usage?.prompt_tokens_details?.cached_tokens, 40);
	});

	it('lists its models with what it says of them', async () => {
		const told = { max_input_tokens: 200_000, max_tokens: 64_000, capabilities: { image_input: { supported: true } } };
		const listed = { type: 'model', id: 'small', display_name: 'Small 4', ...told };
		const gateway = await served({ events, models: [listed] }, { models: undefined });
		const { models } = await gateway.gateway.describe();
		const { id, label, contextLength, maxOutputTokens, images } = models[0] ?? {};
		assert.deepEqual(
			{ id, label, contextLength, maxOutputTokens, images },
			{ id: 'small', label: 'Small 4', contextLength: 200_000, maxOutputTokens: 64_000, images: true },
		);
		await gateway.servedBy();
		assert.equal(gateway.server('one').chats[0]?.body['max_tokens'], 64_000);
		assert.equal(gateway.server('one').requests[0]?.path, '/v1/models?limit=1000');
	});

	it('is not sent what the form does not have, which the reply tells', async () => {
		const gateway = await served();
		const { leftOut, chunks } = await gateway.chat({ seed: 1, temperature: 1 });
		await allOf(chunks);
		assert.deepEqual(leftOut, ['seed']);
		assert.equal(gateway.server('one').chats[0]?.body['temperature'], 1);
		const { message } = await refusal(gateway.chat({ response_format: { type: 'json_object' } }), 400);
		assert.match(message, /response_format/);
	});

	it('is asked again without a parameter that it refuses, and never without the instructions or a format', async () => {
		const said = (message: string): UpstreamBehaviour => ({
			status: 400,
			body: { type: 'error', error: { type: 'invalid_request_error', message } },
		});
		const gateway = await served({
			atRequest: body => ('temperature' in body ? said('`temperature` is deprecated for this model.') : { events }),
		});
		assert.equal(await gateway.servedBy({ temperature: 1 }), 'one');
		const format = { type: 'json_schema', json_schema: { schema: { type: 'object' } } };
		gateway.server('one').behaviour = said('output_config.format is not supported by this model.');
		await refusal(gateway.chat({ response_format: format }), 400);
		gateway.server('one').behaviour = said('system: this field is not supported');
		const messages = [
			{ role: 'system', content: 'Be brief.' },
			{ role: 'user', content: 'Hello' },
		] as const;
		const { message } = await refusal(gateway.chat({ messages: [...messages] }), 400);
		assert.match(message, /not supported/);
		assert.equal(gateway.server('one').chats.length, 4);
	});

	it('gets a parameter again that it has refused only while the model thinks', async () => {
		const refused: UpstreamBehaviour = {
			status: 400,
			body: {
				type: 'error',
				error: {
					type: 'invalid_request_error',
					message: '`temperature` may only be set to 1 when thinking is enabled.',
				},
			},
		};
		const gateway = await served({
			atRequest: body => ('thinking' in body && 'temperature' in body ? refused : { events }),
		});
		const hints = { thinking: { type: 'enabled', budget_tokens: 2_000 } };
		for (const fields of [{ hints }, {}]) {
			assert.equal(await gateway.servedBy({ temperature: 0.5, ...fields }), 'one');
		}
		assert.deepEqual(
			gateway.server('one').chats.map(({ body }) => body['temperature']),
			[0.5, undefined, 0.5],
		);
	});

	it('fails with its own words, and counts as busy where it says so', async () => {
		const gateway = await served({
			status: 529,
			body: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
		});
		const { message } = await refusal(gateway.chat(), 503);
		assert.match(message, /Overloaded/);
		gateway.server('one').behaviour = { events: events.slice(0, 3) };
		const { chunks } = await gateway.chat();
		await assert.rejects(allOf(chunks), /one/);
	});

	it('counts tokens, and they are estimated where it or another server does not', async () => {
		const gateway = await served({ events, inputTokens: 77 });
		const request = { model: 'small', messages: [{ role: 'user' as const, content: 'How many?' }], max_tokens: 5 };
		const count = () => gateway.gateway.countTokens(request, { host: 'public', endpoint: 'chat', signal });
		assert.equal(await count(), 77);
		const asked = gateway.server('one').requests.find(({ path }) => path === '/v1/messages/count_tokens');
		assert.deepEqual(Object.keys(asked?.body ?? {}), ['model', 'messages']);
		assert.equal(asked?.headers['x-api-key'], KEY);
		gateway.server('one').behaviour = { events };
		const estimated = await count();
		assert.ok(estimated > 3 && estimated < 20, String(estimated));
		assert.ok(gateway.logged.some(line => line.includes('did not count tokens')));
		const other = await start({ one: { models: ['small'] } });
		assert.equal(await other.gateway.countTokens(request, { host: 'public', endpoint: 'chat', signal }), estimated);
	});

	it('is one by its setting, or by the address of a service that is known to speak the form', () => {
		assert.equal(upstreamKind({ url: 'https://api.anthropic.com/v1' }), 'messages');
		assert.equal(upstreamKind({ kind: 'chat', url: 'https://api.anthropic.com/v1' }), 'chat');
		assert.equal(upstreamKind({ kind: 'messages', url: 'https://a.invalid/v1' }), 'messages');
		assert.equal(upstreamKind({ url: 'https://api.anthropic.com.a.invalid/v1' }), 'chat');
	});
});
