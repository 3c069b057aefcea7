import assert from 'node:assert/strict';
import { assistantMessage } from '../../src/client/toolCalls.ts';
import type { ChatRequest } from '../../src/contract/chatRequest.ts';
import { openModel } from '../support/contractServer/fixtures.ts';
import { textOf } from '../unit/client/chatWire.ts';
import { collect } from '../unit/client/testClient.ts';
import { arrives, asking, callsOf, isRefused, MODEL, TEXT, tool, user } from './chatProofs.ts';
import { prove } from './harness.ts';

describe('the chat client (messages)', () => {
	prove(
		'inference/message-chat-completions/1',
		'sends messages of the four roles, and refuses another',
		async context => {
			const call = { id: 'call-1', type: 'function' as const, function: { name: 'tide', arguments: '{}' } };
			await arrives(context, {
				model: MODEL,
				messages: [
					{ role: 'system', content: 'Be brief.' },
					user('text'),
					{ role: 'assistant', content: '', tool_calls: [call] },
					{ role: 'tool', content: 'High.', tool_call_id: 'call-1' },
				],
			});
			const request = { model: MODEL, messages: [{ role: 'pilot', content: 'text' }] };
			await isRefused(
				context,
				request,
				/^messages\[0\]\.role is "pilot"; allowed: "system", "user", "assistant", "tool"$/,
			);
		},
	);

	prove(
		'inference/message-chat-completions/2',
		'sends the content as it is, and refuses content that is not text',
		async context => {
			await arrives(context, { model: MODEL, messages: [user('Größe 世界 ☕\n\t"quoted"\u2028'), user('text')] });
			await isRefused(
				context,
				{ model: MODEL, messages: [{ role: 'user', content: 7 }] },
				/^messages\[0\]\.content is 7; allowed: /,
			);
			await isRefused(context, { model: MODEL, messages: [{ role: 'user' }] }, /^messages\[0\]\.content is missing; /);
		},
	);

	prove(
		'inference/message-chat-completions/3',
		'refuses a result without a call, and the id of a call elsewhere',
		async context => {
			const named = /^messages\[0\]\.tool_call_id is (missing|a text); allowed: the id of the call/;
			for (const message of [
				{ role: 'tool', content: 'High.' },
				{ role: 'user', content: 'text', tool_call_id: 'call-1' },
			]) {
				await isRefused(context, { model: MODEL, messages: [message] }, named);
			}
		},
	);

	prove('inference/message-chat-completions/3', 'answers a tool call by its id', async ({ client, lastRequest }) => {
		const reply = await client.chat.complete(asking('tools', { tools: [tool] }));
		const calls = callsOf(reply);
		const [call] = calls;
		assert.ok(call);
		const messages = [
			user('tools'),
			assistantMessage(reply.choices[0]?.message?.content, calls),
			...calls.map(({ id }) => ({ role: 'tool' as const, content: 'High at seven.', tool_call_id: id })),
		];
		const answer = await client.chat.complete({ model: MODEL, messages, tools: [tool] });
		assert.deepEqual((lastRequest().json as ChatRequest).messages, messages);
		assert.match(answer.choices[0]?.message?.content ?? '', /High at seven\./);
	});
});

