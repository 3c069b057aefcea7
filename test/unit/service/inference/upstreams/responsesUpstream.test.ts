import assert from 'node:assert/strict';
import { ServerSeal } from '../../../../../src/service/inference/serverSeal.ts';
import { wholeReply } from '../../../../../src/service/inference/wholeReply.ts';
import { callItem, completed, created, done, reasoningItem, textDelta } from '../../../../support/responsesWire.ts';
import type { UpstreamBehaviour } from '../../../../support/upstreamServer.ts';
import { allOf, refusal, textOf, useGateway } from '../gatewayHarness.ts';

const events = [created('small'), textDelta(0, 'Hello'), textDelta(0, ' there'), completed([])];
const FIXED = { model: 'small', include: ['reasoning.encrypted_content'], store: false, stream: true };

function withoutKey({ prompt_cache_key: _, ...body }: Record<string, unknown> = {}): Record<string, unknown> {
	return body;
}

describe('an upstream of the Responses form', () => {
	const start = useGateway();

	const served = (behaves: UpstreamBehaviour = { events }, fields: object = {}) =>
		start({ one: { kind: 'responses', key: 'sk-8f3b5c7d9e1a2b4c', models: ['small'], behaves, ...fields } });

	it('is asked at its own path for a stream of which it keeps nothing', async () => {
		const gateway = await served();
		const { chunks } = await gateway.chat({ max_tokens: 9, limitName: 'max_completion_tokens' });
		assert.equal(textOf(await allOf(chunks)), 'Hello there');
		const [asked] = gateway.server('one').chats;
		assert.equal(asked?.path, '/v1/responses');
		assert.equal(asked?.headers.authorization, 'Bearer sk-8f3b5c7d9e1a2b4c');
		assert.deepEqual(withoutKey(asked?.body), {
			...FIXED,
			input: [{ role: 'user', content: 'Hello' }],
			max_output_tokens: 9,
		});
	});

	it('gets instructions, images, calls, results, tools and a schema in its own form', async () => {
		const gateway = await served();
		const schema = { type: 'object', properties: { x: { type: 'number' } } };
		const image = { type: 'image_url' as const, image_url: { url: 'data:image/png;base64,AA==' } };
		const call = { id: 'a', type: 'function' as const, function: { name: 'read', arguments: '{}' } };
		await gateway.servedBy({
			messages: [
				{ role: 'system', content: 'Be brief.' },
				{ role: 'user', content: [{ type: 'text', text: 'See' }, image] },
				{ role: 'assistant', content: 'I look.', tool_calls: [call], reasoning: 'left out' },
				{ role: 'tool', tool_call_id: 'a', content: 'of a' },
				{ role: 'system', content: 'Go on.' },
			],
			tools: [{ type: 'function', function: { name: 'read', description: 'Reads', parameters: schema } }],
			tool_choice: { type: 'function', function: { name: 'read' } },
			response_format: { type: 'json_schema', json_schema: { name: 'reply', schema, strict: true } },
		});
		assert.deepEqual(withoutKey(gateway.server('one').chats[0]?.body), {
			...FIXED,
			instructions: 'Be brief.',
			input: [
				{
					role: 'user',
					content: [
						{ type: 'input_text', text: 'See' },
						{ type: 'input_image', image_url: image.image_url.url, detail: 'auto' },
					],
				},
				{ role: 'assistant', content: 'I look.' },
				{ type: 'function_call', call_id: 'a', name: 'read', arguments: '{}' },
				{ type: 'function_call_output', call_id: 'a', output: 'of a' },
				{ role: 'system', content: 'Go on.' },
			],
			tools: [{ type: 'function', name: 'read', description: 'Reads', parameters: schema, strict: false }],
			tool_choice: { type: 'function', name: 'read' },
			text: { format: { type: 'json_schema', name: 'reply', schema, strict: true } },
		});
	});

	it('gets back the reasoning that it has sealed, and none of another server; in clear where it takes that', async () => {
		const gateway = await served({ events }, { models: [{ id: 'small', takesReasoning: true }] });
		const sealed = (seal: ServerSeal) => ({ type: 'redacted_thinking' as const, data: seal.seal('gAAA') });
		const [own, foreign] = [new ServerSeal(gateway.server('one').url), new ServerSeal('https://other.example/v1')];
		const unmarked = { type: 'redacted_thinking' as const, data: 'gAAA' };
		const signed = { type: 'thinking' as const, thinking: 'Hm', signature: 'c2ln' };
		for (const thinking of [
			[sealed(own), sealed(foreign), signed],
			[sealed(foreign), unmarked],
		]) {
			await gateway.servedBy({ messages: [{ role: 'assistant', content: 'Hi', reasoning: 'Hm', thinking }] });
		}
		const inputs = gateway.server('one').chats.map(({ body }) => (body['input'] as object[])[0]);
		assert.deepEqual(inputs, [
			{ type: 'reasoning', summary: [], encrypted_content: 'gAAA' },
			{ type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'Hm' }] },
		]);
	});

	it('is the only one to get back what it has sealed, also of a request of its own form', async () => {
		const upstream = { kind: 'responses' as const, models: ['small'], behaves: { events } };
		const gateway = await start({ one: upstream, two: upstream });
		const { url } = gateway.server('one');
		const seal = new ServerSeal(url);
		assert.ok(!seal.seal('').includes(new URL(url).host));
		const item = { type: 'reasoning', summary: [], encrypted_content: seal.seal('gAAA') };
		const input = [{ role: 'user', content: 'Hello' }, item, { role: 'assistant', content: 'Hi' }];
		for (const slug of ['one', 'two']) {
			await gateway.servedBy({ responses: { input }, provider: { only: [slug] } });
		}
		const kept = { type: 'reasoning', summary: [], encrypted_content: 'gAAA' };
		assert.deepEqual(gateway.server('one').chats[0]?.body['input'], [input[0], kept, input[2]]);
		assert.deepEqual(gateway.server('two').chats[0]?.body['input'], [input[0], input[2]]);
	});

	it('finds the requests of a conversation in one cache, and takes the key of a client that has one', async () => {
		const gateway = await served();
		const turns = ['Hello', 'Hi', 'Go on'].map((content, index) => ({
			role: index === 1 ? ('assistant' as const) : ('user' as const),
			content,
		}));
		await gateway.servedBy({ messages: turns.slice(0, 1) });
		await gateway.servedBy({ messages: turns });
		await gateway.servedBy({ messages: turns.slice(1) });
		await gateway.servedBy({ responses: { input: [{ role: 'user', content: 'Hello' }], prompt_cache_key: 'mine' } });
		const [first, second, third, own] = gateway.server('one').chats.map(({ body }) => body['prompt_cache_key']);
		assert.match(String(first), /^[\w-]{32}$/);
		assert.equal(second, first);
		assert.notEqual(third, first);
		assert.equal(own, 'mine');
	});

	it('is told how much to think by a client of chat, which no server of chat is', async () => {
		const gateway = await served();
		await gateway.servedBy({ reasoning_effort: 'high' });
		const { reasoning } = gateway.server('one').chats[0]?.body ?? {};
		assert.deepEqual(reasoning, { effort: 'high' });
		const other = await start({ one: { models: ['small'] } });
		await other.servedBy({ reasoning_effort: 'high' });
		assert.ok(!('reasoning_effort' in (other.server('one').chats[0]?.body ?? {})));
	});

	it('is asked again without the effort where a model does not reason', async () => {
		const message = "Unsupported parameter: 'reasoning.effort' is not supported with this model.";
		const gateway = await served({
			atRequest: body => ('reasoning' in body ? { status: 400, body: { error: { message } } } : { events }),
		});
		assert.equal(await gateway.servedBy({ reasoning_effort: 'high' }), 'one');
		assert.equal(gateway.server('one').chats.length, 2);
	});

	it('gets a request of its own form as it is, without reasoning in clear', async () => {
		const gateway = await served();
		const input = [
			{ role: 'user', content: 'Hello' },
			{ role: 'assistant', content: 'Hi' },
		];
		const open = { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'Hm' }] };
		const hints = { instructions: 'Be brief.', reasoning: { effort: 'low' }, text: { verbosity: 'low' } };
		await gateway.servedBy({ temperature: 1, responses: { ...hints, input: [...input, open] } });
		assert.deepEqual(withoutKey(gateway.server('one').chats[0]?.body), { ...FIXED, ...hints, input, temperature: 1 });
		const other = await start({ one: { models: ['small'] } });
		await other.servedBy({ responses: { ...hints, input } });
		assert.ok(!('responses' in (other.server('one').chats[0]?.body ?? {})));
	});

	it('serves a whole reply with calls, reasoning and tokens', async () => {
		const call = callItem('call_1', 'read', '{"path":"a"}');
		const gateway = await served({ events: [done(0, reasoningItem('gAAA', 'Hm')), done(1, call), completed([])] });
		const { choices, usage } = await wholeReply((await gateway.chat()).chunks);
		const { message, finish_reason } = choices[0] ?? {};
		assert.equal(finish_reason, 'tool_calls');
		assert.equal(message?.reasoning_content, 'Hm');
		assert.equal(message?.reasoning_details?.[0]?.data, new ServerSeal(gateway.server('one').url).seal('gAAA'));
		assert.deepEqual(message?.tool_calls?.[0]?.function, { name: 'read', arguments: '{"path":"a"}' });
		assert.equal(usage?.prompt_tokens_details?.cached_tokens, 40);
	});

	it('is asked again without what a model does not have, but never so that it would keep the request', async () => {
		const said = (message: string): UpstreamBehaviour => ({ status: 400, body: { error: { message } } });
		const gateway = await served({
			atRequest: body => ('include' in body ? said('Encrypted content is not supported with this model.') : { events }),
		});
		assert.equal(await gateway.servedBy(), 'one');
		gateway.server('one').behaviour = said("Unsupported parameter: 'store' is not supported with this model.");
		await refusal(gateway.chat(), 400);
		assert.deepEqual(
			gateway.server('one').chats.map(({ body }) => 'include' in body),
			[true, false, false],
		);
	});

	it('is not sent what the form does not have, which the reply tells, and fails with its own words', async () => {
		const gateway = await served();
		const { leftOut, chunks } = await gateway.chat({ seed: 1, stop: ['x'] });
		await allOf(chunks);
		assert.deepEqual(leftOut, ['seed', 'stop']);
		gateway.server('one').behaviour = { events: events.slice(0, 2) };
		await assert.rejects(allOf((await gateway.chat()).chunks), /one/);
		gateway.server('one').behaviour = { status: 429, body: { error: { message: 'Busy' } } };
		assert.match((await refusal(gateway.chat(), 429)).message, /Busy/);
	});
});
