import assert from 'node:assert/strict';
import fc from 'fast-check';
import { chatChunkSchema, chatCompletionSchema, readChatChunk } from '../../../src/contract/chatReply.ts';
import { isAbsent } from '../../../src/contract/lenient.ts';

const loose = fc.oneof(fc.string(), fc.integer(), fc.constantFrom(null, undefined, 'None', true, [], {}));
const chunk = fc.record(
	{
		id: loose,
		model: loose,
		provider: loose,
		usage: loose,
		choices: fc.oneof(
			loose,
			fc.array(
				fc.record(
					{
						index: loose,
						finish_reason: loose,
						delta: fc.oneof(
							loose,
							fc.record({ content: loose, reasoning: loose, tool_calls: loose }, { requiredKeys: [] }),
						),
					},
					{ requiredKeys: [] },
				),
				{ maxLength: 3 },
			),
		),
	},
	{ requiredKeys: [] },
);
const textOrNothing = (value: unknown) => (isAbsent(value) ? undefined : value);

describe('readChatChunk', () => {
	it('reads any object, and the same by its fast way as by its lenient one', () => {
		fc.assert(
			fc.property(chunk, value => {
				const read = readChatChunk(value);
				const slow = chatChunkSchema.parse(value);
				assert.ok(read);
				for (const field of ['id', 'model', 'provider'] as const) {
					assert.equal(textOrNothing(read[field]), slow[field]);
				}
				assert.equal(read.choices.length, slow.choices.length);
				for (const [index, choice] of slow.choices.entries()) {
					const fast: (typeof read.choices)[number] | undefined = read.choices[index];
					assert.equal(textOrNothing(fast?.finish_reason), choice.finish_reason);
					assert.equal(fast?.delta?.content ?? undefined, choice.delta?.content);
					assert.equal(textOrNothing(fast?.delta?.reasoning), choice.delta?.reasoning);
				}
			}),
		);
	});

	it('takes the fast way for what nearly every server sends', () => {
		for (const value of [
			{
				id: 'a',
				object: 'chat.completion.chunk',
				created: 1,
				model: 'm',
				choices: [{ index: 0, delta: { content: 'x' }, finish_reason: null }],
			},
			{ choices: [{ delta: { role: 'assistant', tool_calls: [{ index: 0 }], annotations: null } }] },
			{ id: 'a', system_fingerprint: null, provider: 'p', choices: [], usage: { total_tokens: 1 } },
		]) {
			// The lenient way makes a new object.
			assert.equal(readChatChunk(value), value);
		}
	});

	for (const value of [null, 'text', 5, undefined]) {
		it(`gives nothing for ${value}`, () => {
			assert.equal(readChatChunk(value), undefined);
		});
	}
});

describe('chatCompletionSchema', () => {
	it('reads the sample of the contract, with None for what is absent', () => {
		const read = chatCompletionSchema.parse({
			id: 'gen-1',
			created: 1758000000,
			model: 'vendor/large',
			object: 'chat.completion',
			system_fingerprint: 'None',
			choices: [
				{
					finish_reason: 'stop',
					index: 0,
					message: { content: 'Hi', role: 'assistant', tool_calls: 'None', function_call: 'None' },
					provider_specific_fields: { native_finish_reason: 'stop' },
				},
			],
			usage: {
				completion_tokens: 1,
				prompt_tokens: 2,
				total_tokens: 3,
				completion_tokens_details: {
					accepted_prediction_tokens: 'None',
					audio_tokens: 'None',
					reasoning_tokens: 0,
					rejected_prediction_tokens: 'None',
				},
				prompt_tokens_details: { audio_tokens: 'None', cached_tokens: 'None' },
			},
			provider: 'fast-host',
		});
		assert.equal(read.system_fingerprint, undefined);
		assert.equal(read.choices[0]?.message?.content, 'Hi');
		assert.equal(read.usage?.completion_tokens_details?.reasoning_tokens, 0);
		assert.equal(read.usage?.prompt_tokens_details?.cached_tokens, undefined);
	});

	const messageOf = (message: unknown) => chatCompletionSchema.parse({ choices: [{ message }] }).choices[0]?.message;

	it('takes None for absent in every nullable field of a message', () => {
		const fields = ['role', 'reasoning', 'function_call', 'tool_calls', 'annotations'];
		const read = messageOf(Object.fromEntries(fields.map(field => [field, 'None'])));
		assert.deepEqual(
			fields.map(field => read?.[field]),
			[undefined, undefined, undefined, [], []],
		);
	});

	it('keeps the word None where it is all that was said, and not beside tool calls', () => {
		assert.equal(messageOf({ content: 'None' })?.content, 'None');
		assert.equal(messageOf({ content: 'None', tool_calls: [{ id: 'a' }] })?.content, undefined);
	});

	it('reads the arguments of a tool call as text, also where they came as an object', () => {
		const argumentsOf = (given: unknown) =>
			messageOf({ tool_calls: [{ function: { name: 'a', arguments: given } }] })?.tool_calls[0]?.function?.arguments;
		assert.equal(argumentsOf('{"q": 1}'), '{"q": 1}');
		assert.equal(argumentsOf({ q: 1 }), '{"q":1}');
		assert.equal(argumentsOf(null), undefined);
		assert.equal(argumentsOf([1]), undefined);
	});

	it('keeps what it does not know', () => {
		assert.equal(messageOf({ content: 'x', refusal: 'no' })?.['refusal'], 'no');
	});
});
