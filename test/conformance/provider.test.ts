import assert from 'node:assert/strict';
import type { ChatRequest } from '../../src/contract/chatRequest.ts';
import { type Connection, connectionSchema } from '../../src/contract/connection.ts';
import { completed, eligibilityOf } from '../../src/contract/eligibility.ts';
import type { RoutingPolicy } from '../../src/contract/routingPolicy.ts';
import { zeroDataRetentionOf } from '../../src/contract/zeroDataRetention.ts';
import {
	chatUsage,
	closedModel,
	codeModel,
	connectionFields,
	models,
	openModel,
	providers,
	smallCodeModel,
} from '../support/contractServer/fixtures.ts';
import { askBothWays, isRefused, isTurnedAway, serverOf } from './chatProofs.ts';
import { type ProofContext, prove } from './harness.ts';

const messages = [{ role: 'user' as const, content: 'text' }];
const request = (provider?: RoutingPolicy, model = openModel.id): ChatRequest => ({
	model,
	messages,
	...(provider === undefined ? {} : { provider }),
});

/** Resolves with the provider that serves the request in both ways of asking. */
const servedBy = (context: ProofContext, provider?: RoutingPolicy, model?: string) =>
	serverOf(context, request(provider, model));

/** Checks that a policy that leaves no provider is sent as it is, and leads to the service's error. */
const hasNobody = (context: ProofContext, provider: RoutingPolicy, model?: string) =>
	isTurnedAway(context, request(provider, model));

const connectionOf = (server: ProofContext['server'], fields: object = {}): Connection => ({
	name: 'contract',
	...connectionSchema.parse({ ...connectionFields(server), ...fields }),
});

