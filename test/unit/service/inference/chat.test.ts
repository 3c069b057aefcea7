import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import { PROMPTS, STAND_IN, type StandIns, startStandIns } from '../../../support/modelStandIn.ts';
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

describe('chat', () => {
	let standIns: StandIns;
	let service: ServiceProcess;

	before(async () => {
		standIns = await startStandIns(10);
		service = await ServiceProcess.start({ handover: { upstreams: standIns.upstreams } });
	});
	after(async () => {
		await service.stop();
		await standIns.stop();
	});

	const post = (body: object, target = '/chat/completions', init: RequestInit = {}) =>
		service.fetch(target, { json: { model: STAND_IN, ...body }, ...init });

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
		const response = await post({ messages: [{ role: 'user', content }], stop: ['The conversation'] });
		assert.match(await response.text(), /\*\*2\*\* words/);
	});

	it('streams the text of the whole reply in pieces, and says at the end what it used', async () => {
		const [{ chunks, text, done, arrivals }, whole] = await Promise.all([
			streamed('Hello there', { provider: { only: ['first'] } }),
			textOf('Hello there'),
		]);
		assert.equal(text, whole);
		assert.ok(done);
		assert.equal(chunks[0]?.choices[0]?.delta.role, 'assistant');
		assert.ok(chunks.every(chunk => chunk.provider === 'first' && chunk.object === 'chat.completion.chunk'));
		assert.equal(new Set(chunks.map(chunk => chunk.id)).size, 1);
		assert.equal(chunks.at(-2)?.choices[0]?.finish_reason, 'stop');
		assert.deepEqual(chunks.at(-1)?.choices, []);
		const usage = chunks.at(-1)?.usage;
		assert.equal(usage?.total_tokens, (usage?.prompt_tokens ?? 0) + (usage?.completion_tokens ?? 0));
		// More than 20 pieces of 10 ms: had they come at once, streaming would show nothing.
		assert.ok((arrivals.at(-1) ?? 0) - (arrivals[0] ?? 0) > 150);
	});

	it('answers on both paths alike', async () => {
		const [response, plain] = await Promise.all([
			post({ messages: user('Hello'), max_tokens: 9 }, '/v1/chat/completions'),
			textOf('Hello', { max_tokens: 9 }),
		]);
		const completion = (await response.json()) as Completion;
		assert.equal(completion.choices[0]?.message.content, plain);
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
			assert.match(await errorOf(await post({ model: 'large', messages: user('x') }), 404), /There is "stand-in"/);
		});

		it('a demand that the only provider left cannot keep, instead of passing over it', async () => {
			const demand = { response_format: { type: 'json_object' }, provider: { only: ['second'] } };
			const message = await errorOf(await post({ messages: user('x'), ...demand }), 404);
			assert.match(message, /"second" does not keep to a format \(response_format\)/);
		});

		it('a routing wish that leaves no provider, naming what excludes whom', async () => {
			for (const [provider, reason] of [
				[{ only: ['other'] }, /^provider\.only: .*"first" is not listed there; "second" is not listed there\.$/],
				[{ ignore: ['first', 'second'] }, /^provider\.ignore: .*"first" is listed there/],
				[{ quantizations: ['fp8'] }, /"first" does not tell its own; "second" runs it as int8/],
				[{ order: ['other'], allow_fallbacks: false }, /^provider\.order: .*fallbacks are not allowed/],
				[
					{ zdr: true, ignore: ['first'] },
					/"first" is listed there \(provider\.ignore\); "second" is not known to keep no/,
				],
				[{ data_collection: 'deny', only: ['second'] }, /"second" may store data \(provider\.data_collection\)/],
			] as const) {
				assert.match(await errorOf(await post({ messages: user('x'), provider }), 404), reason);
			}
			assert.equal((await post({ messages: user('x'), max_tokens: 1, provider: { order: ['other'] } })).status, 200);
			assert.equal((await post({ messages: user('x'), max_tokens: 1, provider: { only: ['first'] } })).status, 200);
		});
	});

	it('stops generating when the client goes', async () => {
		// An idle time that runs out shows it: the service ends only when no request is under way any more.
		const short = await ServiceProcess.start({ idleSeconds: 1, handover: { upstreams: standIns.upstreams } });
		try {
			const body = JSON.stringify({ model: STAND_IN, stream: true, messages: user(PROMPTS.slow) });
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
