import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import type { ProviderRequest } from '../../../../../src/service/inference/provider.ts';
import { wholeReply } from '../../../../../src/service/inference/wholeReply.ts';
import { type Answer, FaultServer } from '../../../../support/faultServer.ts';
import { type UpstreamBehaviour, UpstreamServer } from '../../../../support/upstreamServer.ts';
import { allOf, refusal as refused, textOf, useGateway } from '../gatewayHarness.ts';

describe('an upstream', () => {
	const start = useGateway();

	const everything: Omit<ProviderRequest, 'model'> = {
		messages: [
			{ role: 'system', content: 'Be brief.' },
			{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:,' } }] },
			{
				role: 'assistant',
				content: '',
				tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }],
			},
			{ role: 'tool', tool_call_id: 'c1', content: 'done' },
		],
		max_tokens: 9,
		temperature: 0.5,
		seed: 1,
		top_p: 0.9,
		top_k: 3,
		frequency_penalty: 1,
		presence_penalty: 1,
		repetition_penalty: 1.1,
		logit_bias: { 5: 1 },
		top_logprobs: 2,
		min_p: 0.1,
		top_a: 0.1,
		stop: ['end'],
		tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }],
		tool_choice: { type: 'function', function: { name: 'f' } },
		response_format: { type: 'json_schema', json_schema: { name: 'x' } },
		user: 'u',
	};

	it('gets every documented field as it is, asks for the usage of the stream, and is told nothing of the routing', async () => {
		const gateway = await start({ one: { models: [{ id: 'mine', upstreamId: 'small', images: true }] } });
		await gateway.servedBy({ ...everything, model: 'mine', models: ['other'], provider: { order: ['one'] } });
		assert.deepEqual(gateway.server('one').chats[0]?.body, {
			...JSON.parse(JSON.stringify(everything)),
			model: 'small',
			stream: true,
			logprobs: true,
			stream_options: { include_usage: true },
		});
	});

	it('is asked again without the usage where it refuses to be asked for it, and not asked for it after that', async () => {
		const gateway = await start({ one: { behaves: { refuses: 'stream_options' } } });
		const { chunks } = await gateway.chat();
		assert.equal(textOf(await allOf(chunks)), 'Hello there');
		await gateway.servedBy();
		const asked = gateway.server('one').chats.map(({ body }) => 'stream_options' in body);
		assert.deepEqual(asked, [true, false, false]);
	});

	describe('that refuses a parameter', () => {
		const refusal = (message: string, param?: string): UpstreamBehaviour => ({
			status: 400,
			body: { error: { message, type: 'invalid_request_error', param } },
		});
		/** Newer models of the best-known service. */
		const atRequest = (body: Record<string, unknown>): UpstreamBehaviour =>
			'max_tokens' in body
				? refusal(
						"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
						'max_tokens',
					)
				: 'temperature' in body
					? refusal(
							"Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.",
							'temperature',
						)
					: {};

		it('gets the request without it, or with the name that it wants, and so does every later one for the model', async () => {
			const gateway = await start({ one: { models: ['small', 'other'], behaves: { atRequest } } });
			const asked = { max_tokens: 9, temperature: 0.2, seed: 1 };
			assert.equal(textOf(await allOf((await gateway.chat(asked)).chunks)), 'Hello there');
			const chats = () => gateway.server('one').chats;
			assert.equal(chats().length, 3);
			const other = await gateway.chat({ ...asked, model: 'other' });
			assert.deepEqual(other.leftOut, ['temperature']);
			await allOf(other.chunks);
			assert.equal(chats().length, 6);
			const { messages: _, stream_options: __, ...sent } = chats()[2]?.body ?? {};
			assert.deepEqual(sent, { model: 'small', stream: true, seed: 1, max_completion_tokens: 9 });
			await gateway.servedBy(asked);
			assert.equal(chats().length, 7);
			await gateway.servedBy({ ...asked, model: 'other' });
			assert.equal(chats().length, 8);
		});

		it('is named with it in the log, and no longer serves requests that require it', async () => {
			const gateway = await start({ one: { behaves: { atRequest } } });
			await gateway.servedBy({ max_tokens: 9, temperature: 0.2 });
			const lines = gateway.logged.filter(line => line.includes('refuses a parameter'));
			assert.match(lines[0] ?? '', /sent under another name connection=one field=max_tokens$/);
			assert.match(lines[1] ?? '', /left out connection=one field=temperature$/);
			const provider = { require_parameters: true };
			assert.equal(await gateway.servedBy({ max_tokens: 9, provider }), 'one');
			const { message } = await refused(gateway.chat({ temperature: 1, provider }), 404);
			assert.match(message, /"one" does not support temperature/);
		});

		it('gets the limit of tokens under the name that the client gave it, unless it wants the other', async () => {
			const gateway = await start({
				new: { behaves: { atRequest } },
				old: { behaves: { refuses: 'max_completion_tokens' } },
			});
			for (const only of ['new', 'old']) {
				await gateway.servedBy({ max_tokens: 9, limitName: 'max_completion_tokens', provider: { only: [only] } });
			}
			assert.equal(gateway.server('new').chats.length, 1);
			assert.equal(gateway.server('new').chats[0]?.body['max_completion_tokens'], 9);
			assert.equal(gateway.server('old').chats.length, 2);
			assert.equal(gateway.server('old').chats[1]?.body['max_tokens'], 9);
		});

		it('is not asked again about what the reply would be wrong without, nor without end', async () => {
			const format = { response_format: { type: 'json_object' } };
			const gateway = await start({ one: { behaves: refusal("'response_format' is not supported") } });
			const { message } = await refused(gateway.chat(format), 400);
			assert.match(message, /'response_format' is not supported/);
			assert.equal(gateway.server('one').chats.length, 1);
			gateway.server('one').behaviour = refusal("'seed' is not supported");
			await refused(gateway.chat({ seed: 1 }), 400);
			assert.equal(gateway.server('one').chats.length, 3);
			gateway.server('one').behaviour = {
				atRequest: body => {
					const [name] = Object.keys(body).filter(other => !['model', 'messages', 'stream', 'tools'].includes(other));
					return refusal(`Unrecognized request argument supplied: ${name}`);
				},
			};
			await refused(gateway.chat({ ...everything, response_format: { type: 'text' }, tool_choice: 'auto' }), 400);
			assert.equal(gateway.server('one').chats.length, 12);
		});
	});

	it('gives tool calls, reasoning, annotations, logprobs and the name of the model through', async () => {
		const call = { index: 0, id: 'c', type: 'function', function: { name: 'f', arguments: '{"a"' } };
		const annotation = { type: 'url_citation', url_citation: { url: 'https://example.com/' } };
		const logprobs = { content: [{ token: 'yes', logprob: -0.1, top_logprobs: [] }] };
		const choice = (delta: object, rest: object = {}) => ({
			model: 'small:1f3a',
			choices: [{ index: 0, delta, finish_reason: null, ...rest }],
		});
		const gateway = await start({
			one: {
				behaves: {
					chunks: [
						choice({ role: 'assistant', content: null, reasoning_content: 'hm' }),
						choice({ reasoning: 'so' }),
						choice({ tool_calls: [call] }),
						choice({ annotations: [annotation] }),
						choice({ content: 'yes' }, { logprobs }),
						choice({}, { finish_reason: 'stop', provider_specific_fields: { native_finish_reason: 'eos' } }),
					],
				},
			},
		});
		const { chunks, model } = await gateway.chat();
		assert.equal(model, 'small');
		const all = await allOf(chunks);
		const deltas = all.flatMap(chunk => chunk.choices.map(({ delta }) => delta));
		assert.equal(all[0]?.model, 'small:1f3a');
		assert.equal(deltas[0]?.reasoning_content, 'hm');
		assert.equal(deltas[1]?.reasoning, 'so');
		assert.equal(deltas[2]?.tool_calls?.[0]?.function?.arguments, '{"a"');
		assert.equal(deltas[3]?.annotations?.[0]?.url_citation?.url, 'https://example.com/');
		assert.deepEqual(all[4]?.choices[0]?.logprobs, logprobs);
		assert.deepEqual(all[5]?.choices[0]?.provider_specific_fields, { native_finish_reason: 'eos' });
		assert.equal(all.at(-1)?.usage?.completion_tokens, 6);
	});

	it('is understood when it answers with a whole completion in place of a stream', async () => {
		const body = {
			model: 'small',
			choices: [{ index: 0, message: { role: 'assistant', content: 'All at once' }, finish_reason: 'stop' }],
			usage: { prompt_tokens: 1, completion_tokens: 3, total_tokens: 4 },
		};
		const gateway = await start({ one: { behaves: { body } } });
		const all = await allOf((await gateway.chat()).chunks);
		assert.equal(textOf(all), 'All at once');
		assert.equal(all[0]?.usage?.completion_tokens, 3);
	});

	it('is understood when it forgets the end mark, but not when it forgets the finish too', async () => {
		const finish = { choices: [{ index: 0, delta: { content: 'x' }, finish_reason: 'stop' }] };
		const gateway = await start({ one: { behaves: { isForgetful: true, chunks: [finish] } } });
		assert.equal(textOf(await allOf((await gateway.chat()).chunks)), 'x');
		// Some servers write an empty one into every chunk.
		const empty = { choices: [{ index: 0, delta: { content: 'x' }, finish_reason: '' }] };
		for (const behaves of [{}, { chunks: [empty] }]) {
			gateway.server('one').behaviour = { isForgetful: true, ...behaves };
			await assert.rejects(allOf((await gateway.chat()).chunks), /ended its reply early/);
		}
	});

	it('that counts its calls by one index or none has them told apart, streamed and whole', async () => {
		const called = (name: string, fields: object = {}) => ({ ...fields, function: { name, arguments: '{"n":1}' } });
		const chunk = (...calls: object[]) => ({ choices: [{ index: 0, delta: { tool_calls: calls } }] });
		for (const calls of [
			[called('read', { index: 0 }), called('list', { index: 0 })],
			[called('read', { index: 0, id: 'a' }), called('read', { index: 0, id: 'b' })],
			[called('read'), called('read')],
			[called('read', { index: null, id: '' }), called('list', { index: null, id: '' })],
		]) {
			const message = { role: 'assistant', content: null, tool_calls: calls };
			for (const behaves of [
				{ chunks: calls.map(call => chunk(call)) },
				{ chunks: [chunk(...calls)] },
				{ body: { choices: [{ index: 0, message, finish_reason: 'tool_calls' }] } },
			]) {
				const gateway = await start({ one: { behaves } });
				const { chunks } = await gateway.chat();
				const all = await allOf(chunks);
				const sent = all.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? []);
				assert.deepEqual(
					sent.map(({ index }) => index),
					[0, 1],
				);
				const { choices } = await wholeReply((await gateway.chat()).chunks);
				assert.deepEqual(
					choices[0]?.message.tool_calls?.map(({ function: { name, arguments: text } }) => [name, text]),
					calls.map(({ function: { name } }) => [name, '{"n":1}']),
				);
				const { chunks: first } = await gateway.gateway.chat(
					{ model: 'small', messages: [], parallel_tool_calls: false },
					{ host: 'enterprise', endpoint: 'chat', signal: new AbortController().signal },
				);
				const [choice] = (await wholeReply(first)).choices;
				assert.equal(choice?.message.tool_calls?.length, 1);
			}
		}
	});

	it('that thinks aloud at the start of its content has that passed on as reasoning', async () => {
		const pieces = ['<thi', 'nk>Hm', '.</think', '>\n\nYes', '.'];
		const body = { choices: [{ index: 0, message: { content: pieces.join('') }, finish_reason: 'stop' }] };
		for (const behaves of [{ pieces }, { body }]) {
			const gateway = await start({ one: { behaves } });
			const all = await allOf((await gateway.chat()).chunks);
			assert.equal(textOf(all), 'Yes.');
			assert.equal(all.map(({ choices }) => choices[0]?.delta.reasoning_content ?? '').join(''), 'Hm.');
		}
	});

	describe('that does not serve', () => {
		/** What a client is told, after a server has answered in this way. */
		async function told(answer: Answer, status: number): Promise<string> {
			const server = await FaultServer.start(answer);
			try {
				const gateway = await start({ one: { models: ['small'] } });
				gateway.directory.replace({
					findOllama: false,
					upstreams: [{ slug: 'one', url: `${server.origin}/v1`, models: ['small'] }],
				});
				const { message } = await refused(gateway.chat(), status);
				assert.equal(gateway.logged.filter(line => line.includes('a provider did not serve')).length, 1);
				return message;
			} finally {
				await server.stop();
			}
		}

		const sends = (status: number, type: string, text: string) => (response: ServerResponse) => {
			response.writeHead(status, { 'content-type': type });
			response.end(text);
		};

		it('is told to want money where it does, not to refuse its key', async () => {
			const body = JSON.stringify({ error: { message: 'Top up' } });
			assert.equal(
				await told(sends(402, 'application/json', body), 402),
				'The account on one is out of credit or quota: Top up.',
			);
			assert.match(await told(sends(401, 'application/json', body), 502), /^one requires a key: Top up\.$/);
		});

		it('is told to answer with no reply where that is malformed or a page, without a status of success', async () => {
			for (const [type, text, detail] of [
				['application/json', '{"choices": [', /the reply is not JSON, or nested too deeply \(application\/json\)\.$/],
				['application/json', '{"choices": []}', /the reply is no completion\.$/],
				['text/event-stream', 'data: {"choices": [\n\n', /a chunk of the reply is not JSON, or nested too deeply\.$/],
			] as const) {
				const message = await told(sends(200, type, text), 502);
				assert.match(message, /^one sent a response that isn’t a reply: /);
				assert.match(message, detail);
				assert.doesNotMatch(message, /HTTP/);
			}
			assert.match(
				await told(sends(200, 'text/html', '<title>Log in</title>'), 502),
				/^A web page, such as a sign-in page, responded instead of one/,
			);
		});

		it('is told in its own words, however it says them and whatever follows', async () => {
			const words = 'context shift is disabled';
			for (const body of [
				`error: {"message":"${words}"}\n\ndata: [DONE]\n\n`,
				`{"error":"${words}"}\ndata: [DONE]\n\n`,
				`data: {"detail":"${words}"}\n\ndata: [DONE]\n\n`,
				`data: {"choices":[{"index":0,"delta":{"content":""},"error":{"message":"${words}"},"finish_reason":"error"}]}\n\n`,
				`data: {"error":{"message":"Provider returned error","metadata":{"raw":"${words}"}}}\n\n`,
			]) {
				assert.equal(await told(sends(200, 'text/event-stream', body), 502), `one had an internal error: ${words}.`);
			}
			const list = JSON.stringify([{ error: { code: 400, message: words } }]);
			assert.equal(await told(sends(400, 'application/json', list), 400), `one rejected the request: ${words}.`);
		});

		it('and has said something before is broken off, though a mark of the end follows', async () => {
			const begun = 'data: {"choices":[{"index":0,"delta":{"content":"So far"}}]}\n\n';
			for (const line of [
				'error: {"message":"context shift is disabled"}\n\n',
				'{"error":"context shift is disabled"}\n',
			]) {
				const server = await FaultServer.start(sends(200, 'text/event-stream', `${begun}${line}data: [DONE]\n\n`));
				try {
					const gateway = await start({ one: { models: ['small'] } });
					gateway.directory.replace({
						findOllama: false,
						upstreams: [{ slug: 'one', url: `${server.origin}/v1`, models: ['small'] }],
					});
					const { chunks } = await gateway.chat();
					await assert.rejects(
						wholeReply(chunks),
						/^ProviderFailure: one had an internal error: context shift is disabled\.$/,
					);
				} finally {
					await server.stop();
				}
			}
		});

		it('is told to be unreachable with the system’s reason, in the refusal and in the log', async () => {
			const gateway = await start({ one: { models: ['small'] } });
			await gateway.server('one').stop();
			const { message } = await refused(gateway.chat(), 503);
			assert.match(message, /^one can’t be reached: nothing responds at 127\.0\.0\.1:\d+ \(ECONNREFUSED\)\.$/);
			assert.ok(
				gateway.logged.some(line =>
					line.endsWith('a provider did not serve connection=one code=unavailable reason=ECONNREFUSED'),
				),
				gateway.logged.join('\n'),
			);
		});
	});

	describe('with a key', () => {
		it('gets its own alone, and one without a key gets none', async () => {
			const gateway = await start({ one: { key: 'key-of-one' }, two: { key: 'key-of-two' }, open: {} });
			for (const slug of ['one', 'two', 'open']) {
				await gateway.servedBy({ provider: { only: [slug] } });
			}
			for (const [slug, expected] of [
				['one', 'Bearer key-of-one'],
				['two', 'Bearer key-of-two'],
				['open', undefined],
			] as const) {
				const { requests } = gateway.server(slug);
				assert.equal(requests.length, 2, 'its list and a chat');
				assert.ok(requests.every(({ headers }) => headers.authorization === expected));
				assert.ok(
					!JSON.stringify(requests)
						.replaceAll(expected ?? '-', '')
						.includes('key-of'),
				);
			}
		});

		it('does not take it elsewhere by a redirect', async () => {
			const elsewhere = await UpstreamServer.start();
			try {
				for (const status of [301, 307, 308]) {
					const headers = { location: `${elsewhere.url}/chat/completions` };
					const gateway = await start({ one: { key: 'key-of-one', models: ['small'], behaves: { status, headers } } });
					await assert.rejects(
						gateway.chat(),
						/^RequestRefused: one redirected the request to an address that isn’t allowed/,
					);
				}
				assert.equal(elsewhere.requests.length, 0);
			} finally {
				await elsewhere.stop();
			}
		});

		it('that quotes its key in an error has it taken out', async () => {
			const body = { error: { message: 'Incorrect key provided: key-of-one' } };
			const gateway = await start({ one: { key: 'key-of-one', behaves: { status: 401, body } } });
			const error = await gateway.chat().then(
				() => assert.fail('it was served'),
				(reason: Error) => reason,
			);
			assert.match(error.message, /Incorrect key provided/);
			assert.ok(!error.message.includes('key-of-one'));
		});

		const key = 'up-Tide7Lantern-Pebble_42';
		const encoded = key.replace(/[a-z]/gi, letter => `%${letter.charCodeAt(0).toString(16)}`);
		const location = `http://${key}.example/`;
		const reflections: Record<string, UpstreamBehaviour> = {
			'where its words are cut': { status: 401, body: { error: { message: `${'x'.repeat(490)}${key}` } } },
			'as addresses spell it': { status: 401, body: { error: { message: `No such key: ${encoded}` } } },
			'but for its beginning': { status: 401, body: { error: { message: `No such key: ${key.slice(4)}` } } },
			'with a status of success': { status: 200, body: { error: { message: `${'x'.repeat(490)}${key}` } } },
			'in the address that it leads to': { status: 307, headers: { location } },
			'in the type of its reply': { status: 200, headers: { 'content-type': `application/${key}+json` }, body: '<' },
		};
		for (const [what, behaves] of Object.entries(reflections)) {
			it(`that sends it back has it taken out of whatever is told and logged: ${what}`, async () => {
				const gateway = await start({ one: { key, models: ['small'], behaves } });
				const error = await gateway
					.chat()
					.then(({ chunks }) => allOf(chunks))
					.then(
						() => assert.fail('it was served'),
						(reason: unknown) => reason,
					);
				const decoded = (text: string) =>
					text.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
				const told = inspect(error, { depth: 20, showHidden: true, maxStringLength: null });
				for (const text of [told, decoded(told), ...gateway.logged]) {
					assert.doesNotMatch(text, /tide7|lantern|pebble|up-ti/i);
				}
			});
		}
	});
});