describe('the provider object', () => {
	const id = (position: number) => `inference/provider-object/${position}`;

	prove([id(1), 'unspecified/inference/11'], 'sends sort as a word or an object', async context => {
		await servedBy(context, { sort: 'price' });
		await servedBy(context, { sort: { by: 'price', partition: [null, { deep: 1 }] } });
		await isRefused(
			context,
			{ ...request(), provider: { sort: 'uptime' } },
			/^provider\.sort is "uptime"; allowed: "price", "throughput", "latency", or an object$/,
		);
	});

	prove(id(2), 'sends order', async context => {
		assert.equal(await servedBy(context, { order: ['swiftcore', 'openhub'] }), 'swiftcore');
		await isRefused(context, { ...request(), provider: { order: 'swiftcore' } }, /^provider\.order is a text/);
	});

	prove(id(3), 'sends only, and refuses one that leaves no provider', async context => {
		assert.equal(await servedBy(context, { only: ['openhub'] }), 'openhub');
		await isRefused(
			context,
			{ ...request(), provider: { only: [] } },
			/^provider\.only is \[\]; not allowed: no provider may serve/,
		);
		await isRefused(
			context,
			{ ...request(), provider: { only: ['openhub'], ignore: ['openhub'] } },
			/^provider\.only is \["openhub"\]; not allowed: /,
		);
	});

	prove(id(4), 'sends ignore', async context => {
		assert.notEqual(await servedBy(context, { ignore: ['gridserve'] }), 'gridserve');
		assert.equal(await servedBy(context, { only: ['gridserve', 'openhub'], ignore: ['gridserve'] }), 'openhub');
	});

	prove(id(5), 'sends allow_fallbacks as given, and fills in nothing', async context => {
		const order = ['seeker-platform'];
		assert.notEqual(await servedBy(context, { order, allow_fallbacks: true }), 'seeker-platform');
		assert.notEqual(await servedBy(context, { order }), 'seeker-platform');
		await hasNobody(context, { order, allow_fallbacks: false });
	});

	prove(id(6), 'sends require_parameters as given, and fills in nothing', async context => {
		const provider = { only: ['meshrun'] };
		assert.equal(await serverOf(context, { ...request(provider), top_a: 0.5 }), 'meshrun');
		await isTurnedAway(context, { ...request({ ...provider, require_parameters: true }), top_a: 0.5 });
		await servedBy(context, { require_parameters: false });
	});

	prove(id(7), 'sends data_collection as given, and refuses another word', async context => {
		assert.equal(await servedBy(context, { only: ['meshrun'], data_collection: 'allow' }), 'meshrun');
		await hasNobody(context, { only: ['meshrun'], data_collection: 'deny' });
		await isRefused(
			context,
			{ ...request(), provider: { data_collection: 'maybe' } },
			/^provider\.data_collection is "maybe"; allowed: "allow", "deny"$/,
		);
	});

	prove(id(8), 'sends quantizations', async context => {
		assert.equal(await servedBy(context, { quantizations: ['int4'] }), 'meshrun');
		assert.equal(await servedBy(context, { quantizations: ['int8', 'fp64'] }), 'gridserve');
		// The levels are not documented, so a name that no provider knows is sent too.
		await hasNobody(context, { quantizations: ['q4_k_m'] });
		await isRefused(
			context,
			{ ...request(), provider: { quantizations: 'int4' } },
			/^provider\.quantizations is a text/,
		);
	});

	for (const [position, field] of [
		[9, 'preferred_min_throughput'],
		[10, 'preferred_max_latency'],
	] as const) {
		prove([id(position), 'unspecified/inference/11'], `sends ${field} as a number or an object`, async context => {
			await servedBy(context, { [field]: 1.5 });
			await servedBy(context, { [field]: { p50: 100, p90: { deep: [null] } } });
			await isRefused(
				context,
				{ ...request(), provider: { [field]: 'fast' } },
				new RegExp(`^provider\\.${field} is a text; allowed: a number, or an object`),
			);
		});
	}

	prove(id(11), 'sends zdr as given: absent, false and true are three things', async context => {
		for (const zdr of [true, false]) {
			await servedBy(context, { zdr });
			assert.deepEqual((context.lastRequest().json as ChatRequest).provider, { zdr });
		}
		await servedBy(context, {});
		assert.deepEqual((context.lastRequest().json as ChatRequest).provider, {});
		await servedBy(context);
		assert.ok(!('provider' in (context.lastRequest().json as object)));
		await isRefused(context, { ...request(), provider: { zdr: 'true' } }, /^provider\.zdr is a text/);
	});

	prove(
		`inference/provider-object/prose/1`,
		'sends the slug of each provider in order, only and ignore',
		async context => {
			const slugs = providers.map(({ slug }) => slug).filter(slug => slug !== 'seeker');
			assert.equal(slugs.length, 11);
			for (const slug of slugs) {
				const hosting = models.find(
					({ kinds, hostings }) =>
						kinds.includes('chat') && hostings.some(({ provider, isDown }) => provider === slug && !isDown),
				);
				assert.ok(hosting, slug);
				assert.equal(await servedBy(context, { only: [slug] }, hosting.id), slug);
				assert.equal(await servedBy(context, { order: [slug] }, hosting.id), slug);
				assert.notEqual(await servedBy(context, { ignore: [slug] }, hosting.id), slug);
			}
		},
	);

	prove(id(12), 'names the provider that served without a sort', async context => {
		assert.equal(await servedBy(context), 'gridserve');
	});

	prove(id(13), 'names the best by price, throughput and latency', async context => {
		assert.equal(await servedBy(context, { sort: 'price' }), 'meshrun');
		assert.equal(await servedBy(context, { sort: 'throughput' }), 'quillon');
		assert.equal(await servedBy(context, { sort: 'latency' }), 'swiftcore');
		assert.equal(await servedBy(context, { sort: 'price' }, closedModel.id), 'stratus');
	});

	prove(id(14), 'keeps to the order, and to others only with fallbacks', async context => {
		assert.equal(await servedBy(context, { order: ['seeker-platform', 'openhub', 'meshrun'] }), 'openhub');
		assert.ok(await servedBy(context, { order: ['seeker-platform'] }));
		await hasNobody(context, { order: ['seeker-platform'], allow_fallbacks: false });
		await isRefused(
			context,
			{ ...request(), provider: { order: ['openhub'], ignore: ['openhub'], allow_fallbacks: false } },
			/^provider\.order is \["openhub"\]; not allowed: no provider in it may serve/,
		);
	});

	prove(id(15), 'accepts no provider but the listed ones', async context => {
		assert.equal(await servedBy(context, { only: ['swiftcore'] }), 'swiftcore');
		assert.equal(await servedBy(context, { only: ['swiftcore'], sort: 'price' }), 'swiftcore');
		await hasNobody(context, { only: ['seeker-platform'] });
	});

	prove(id(16), 'leaves it to the service to skip one that does not host the model', async context => {
		assert.equal(await servedBy(context, { order: ['lumiere', 'openhub'] }), 'openhub');
		assert.equal(await servedBy(context, { only: ['lumiere', 'openhub'] }), 'openhub');
		assert.equal(await servedBy(context, { order: ['quillon', 'cumulus'] }, closedModel.id), 'cumulus');
	});
});

