import assert from 'node:assert/strict';
import { upstreamHandoverSchema } from '../../../../src/contract/upstreams.ts';
import { ProviderFailure } from '../../../../src/service/inference/provider.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { waitFor } from '../../../support/waitFor.ts';
import {
	allOf,
	type GatewayHarness,
	priced,
	refusal,
	textOf,
	type UpstreamInput,
	useGateway,
} from './gatewayHarness.ts';

describe('the gateway', () => {
	const start = useGateway();

	it('shares 200 requests by the inverse square of the price', async () => {
		const { servers, servedBy } = bound(await start({ cheap: priced(1), middle: priced(2), dear: priced(4) }));
		const counts: Record<string, number> = {};
		for (let count = 0; count < 200; count++) {
			const slug = await servedBy();
			counts[slug] = (counts[slug] ?? 0) + 1;
		}
		for (const [slug, expected] of [
			['cheap', 16 / 21],
			['middle', 4 / 21],
			['dear', 1 / 21],
		] as const) {
			const share = (counts[slug] ?? 0) / 200;
			assert.ok(Math.abs(share - expected) < 0.06, `${slug}: ${share}, not about ${expected}`);
			assert.equal(servers[slug]?.chats.length, counts[slug], 'the reply names the provider that served');
		}
	});

	it('shares 500 requests between slow and expensive providers, around one that fails and one that does not end its replies', async () => {
		const clock = new ManualClock();
		const gateway = await start(
			{
				good: priced(1),
				slow: { ...priced(1), behaves: { firstMs: 3 } },
				dear: priced(4),
				failing: { ...priced(1), behaves: { status: 503 } },
				forgetful: { ...priced(1), behaves: { isForgetful: true } },
			},
			clock,
		);
		const counts: Record<string, number> = {};
		let broken = 0;
		for (let count = 0; count < 500; count++) {
			const { provider, chunks } = await gateway.chat();
			counts[provider] = (counts[provider] ?? 0) + 1;
			await allOf(chunks).catch(error => {
				assert.equal(provider, 'forgetful', String(error));
				broken++;
			});
			clock.pass(100);
		}
		const { good = 0, slow = 0, dear = 0, failing = 0, forgetful = 0 } = counts;
		const near = (share: number, expected: number) =>
			assert.ok(Math.abs(share - expected) < 0.08, `${share}, not about ${expected}: ${JSON.stringify(counts)}`);
		// The shares of those that do not fail are 1 : 1 : 1/16. A slow one loses nothing if no request asks for speed.
		const whole = good + slow + dear;
		near(good / whole, 16 / 33);
		near(slow / whole, 16 / 33);
		near(dear / whole, 1 / 33);
		assert.equal(failing, 0);
		assert.equal(broken, forgetful);
		assert.ok(forgetful > 0 && forgetful < 30, `${forgetful} replies of the provider that does not end them`);
		const asked = gateway.server('failing').chats.length;
		assert.ok(asked > 0 && asked < 30, `the failing provider was asked ${asked} times`);
	});

	it('sends to the cheapest, the fastest and the first to answer, once all have been measured', async () => {
		const { servedBy } = bound(
			await start({
				dear: { ...priced(9), behaves: { firstMs: 60, pauseMs: 5, pieces: Array(10).fill('x') } },
				slow: { ...priced(1), behaves: { firstMs: 30, pauseMs: 40, pieces: Array(10).fill('x') } },
				late: { ...priced(5), behaves: { firstMs: 200, pauseMs: 1, pieces: Array(40).fill('x') } },
			}),
		);
		const tried = new Set<string>();
		while (tried.size < 3) {
			const slug = await servedBy({ provider: { sort: 'throughput' } });
			assert.ok(!tried.has(slug), 'each is tried once');
			tried.add(slug);
		}
		assert.equal(await servedBy({ provider: { sort: 'price' } }), 'slow');
		assert.equal(await servedBy({ provider: { sort: 'latency' } }), 'slow');
		assert.equal(await servedBy({ provider: { sort: 'throughput' } }), 'late');
		assert.equal(await servedBy({ provider: { sort: 'price', preferred_min_throughput: 100 } }), 'late');
	});

	describe('when, before the first chunk, it', () => {
		for (const [what, behaves] of [
			['is turned away with 429', { status: 429 }],
			['is answered with 503', { status: 503 }],
			['is answered with 500', { status: 500 }],
			['is refused for its key', { status: 401 }],
			['is told that there is no such model', { status: 404 }],
			['finds a page in place of a reply', { status: 200, headers: { 'content-type': 'text/html' }, body: '<p>' }],
			['finds the connection broken', { breaksAfter: 0 }],
			['finds an error in place of the first chunk', { errorAfter: 0 }],
		] as const) {
			it(`${what}, it tries the next provider`, async () => {
				const { chat } = bound(await start({ bad: { behaves }, good: {} }));
				const { provider, chunks } = await chat({ provider: { order: ['bad', 'good'] } });
				assert.equal(provider, 'good');
				assert.equal(textOf(await allOf(chunks)), 'Hello there');
			});
		}

		it('finds that no server listens, it tries the next provider', async () => {
			const gateway = await start({ bad: { models: ['small'] }, good: {} });
			await gateway.server('bad').stop();
			assert.equal(await gateway.servedBy({ provider: { order: ['bad'] } }), 'good');
		});

		it('hears nothing for 90 s, it tries the next provider; it waits for the last one as long as it takes', async () => {
			const clock = new ManualClock();
			const gateway = await start({ mute: { behaves: { firstMs: 600_000 } }, good: {} }, clock);
			await gateway.directory.ready();
			const served = gateway.servedBy({ provider: { order: ['mute'] } });
			await waitFor('the first request', () => gateway.server('mute').chats.length === 1);
			await clock.expire(90_000);
			assert.equal(await served, 'good');
			await waitFor('the abort at the upstream', () => gateway.server('mute').chats[0]?.wasAbandoned);
			const leaving = new AbortController();
			const waiting = gateway.chat({ provider: { only: ['mute'] } }, { signal: leaving.signal });
			await waitFor('the request', () => gateway.server('mute').chats.length === 2);
			assert.equal(clock.running(90_000), 0);
			leaving.abort();
			await assert.rejects(waiting);
		});

		it('is told that the request is wrong, it asks no other provider', async () => {
			const gateway = await start({ bad: { behaves: { status: 400 } }, good: {} });
			const { message } = await refusal(gateway.chat({ provider: { order: ['bad', 'good'] } }), 400);
			assert.match(message, /^bad rejected the request: as the test wants it\.$/);
			assert.equal(gateway.server('good').chats.length, 0);
		});

		it('may not fall back, it tries one provider and no other', async () => {
			const gateway = await start({ bad: { ...priced(1), behaves: { status: 503 } }, good: priced(2) });
			await refusal(gateway.chat({ provider: { sort: 'price', allow_fallbacks: false } }), 503);
			await refusal(gateway.chat({ provider: { order: ['bad'], allow_fallbacks: false } }), 503);
			assert.equal(gateway.server('good').chats.length, 0);
		});

		it('has tried all, it names each with its reason, and says when to try again', async () => {
			const gateway = await start({
				broken: { behaves: { status: 500 } },
				busy: { behaves: { status: 429, headers: { 'retry-after': '7' } } },
			});
			const error = await refusal(gateway.chat({ provider: { order: ['broken', 'busy'] } }), 429);
			assert.match(error.message, /^broken had an internal error: .* busy is limiting requests/);
			assert.equal(error.retryAfterMs, 7000);
		});
	});

	it('does not change the provider after the first chunk: the error comes in the reply', async () => {
		const gateway = await start({ bad: { behaves: { errorAfter: 1 } }, good: {} });
		const { provider, chunks } = await gateway.chat({ provider: { order: ['bad'] } });
		assert.equal(provider, 'bad');
		let text = '';
		await assert.rejects(
			async () => {
				for await (const { choices } of chunks) {
					text += choices[0]?.delta.content ?? '';
				}
			},
			(error: unknown) => error instanceof ProviderFailure && /it broke/.test(error.message),
		);
		assert.equal(text, 'Hello');
		assert.equal(gateway.server('good').chats.length, 0);
	});

	it('treats a reply that breaks off as an error, after what had come of it', async () => {
		const gateway = await start({ bad: { behaves: { breaksAfter: 1 } } });
		const { chunks } = await gateway.chat();
		await assert.rejects(allOf(chunks), /bad ended its reply early/);
	});

	it('avoids a provider that has just failed, and comes back to it later', async () => {
		const clock = new ManualClock();
		const gateway = await start({ cheap: priced(1), dear: priced(100) }, clock);
		await gateway.directory.ready();
		gateway.server('cheap').behaviour = { status: 503 };
		const request = { provider: { sort: 'price' } } as const;
		assert.equal(await gateway.servedBy(request), 'dear');
		assert.equal(await gateway.servedBy(request), 'dear');
		assert.equal(gateway.server('cheap').chats.length, 1);
		gateway.server('cheap').behaviour = {};
		await clock.advance(2000);
		assert.equal(await gateway.servedBy(request), 'cheap');
	});

	describe('keeps to the policy', () => {
		const upstreams: Record<string, UpstreamInput> = {
			kept: { ...priced(9), dataPolicy: { zeroDataRetention: true }, quantization: 'fp8' },
			stored: { ...priced(1), dataPolicy: { storesData: true }, quantization: 'int4', parameters: ['temperature'] },
			unknown: { ...priced(2), contextLength: 100 },
		};
		for (const [what, request, served] of [
			['zdr: only a provider that is known to keep nothing', { provider: { zdr: true } }, ['kept']],
			['data_collection: no provider that may store data', { provider: { data_collection: 'deny' } }, ['kept']],
			[
				'quantizations: only a provider that states one of the listed ones',
				{ provider: { quantizations: ['int4', 'int8'] } },
				['stored'],
			],
			['only', { provider: { only: ['unknown', 'elsewhere'] } }, ['unknown']],
			['ignore', { provider: { ignore: ['stored', 'kept'] } }, ['unknown']],
			[
				'require_parameters: no provider that would leave one out',
				{ top_k: 3, provider: { require_parameters: true } },
				['kept', 'unknown'],
			],
			['a format that is demanded', { response_format: { type: 'json_object' } }, ['kept', 'unknown']],
			['a tool that must be called', { tool_choice: 'required' }, ['kept', 'unknown']],
			['max_tokens below the context length', { max_tokens: 100 }, ['kept', 'stored']],
		] as const) {
			it(what, async () => {
				const { servedBy, chats } = counting(await start(upstreams));
				for (let count = 0; count < 12; count++) {
					// Every provider that may serve does so once: those that have served are ignored next.
					const done = Object.keys(chats());
					const ignore = [...('ignore' in (request.provider ?? {}) ? ['stored', 'kept'] : []), ...done];
					const next = { ...request, provider: { ...request.provider, ignore } };
					if (done.length === served.length) {
						await refusal(servedBy(next as object), 404);
						break;
					}
					await servedBy(next as object);
				}
				assert.deepEqual(Object.keys(chats()).sort(), [...served].sort());
			});
		}

		it('and leaves out what a provider does not know, where nothing demands it', async () => {
			const gateway = await start(upstreams);
			await gateway.servedBy({ temperature: 1, top_k: 3, seed: 1, provider: { only: ['stored'] } });
			const body = gateway.server('stored').chats[0]?.body ?? {};
			assert.deepEqual(Object.keys(body).sort(), ['messages', 'model', 'stream', 'stream_options', 'temperature']);
		});

		it('and names for every provider of the model what excludes it', async () => {
			const gateway = await start(upstreams);
			const { message } = await refusal(
				gateway.chat({ provider: { zdr: true, ignore: ['kept'], quantizations: ['int4'] } }),
				404,
			);
			assert.equal(
				message,
				'provider.ignore, provider.zdr: it leaves no provider for this model: "kept" is listed there (provider.ignore); ' +
					'"stored" is not known to keep no data (provider.zdr); "unknown" is not known to keep no data (provider.zdr).',
			);
		});

		it('and runs a model made for code under zero data retention at responses, whatever the request says, and not at chat', async () => {
			const gateway = await start({
				keeps: { models: [{ id: 'coder', codeOriented: true }] },
				forgets: { models: [{ id: 'coder', codeOriented: true }], dataPolicy: { zeroDataRetention: true } },
			});
			const request = { model: 'coder', provider: { zdr: false, order: ['keeps'] } };
			assert.equal(await gateway.servedBy(request, { endpoint: 'responses' }), 'forgets');
			assert.equal(await gateway.servedBy(request), 'keeps');
			assert.equal(await gateway.servedBy({ model: 'coder', provider: { only: ['keeps'] } }), 'keeps');
		});
	});

	describe('reads names', () => {
		it('a prefix on the enterprise form and where prefixes are taken, and nowhere else', async () => {
			const gateway = await start({ one: { prefixes: ['one', 'uno'], ...priced(9) }, other: priced(1) });
			for (const model of ['one/small', 'uno/small']) {
				assert.equal(await gateway.servedBy({ model }), 'one');
			}
			assert.equal(gateway.server('one').chats[0]?.body['model'], 'small');
			assert.match(
				(await refusal(gateway.chat({ model: 'one/small' }, { host: 'public' }), 400)).message,
				/enterprise/,
			);
			assert.match(
				(await refusal(gateway.chat({ model: 'one/small' }, { takesPrefixes: false }), 400)).message,
				/at \/chat\/completions alone/,
			);
		});

		it('a prefix like order: others serve when its provider does not host the model or fails', async () => {
			const gateway = await start({
				one: { behaves: { status: 503 } },
				two: { models: ['large'] },
				three: {},
			});
			for (const model of ['one/small', 'two/small']) {
				assert.equal(await gateway.servedBy({ model }), 'three');
			}
			await refusal(gateway.chat({ model: 'two/small', provider: { allow_fallbacks: false } }), 404);
		});

		it('a full path, with a prefix too, and with the vendor in the id of the model', async () => {
			const gateway = await start({ one: { models: ['small', 'acme/large'] } });
			for (const model of ['errandai/acme/large', 'one/errandai/acme/large', 'errandai/acme/small']) {
				assert.equal(await gateway.servedBy({ model }), 'one');
			}
			assert.deepEqual(
				gateway.server('one').chats.map(({ body }) => body['model']),
				['acme/large', 'acme/large', 'small'],
			);
		});

		it('the id of a model that looks like a prefix and a name as that model', async () => {
			const gateway = await start({ one: { models: ['other/small'] }, other: {} });
			assert.equal(await gateway.servedBy({ model: 'other/small' }), 'one');
		});

		it('an alias on the enterprise form alone; its provider comes first, the request overrules it', async () => {
			const gateway = await start({ one: {}, other: {} });
			gateway.aliases = [{ name: 'mine', model: 'small', provider: 'one' }];
			assert.equal(await gateway.servedBy({ model: 'mine' }), 'one');
			assert.equal(await gateway.servedBy({ model: 'mine', provider: { order: ['other'] } }), 'other');
			assert.match((await refusal(gateway.chat({ model: 'mine' }, { host: 'public' }), 400)).message, /alias/);
		});

		it('the slug of the service as every provider on this machine, on both forms, and not for closed models', async () => {
			const gateway = await start({
				remote: { models: ['small', 'closed'] },
				own: { local: true, models: ['small', { id: 'closed', openWeights: false }], ...priced(50) },
			});
			assert.equal(await gateway.servedBy({ model: 'errand/small' }, { host: 'public' }), 'own');
			assert.equal(await gateway.servedBy({ provider: { only: ['errand'] } }), 'own');
			assert.equal(await gateway.servedBy({ model: 'closed', provider: { ignore: ['own'] } }), 'remote');
			for (const request of [{ model: 'errand/closed' }, { model: 'closed', provider: { only: ['errand'] } }]) {
				assert.match((await refusal(gateway.chat(request), 404)).message, /serves only open models/);
			}
		});

		it('alternates in their order, when the model is unknown or no provider serves it', async () => {
			const gateway = await start({ one: { models: ['a'], behaves: { status: 503 } }, two: { models: ['b', 'c'] } });
			for (const request of [
				{ model: 'a', models: ['b', 'c'] },
				{ model: 'unheard', models: ['a', 'b'] },
			]) {
				const { model, chunks } = await gateway.chat(request);
				await allOf(chunks);
				assert.equal(model, 'b');
			}
			assert.match(
				(await refusal(gateway.chat({ model: 'x', models: ['y'] }), 404)).message,
				/There is "a", "b", "c"\./,
			);
		});
	});

	it('ends what the upstream does when the client goes, before and after the first chunk', async () => {
		const gateway = await start({ one: { behaves: { firstMs: 30_000 } } });
		await gateway.directory.ready();
		const before = new AbortController();
		const waiting = gateway.chat({}, { signal: before.signal });
		await waitFor('the request', () => gateway.server('one').chats.length === 1);
		before.abort();
		await assert.rejects(waiting);
		await waitFor('the abort at the upstream', () => gateway.server('one').chats[0]?.wasAbandoned);

		gateway.server('one').behaviour = { isEndless: true };
		const after = new AbortController();
		const { chunks } = await gateway.chat({}, { signal: after.signal });
		after.abort();
		await assert.rejects(allOf(chunks));
		await waitFor('the abort at the upstream', () => gateway.server('one').chats[1]?.wasAbandoned);
	});

	it('ends what the upstream does when the reader leaves', async () => {
		const gateway = await start({ one: { behaves: { isEndless: true } } });
		const { chunks } = await gateway.chat();
		for await (const _ of chunks) {
			break;
		}
		await waitFor('the abort at the upstream', () => gateway.server('one').chats[0]?.wasAbandoned);
	});

	it('lets the upstream wait for a reader that does not read', async () => {
		const gateway = await start({ one: { behaves: { isEndless: true } } });
		const { chunks } = await gateway.chat();
		const iterator = chunks[Symbol.asyncIterator]();
		await iterator.next();
		const server = gateway.server('one');
		// It goes on until every buffer between the two is full, and no further.
		let sent = -1;
		await waitFor('the upstream to wait', async () => {
			const before = sent;
			sent = server.sentBytes;
			await new Promise(resolve => setTimeout(resolve, 150));
			return before === sent && server.sentBytes === sent;
		});
		assert.ok(sent < 32 * 1024 * 1024, `${sent} bytes lie between the two`);
		await iterator.return?.();
	});

	it('finds a model that an upstream has added since, looking again at most once a minute', async () => {
		const clock = new ManualClock();
		const gateway = await start({ one: {} }, clock);
		await refusal(gateway.chat({ model: 'new' }), 404);
		gateway.server('one').behaviour = { models: [{ id: 'new' }] };
		const lists = () => gateway.server('one').requests.filter(({ path }) => path === '/v1/models').length;
		await refusal(gateway.chat({ model: 'new' }), 404);
		assert.equal(lists(), 1);
		await clock.advance(60_000);
		assert.equal(await gateway.servedBy({ model: 'new' }), 'one');
		assert.equal(lists(), 2);
	});

	it('knows aliases, providers and models as they are now, and describes what has not changed only once', async () => {
		const gateway = await start({ one: { models: ['small'] } });
		const modelsNow = async () => (await gateway.gateway.describe()).models;
		const first = await modelsNow();
		assert.equal(await modelsNow(), first);
		assert.deepEqual(
			first.map(({ id }) => id),
			['small'],
		);
		gateway.aliases = [{ name: 'mine', model: 'small' }];
		assert.equal(await gateway.servedBy({ model: 'mine' }), 'one');
		gateway.aliases = [{ name: 'yours', model: 'small' }];
		await refusal(gateway.chat({ model: 'mine' }), 404);
		assert.equal(await gateway.servedBy({ model: 'yours' }), 'one');
		const { url } = gateway.server('one');
		const upstreams = [{ slug: 'other', url, models: ['large'] }];
		gateway.directory.replace(upstreamHandoverSchema.parse({ upstreams, findOllama: false }));
		await refusal(gateway.chat({ model: 'small' }), 404);
		assert.equal(await gateway.servedBy({ model: 'large' }), 'other');
	});
});

function bound(harness: GatewayHarness) {
	return {
		servers: harness.servers,
		chat: harness.chat.bind(harness),
		servedBy: harness.servedBy.bind(harness),
	};
}

/** Counts the requests of each server that got one. */
function counting(harness: GatewayHarness) {
	const chats = () =>
		Object.fromEntries(
			Object.entries(harness.servers).flatMap(([slug, { chats }]) => (chats.length > 0 ? [[slug, chats.length]] : [])),
		);
	return { chats, servedBy: harness.servedBy.bind(harness) };
}
