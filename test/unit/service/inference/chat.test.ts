import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import { ServiceProcess } from '../../../support/serviceProcess.ts';
import { errorOf, eventsOf } from '../helpers.ts';

interface Usage {
	prompt_tokens: number;
	completion_tokens: number;
	total_tokens: number;
}

interface Chunk {
	id: string;
	object: string;
	provider: string;
	usage?: Usage;
	choices: { delta: { role?: string; content?: string }; finish_reason: string | null }[];
}

interface Completion {
	usage: Usage;
	choices: { message: { content: string }; finish_reason: string }[];
}

const user = (content: string) => [{ role: 'user', content }];

describe('chat with the demo provider', () => {
	let service: ServiceProcess;

	before(async () => {
		service = await ServiceProcess.start();
	});
	after(() => service.stop());

	const post = (body: object, target = '/chat/completions', init: RequestInit = {}) =>
		service.fetch(target, { json: { model: 'demo', ...body }, ...init });

	async function whole(content: string, fields: object = {}) {
		const response = await post({ messages: user(content), ...fields });
		assert.equal(response.status, 200);
		return (await response.json()) as Completion;
	}

	const textOf = async (content: string, fields: object = {}) =>
		(await whole(content, fields)).choices[0]?.message.content ?? '';

	interface Streamed {
		chunks: Chunk[];
		text: string;
		done: boolean;
		arrivals: number[];
	}

	async function streamed(content: string, fields: object = {}): Promise<Streamed> {
		const response = await post({ messages: user(content), stream: true, ...fields });
		const result: Streamed = { chunks: [], text: '', done: false, arrivals: [] };
		for await (const { data } of eventsOf(response)) {
			assert.ok(!result.done, 'nothing follows the end');
			result.arrivals.push(performance.now());
			if (data === '[DONE]') {
				result.done = true;
			} else {
				const chunk = JSON.parse(data) as Chunk;
				result.chunks.push(chunk);
				result.text += chunk.choices?.[0]?.delta.content ?? '';
			}
		}
		return result;
	}

	it('reads the text of messages that come in parts', async () => {
		const content = [
			{ type: 'text', text: 'two words' },
			{ type: 'image_url', image_url: { url: 'data:,' } },
		];
		const response = await post({ messages: [{ role: 'user', content }], stop: ['**9** characters'] });
		assert.match(await response.text(), /\*\*2\*\* words/);
	});

	it('streams the text of the whole reply in pieces, and says at the end what it used', async () => {
		const [{ chunks, text, done, arrivals }, whole] = await Promise.all([
			streamed('Hello there', { provider: { only: ['demo'] } }),
			textOf('Hello there'),
		]);
		assert.equal(text, whole);
		assert.ok(done);
		assert.equal(chunks[0]?.choices[0]?.delta.role, 'assistant');
		assert.ok(chunks.every(chunk => chunk.provider === 'demo' && chunk.object === 'chat.completion.chunk'));
		assert.equal(new Set(chunks.map(chunk => chunk.id)).size, 1);
		assert.equal(chunks.at(-2)?.choices[0]?.finish_reason, 'stop');
		assert.deepEqual(chunks.at(-1)?.choices, []);
		const usage = chunks.at(-1)?.usage;
		assert.equal(usage?.total_tokens, (usage?.prompt_tokens ?? 0) + (usage?.completion_tokens ?? 0));
		// 60 pieces of 15 ms: had they come at once, streaming would show nothing.
		assert.ok((arrivals.at(-1) ?? 0) - (arrivals[0] ?? 0) > 300);
	});

	it('answers on both paths alike', async () => {
		const [response, plain] = await Promise.all([
			post({ messages: user('Hello'), max_tokens: 9 }, '/v1/chat/completions'),
			textOf('Hello', { max_tokens: 9 }),
		]);
		const completion = (await response.json()) as Completion;
		assert.equal(completion.choices[0]?.message.content, plain);
	});

	it('answers a message of nothing but white space, however long, at once', async () => {
		const began = performance.now();
		const { usage } = await whole(' '.repeat(1024 * 1024), { max_tokens: 1 });
		assert.equal(usage.prompt_tokens, 1);
		assert.ok(performance.now() - began < 10_000);
	});

	it('answers a request with very many stop texts', async () => {
		const stop = Array.from({ length: 300_000 }, () => ' built');
		assert.equal(await textOf('Hello', { stop }), "This is Errand's");
	});

	it('ends at max_tokens and says so; ends before a stop text', async () => {
		const limited = await whole('Hello', { max_tokens: 3 });
		assert.equal(limited.choices[0]?.message.content, "This is Errand's");
		assert.equal(limited.choices[0]?.finish_reason, 'length');
		assert.equal(limited.usage.completion_tokens, 3);
		assert.equal(await textOf('Hello', { stop: ['never in it', ' built-in'] }), "This is Errand's");
	});

	describe('its scripts that fail or last', () => {
		it('slow takes about 20 s', async () => {
			const response = await post({ messages: user('/demo slow'), stream: true });
			const times: number[] = [];
			for await (const _ of eventsOf(response)) {
				times.push(performance.now());
				if (times.length === 8) {
					break;
				}
			}
			const pause = ((times.at(-1) ?? 0) - (times[1] ?? 0)) / (times.length - 2);
			assert.ok(pause > 60, `${pause} ms between two pieces`);
		});

		it('cut ends the connection in the middle, without a word', async () => {
			let text = '';
			let done = false;
			const whole = assert.rejects(async () => (await post({ messages: user('/demo cut') })).text());
			await assert.rejects(async () => {
				for await (const { data } of eventsOf(await post({ messages: user('/demo cut'), stream: true }))) {
					done ||= data === '[DONE]';
					text += (JSON.parse(data) as Chunk).choices[0]?.delta.content ?? '';
				}
			});
			assert.match(text, /after these words$/);
			assert.ok(!done);
			await whole;
		});

		it('error sends an error in the middle of a stream, and as the status of a whole reply', async () => {
			const [{ chunks, done }, response] = await Promise.all([
				streamed('/demo error'),
				post({ messages: user('/demo error') }),
			]);
			assert.match(JSON.stringify(chunks.at(-1)), /"error":\{"message":"The demo was asked to fail/);
			assert.ok(!done);
			assert.match(await errorOf(response, 502), /asked to fail/);
		});
	});

	describe('what it refuses', () => {
		for (const [what, body, field] of [
			['no messages', {}, /messages/],
			['an empty conversation', { messages: [] }, /messages/],
			['an unknown role', { messages: [{ role: 'robot', content: '' }] }, /messages\[0\]\.role/],
			['a temperature over 2', { messages: user('x'), temperature: 2.1 }, /temperature/],
			['top_p of 0', { messages: user('x'), top_p: 0 }, /top_p/],
			['half a token', { messages: user('x'), max_tokens: 0.5 }, /max_tokens/],
			['an undocumented field', { messages: user('x'), prediction: {} }, /prediction/],
			['an undocumented wish', { messages: user('x'), provider: { cheapest: true } }, /cheapest/],
		] as const) {
			it(`${what}, naming the field`, async () => {
				assert.match(await errorOf(await post(body), 400), field);
			});
		}

		it('a body that is no JSON', async () => {
			const response = await service.fetch('/chat/completions', { method: 'POST', body: '{"model":' });
			assert.match(await errorOf(response, 400), /not valid JSON/);
		});

		it('an unknown model, naming the ones there are', async () => {
			assert.match(await errorOf(await post({ model: 'large', messages: user('x') }), 404), /There is "demo"/);
		});

		it('a demand that the only provider left cannot keep, instead of passing over it', async () => {
			const demand = { response_format: { type: 'json_object' }, provider: { only: ['demo-two'] } };
			const message = await errorOf(await post({ messages: user('x'), ...demand }), 404);
			assert.match(message, /"demo-two" does not keep to a format \(response_format\)/);
		});

		it('a routing wish that leaves no provider, naming what excludes whom', async () => {
			for (const [provider, reason] of [
				[{ only: ['other'] }, /^provider\.only: .*"demo" is not listed there; "demo-two" is not listed there\.$/],
				[{ ignore: ['demo', 'demo-two'] }, /^provider\.ignore: .*"demo" is listed there/],
				[{ quantizations: ['fp8'] }, /"demo" does not tell its own; "demo-two" runs it as int8/],
				[{ order: ['other'], allow_fallbacks: false }, /^provider\.order: .*fallbacks are not allowed/],
				[
					{ zdr: true, ignore: ['demo'] },
					/"demo" is listed there \(provider\.ignore\); "demo-two" is not known to keep no/,
				],
				[{ data_collection: 'deny', only: ['demo-two'] }, /"demo-two" may store data \(provider\.data_collection\)/],
			] as const) {
				assert.match(await errorOf(await post({ messages: user('x'), provider }), 404), reason);
			}
			assert.equal((await post({ messages: user('x'), max_tokens: 1, provider: { order: ['other'] } })).status, 200);
			assert.equal((await post({ messages: user('x'), max_tokens: 1, provider: { only: ['demo'] } })).status, 200);
		});
	});

	it('stops generating when the client goes', async () => {
		// An idle time that runs out shows it: the service ends only when no request is under way any more.
		const short = await ServiceProcess.start({ idleSeconds: 1 });
		try {
			const body = JSON.stringify({ model: 'demo', stream: true, messages: user('/demo slow') });
			const request = http.request(`${short.address}/chat/completions`, {
				method: 'POST',
				agent: false,
				headers: { authorization: `Bearer ${short.token}` },
			});
			request.on('error', () => {});
			request.end(body);
			const [response] = (await once(request, 'response')) as [http.IncomingMessage];
			response.on('error', () => {});
			await once(response, 'data');
			const left = performance.now();
			request.destroy();
			assert.equal(await short.ended(), 0);
			assert.ok(performance.now() - left < 15_000);
		} finally {
			await short.stop();
		}
	});
});
