import assert from 'node:assert/strict';
import { readChatRequest } from '../../../../src/service/inference/readChatRequest.ts';
import { ServerSeal } from '../../../../src/service/inference/serverSeal.ts';
import { RequestRefused } from '../../../../src/service/replies.ts';

const user = { role: 'user', content: 'Hello' };
const call = { id: 'c1', type: 'function', function: { name: 'read', arguments: '{}' } };

function refused(fields: object, named: RegExp): void {
	assert.throws(
		() => readChatRequest({ model: 'm', messages: [user], ...fields }),
		(error: unknown) => {
			assert.ok(error instanceof RequestRefused);
			assert.equal(error.status, 400);
			assert.match(error.message, named);
			return true;
		},
	);
}

describe('the reading of a chat request', () => {
	const read = (fields: object) => readChatRequest({ model: 'm', messages: [user], ...fields });

	it('leaves a request of the contract as it is', () => {
		const request = { stream: true, max_tokens: 3, stop: ['a'], tools: [], provider: { sort: 'price' } };
		assert.deepEqual(read(request), { model: 'm', messages: [user], ...request });
	});

	it('keeps how much to think, for servers that have a field for it', () => {
		assert.deepEqual(read({ reasoning_effort: 'high' }), { model: 'm', messages: [user], reasoning_effort: 'high' });
		for (const reasoning_effort of [null, 3, { effort: 'high' }]) {
			assert.deepEqual(read({ reasoning_effort }), { model: 'm', messages: [user] });
		}
	});

	it('leaves out what changes no answer, and nulls', () => {
		const fields = {
			stream_options: { include_usage: true },
			n: 1,
			store: true,
			metadata: { run: '1' },
			verbosity: 'low',
			service_tier: 'auto',
			prompt_cache_key: 'k',
			safety_identifier: 's',
			modalities: ['text'],
			parallel_tool_calls: true,
			logprobs: false,
			seed: null,
			top_logprobs: null,
		};
		const noted: string[] = [];
		assert.deepEqual(
			readChatRequest({ model: 'm', messages: [user], ...fields }, place => noted.push(place)),
			{ model: 'm', messages: [user] },
		);
		const { seed: _, top_logprobs: __, ...named } = fields;
		assert.deepEqual(noted, Object.keys(named));
	});

	it('leaves out what changes no answer in messages, calls, images and tools, and names its place', () => {
		const noted: string[] = [];
		const image = { type: 'image_url', image_url: { url: 'data:,' } };
		const read = readChatRequest(
			{
				model: 'm',
				messages: [
					{ role: 'user', name: 'Ann', content: [{ ...image, image_url: { ...image.image_url, detail: 'low' } }] },
					{
						role: 'assistant',
						content: '',
						parsed: null,
						tool_calls: [{ ...call, index: 0, function: { ...call.function, parsed_arguments: {} } }],
					},
					{ role: 'tool', name: 'read', tool_call_id: 'c1', content: 'Text' },
					// A part with the fields of the message that it came in.
					{
						role: 'assistant',
						content: [{ type: 'text', text: 'So.', role: 'assistant', tool_calls: null, annotations: [] }],
					},
				],
				tools: [{ type: 'function', function: { name: 'read', strict: true } }],
			},
			place => noted.push(place),
		);
		assert.deepEqual(read, {
			model: 'm',
			messages: [
				{ role: 'user', content: [image] },
				{ role: 'assistant', content: '', tool_calls: [call] },
				{ role: 'tool', tool_call_id: 'c1', content: 'Text' },
				{ role: 'assistant', content: [{ type: 'text', text: 'So.' }] },
			],
			tools: [{ type: 'function', function: { name: 'read' } }],
		});
		assert.deepEqual(noted.sort(), [
			'messages.content.annotations',
			'messages.content.image_url.detail',
			'messages.content.role',
			'messages.name',
			'messages.name',
			'messages.tool_calls.function.parsed_arguments',
			'messages.tool_calls.index',
			'tools.function.strict',
		]);
	});

	it('takes the two fields of public practice for log probabilities as the one of the contract', () => {
		assert.equal(read({ logprobs: true, top_logprobs: 3 }).top_logprobs, 3);
		assert.equal(read({ logprobs: true }).top_logprobs, 0);
		assert.equal(read({ logprobs: false }).top_logprobs, undefined);
		refused({ logprobs: false, top_logprobs: 3 }, /^top_logprobs: .*logprobs is false/);
		refused({ logprobs: 'yes' }, /"logprobs"/);
	});

	it('keeps that only one tool is to be called at a time', () => {
		assert.equal(read({ parallel_tool_calls: false }).parallel_tool_calls, false);
		refused({ parallel_tool_calls: 'no' }, /"parallel_tool_calls"/);
	});

	it('refuses what would not happen, by its name', () => {
		refused({ n: 2 }, /"n"/);
		refused({ modalities: ['text', 'audio'] }, /"modalities"/);
		refused({ store: 'yes' }, /"store"/);
		refused({ web_search_options: {} }, /"web_search_options"/);
		refused({ messages: null }, /^messages/);
		refused({ max_completion_tokens: 0 }, /^max_tokens/);
		refused({ stop: 3 }, /^stop/);
		refused({ messages: [{ role: 'user', content: null }] }, /^messages\[0\]\.content/);
		refused({ messages: [{ ...user, name: { first: 'Ann' } }] }, /"name"/);
		refused({ messages: [{ ...user, audio: { id: 'a' } }] }, /"audio"/);
	});

	it('takes the newer words for a limit and a role, and one stop text for a list of one', () => {
		const messages = [{ role: 'developer', content: 'Be brief' }, user];
		assert.deepEqual(read({ messages, max_completion_tokens: 3, stop: 'a' }), {
			model: 'm',
			messages: [{ role: 'system', content: 'Be brief' }, user],
			max_tokens: 3,
			limitName: 'max_completion_tokens',
			stop: ['a'],
		});
		assert.deepEqual(read({ messages, max_tokens: 2, max_completion_tokens: 3 }), {
			model: 'm',
			messages: [{ role: 'system', content: 'Be brief' }, user],
			max_tokens: 2,
		});
	});

	it('takes signed and sealed reasoning back, if it is known what was signed, and none that this service has not passed on', () => {
		const format = 'anthropic-claude-v1';
		const [signature = '', data = ''] = ['c2ln', 'EmwK'].map(text => new ServerSeal('https://a.example').seal(text));
		const thinkingOf = (reasoning_details: object[], reasoning = 'Because') =>
			read({ messages: [{ role: 'assistant', content: 'a', reasoning, reasoning_details }] }).messages[0]?.thinking;
		const signed = { type: 'reasoning.text', format, signature };
		const sealed = { type: 'reasoning.encrypted', format, data };
		const thinking = (text: string) => ({ type: 'thinking', thinking: text, signature });
		assert.deepEqual(thinkingOf([signed, sealed]), [thinking('Because'), { type: 'redacted_thinking', data }]);
		assert.deepEqual(thinkingOf([{ ...signed, text: 'Hm' }]), [thinking('Hm')]);
		assert.deepEqual(thinkingOf([signed], ''), [thinking('')]);
		assert.equal(thinkingOf([signed, signed]), undefined);
		assert.equal(
			thinkingOf([
				{ ...signed, signature: 'c2ln' },
				{ ...sealed, data: 'EmwK' },
			]),
			undefined,
		);
	});

	it('takes the message of a reply back as it came, with its reasoning', () => {
		const reply = {
			role: 'assistant',
			content: null,
			refusal: null,
			function_call: null,
			annotations: [],
			reasoning_content: 'Because',
			tool_calls: [{ index: 0, ...call }],
		};
		const result = { role: 'tool', tool_call_id: 'c1', content: 'Text' };
		assert.deepEqual(read({ messages: [user, reply, result] }).messages, [
			user,
			{ role: 'assistant', content: '', reasoning: 'Because', tool_calls: [call] },
			result,
		]);
		assert.equal(read({ messages: [{ ...user, reasoning: 'Mine' }] }).messages[0]?.reasoning, undefined);
	});

	it('takes a tool that says whether it is strict', () => {
		const tool = { type: 'function', function: { name: 'read', parameters: {} } };
		const { tools } = read({ tools: [{ ...tool, function: { ...tool.function, strict: true } }] });
		assert.deepEqual(tools, [tool]);
		refused({ tools: [{ ...tool, function: { ...tool.function, strict: 'very' } }] }, /^tools\[0\]\.function/);
	});

	it('refuses a body that is no object, and keys that reach for prototypes', () => {
		for (const body of [[], 'text', 3, null]) {
			assert.throws(() => readChatRequest(body), RequestRefused);
		}
		for (const key of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
			const body = `{"model": "m", "messages": [{"role": "user", "content": "x"}], "${key}": {"stream": true}}`;
			try {
				assert.equal(readChatRequest(JSON.parse(body)).stream, undefined);
			} catch (error) {
				assert.ok(error instanceof RequestRefused, String(error));
			}
		}
		assert.equal(Reflect.get({}, 'stream'), undefined);
	});
});