describe('zero data retention', () => {
	const id = (position: number) => `inference/zero-data-retention-zdr/${position}`;

	prove(id(1), 'demands it with the request, and knows that it is in force', async context => {
		assert.equal(await servedBy(context, { zdr: true }), 'openhub');
		const policy = zeroDataRetentionOf(connectionOf(context.server), request({ zdr: true }), 'chat');
		assert.deepEqual(policy, { inForce: 'yes', because: 'request' });
		await hasNobody(context, { zdr: true, only: ['gridserve'] });
	});

	prove(
		[id(2), 'unspecified/inference/9'],
		'says "as the account is set" where the connection does not tell',
		async context => {
			for (const provider of [undefined, {}, { zdr: false }]) {
				const of = (fields?: object) =>
					zeroDataRetentionOf(connectionOf(context.server, fields), request(provider), 'chat');
				assert.deepEqual(of(), { inForce: 'as-account-is-set', because: 'account' });
				assert.deepEqual(of({ accountZdr: true }), { inForce: 'yes', because: 'account' });
				assert.deepEqual(of({ accountZdr: false }), { inForce: 'no', because: 'account' });
			}
			assert.equal(await servedBy(context, { zdr: false }), 'gridserve');
			context.server.account.zeroDataRetention = true;
			assert.equal(await servedBy(context, { zdr: false }), 'openhub');
			assert.equal(await servedBy(context), 'openhub');
		},
	);

	prove(
		id(3),
		'knows that the code-oriented models always run under it at responses, and not at chat',
		async ({ server }) => {
			const connection = connectionOf(server, { accountZdr: false });
			for (const { id: model } of [codeModel, smallCodeModel]) {
				for (const provider of [undefined, { zdr: false }]) {
					assert.deepEqual(zeroDataRetentionOf(connection, request(provider, model), 'responses'), {
						inForce: 'yes',
						because: 'code-oriented-model',
					});
					assert.equal(zeroDataRetentionOf(connection, request(provider, model), 'chat').inForce, 'no');
				}
			}
			assert.equal(zeroDataRetentionOf(connection, request(), 'responses').inForce, 'no');
			// Another model may serve in its place, and does not run under it by itself.
			const alternates = { ...request(undefined, codeModel.id), models: [openModel.id] };
			assert.equal(zeroDataRetentionOf(connection, alternates, 'responses').inForce, 'no');
		},
	);

	prove(id(4), 'leaves a provider that caches in memory eligible, and tells what it cached', async context => {
		const { whole, events } = await askBothWays(context, request({ zdr: true }));
		const streamed = events.find(event => event.type === 'usage')?.usage;
		for (const usage of [whole.usage, streamed]) {
			assert.equal(usage?.prompt_tokens_details?.cached_tokens, chatUsage.prompt_tokens_details.cached_tokens);
		}
		// A provider says what it retains; that it caches, and at which price, excludes it from nothing.
		const prices = { input: 1, output: 2, cached_input: 0.1 };
		const provider = { slug: 'cacher', dataPolicy: 'Zero data retention', prices };
		const { dataPolicy } = connectionOf(context.server, { providers: [provider] }).providers[0] ?? {};
		const { exclusions, unknown } = eligibilityOf({ slug: 'cacher', dataPolicy }, { zdr: true }, request());
		assert.deepEqual([exclusions, unknown], [[], []]);
	});

	prove(id(5), 'counts a provider whose policy is not known as retaining data', async context => {
		for (const policy of [{ zdr: true }, { data_collection: 'deny' }] as const) {
			const { exclusions } = eligibilityOf(completed({ slug: 'swiftcore' }), policy, request());
			assert.deepEqual(exclusions, [{ kind: 'zdr' in policy ? 'retains-data' : 'stores-data' }]);
		}
		await hasNobody(context, { only: ['swiftcore'], zdr: true });
		await hasNobody(context, { only: ['swiftcore'], data_collection: 'deny' });
	});

	const stateless = 'inference/states-and-transitions/prose/1';
	prove(
		[id(6), stateless],
		'asks the service for nothing that it would have to keep',
		async ({ client, server, lastRequest }) => {
			await client.chat.complete(request());
			assert.deepEqual(lastRequest().json, request());
			assert.equal(lastRequest().headers.cookie, undefined);
			await client.chat.complete(request());
			// Each request has the whole conversation and does not refer to an earlier one.
			assert.equal(server.received[0]?.text, server.received[1]?.text);
		},
	);
});