describe('the chat client (requests)', () => {
	const { contextLength } = openModel;
	const id = (position: number) => `inference/chat-completion-request/${position}`;
	/**
	 * Each row has the position in the table, the field, values that are sent unchanged, and values that are refused with
	 * an error that names the field.
	 */
	const fields: readonly (readonly [number, string, readonly unknown[], readonly (readonly [unknown, RegExp])[]])[] = [
		[
			3,
			'models',
			[['petit-8b', MODEL]],
			[
				['petit-8b', /^models is a text/],
				[[''], /^models\[0\] is an empty text/],
			],
		],
		[
			4,
			'provider',
			[{ sort: 'price', zdr: true }, {}],
			[
				[{ fastest: true }, /provider .*"fastest"/],
				['price', /^provider is a text/],
			],
		],
		[
			6,
			'max_tokens',
			[1, contextLength - 1],
			[0, -1, 1.5, contextLength].map(
				value => [value, new RegExp(`^max_tokens is ${value}; allowed: a whole number`)] as const,
			),
		],
		[
			7,
			'temperature',
			[0, 0.7, 2],
			[-0.1, 2.1].map(
				value => [value, new RegExp(`^temperature is ${value}; allowed: a number from 0 to 2$`)] as const,
			),
		],
		[8, 'seed', [0, -7, 42], [[1.5, /^seed is 1\.5; allowed: a whole number$/]]],
		[
			9,
			'top_p',
			[0.01, 1],
			[0, 1.1].map(value => [value, new RegExp(`^top_p is ${value}; allowed: a number above 0, at most 1$`)] as const),
		],
		[
			10,
			'top_k',
			[1, 1e6],
			[0, 2.5].map(value => [value, new RegExp(`^top_k is ${value}; allowed: a whole number, at least 1$`)] as const),
		],
		[
			11,
			'frequency_penalty',
			[-2, 2],
			[-2.1, 2.1].map(
				value => [value, new RegExp(`^frequency_penalty is ${value}; allowed: a number from -2 to 2$`)] as const,
			),
		],
		[
			12,
			'presence_penalty',
			[-2, 2],
			[-2.1, 2.1].map(
				value => [value, new RegExp(`^presence_penalty is ${value}; allowed: a number from -2 to 2$`)] as const,
			),
		],
		[
			13,
			'repetition_penalty',
			[0.01, 2],
			[0, 2.1].map(
				value => [value, new RegExp(`^repetition_penalty is ${value}; allowed: a number above 0, at most 2$`)] as const,
			),
		],
		[
			14,
			'logit_bias',
			[{ 50256: -100, 11: 0.5 }, {}],
			[
				[{ 1: 'much' }, /^logit_bias\.1 is a text/],
				[[1], /^logit_bias is a list/],
			],
		],
		[
			15,
			'top_logprobs',
			[0, 5],
			[-1, 0.5].map(value => [value, new RegExp(`^top_logprobs is ${value}; allowed: a whole number`)] as const),
		],
		[
			16,
			'min_p',
			[0, 1],
			[-0.1, 1.1].map(value => [value, new RegExp(`^min_p is ${value}; allowed: a number from 0 to 1$`)] as const),
		],
		[
			17,
			'top_a',
			[0, 1],
			[-0.1, 1.1].map(value => [value, new RegExp(`^top_a is ${value}; allowed: a number from 0 to 1$`)] as const),
		],
		[18, 'stop', [['END', '\n\n']], [['END', /^stop is a text/]]],
		[
			19,
			'tools',
			[[tool], [{ type: 'function', function: { name: 'bare' } }]],
			[
				[[{ type: 'function', name: 'tide', parameters: {} }], /^tools\[0\]\.function is missing; .*flat/],
				[[{ ...tool, strict: true }], /^tools\[0\] .*not documented: "strict"/],
			],
		],
		[
			21,
			'response_format',
			[{ type: 'json_object' }, { type: 'json_schema', json_schema: { name: 'x', schema: {} } }],
			[[{}, /^response_format\.type is missing/]],
		],
		[22, 'user', ['user-7'], [[7, /^user is 7/]]],
	];

	for (const [position, field, good, bad] of fields) {
		prove(id(position), `sends ${field} as given, and refuses what is not allowed`, async context => {
			for (const value of good) {
				await arrives(context, { ...asking('text'), [field]: value });
			}
			for (const [value, message] of bad) {
				await isRefused(context, { ...asking('text'), [field]: value }, message);
			}
			await arrives(context, asking('text'));
		});
	}

	prove(id(1), 'sends the model as given, and refuses a request without one', async context => {
		for (const model of [MODEL, 'sonata-large']) {
			await arrives(context, { ...asking('text'), model });
		}
		await isRefused(context, { messages: [user('text')] }, /^model is missing/);
		await isRefused(context, { ...asking('text'), model: '' }, /^model is an empty text/);
	});

	prove(id(2), 'sends the messages in their order, and refuses to send none', async context => {
		const messages = [
			{ role: 'system' as const, content: 'One.' },
			user('Two.'),
			{ role: 'assistant' as const, content: 'Three.' },
			user('text'),
		];
		await arrives(context, { model: MODEL, messages });
		await isRefused(context, { model: MODEL, messages: [] }, /^messages /);
		await isRefused(context, { model: MODEL }, /^messages is missing/);
	});

	prove(id(5), 'asks for server-sent events where it reads a stream, and for none where it does not', async context => {
		const { client, lastRequest } = context;
		const { events, error } = await collect(client.chat.stream(asking('text')));
		assert.equal(error, undefined);
		assert.equal(textOf(events), TEXT);
		assert.deepEqual(lastRequest().json, { ...asking('text'), stream: true });
		assert.match(lastRequest().headers.accept ?? '', /text\/event-stream/);
		await client.chat.complete(asking('text', { stream: true }));
		assert.deepEqual(lastRequest().json, asking('text'));
	});

	prove(id(20), 'sends the four forms of tool_choice, and refuses any other', async context => {
		const tools = [tool];
		for (const choice of ['none', 'auto', 'required', { type: 'function', function: { name: 'tide' } }] as const) {
			await arrives(context, asking('text', { tools, tool_choice: choice }));
		}
		for (const [choice, shown] of [
			['any', '"any"'],
			[{ type: 'function', name: 'tide' }, 'an object'],
			[{ type: 'auto' }, 'an object'],
		] as const) {
			await isRefused(
				context,
				{ ...asking('text'), tools, tool_choice: choice },
				new RegExp(`^tool_choice is ${shown}; allowed: "none", "auto", "required", or {type: "function", `),
			);
		}
	});

	prove('inference/limits/1', 'keeps every parameter to both bounds of the request table', async context => {
		/** Each row has the least and the greatest value that is allowed, and values just beyond them. */
		const ranges = {
			max_tokens: { bounds: [1, contextLength - 1], beyond: [0, contextLength] },
			temperature: { bounds: [0, 2], beyond: [-0.01, 2.01] },
			top_p: { bounds: [0.001, 1], beyond: [0, 1.001] },
			top_k: { bounds: [1, Number.MAX_SAFE_INTEGER], beyond: [0] },
			frequency_penalty: { bounds: [-2, 2], beyond: [-2.01, 2.01] },
			presence_penalty: { bounds: [-2, 2], beyond: [-2.01, 2.01] },
			repetition_penalty: { bounds: [0.001, 2], beyond: [0, 2.01] },
			min_p: { bounds: [0, 1], beyond: [-0.01, 1.01] },
			top_a: { bounds: [0, 1], beyond: [-0.01, 1.01] },
		};
		const entries = Object.entries(ranges);
		for (const end of [0, 1]) {
			const bounds = Object.fromEntries(entries.map(([field, { bounds }]) => [field, bounds[end]]));
			await arrives(context, asking('text', bounds));
			for (const [field, { beyond }] of entries) {
				const value = beyond[end];
				if (value !== undefined) {
					const message = new RegExp(`^${field} is ${value}; allowed: `);
					await isRefused(context, { ...asking('text', bounds), [field]: value }, message);
				}
			}
		}
	});
});
