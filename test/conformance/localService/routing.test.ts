import assert from 'node:assert/strict';
import { conformance, type Implementation } from './harness.ts';
import { ask } from './routedChat.ts';

/** What the other provider of the model runs it as, and a parameter that it does not know. */
const OTHER = { slug: 'second', quantization: 'int8', unknownParameter: { top_k: 3 } };

async function served(
	implementation: Implementation,
	provider: object,
	rest: object = {},
): Promise<string | undefined> {
	const { fetch, model } = implementation;
	const reply = await ask(fetch, { model, provider, ...rest });
	assert.equal(reply.status, 200, reply.message);
	return reply.provider;
}

async function refused(implementation: Implementation, provider: object, named: RegExp, rest: object = {}) {
	const { fetch, model } = implementation;
	const reply = await ask(fetch, { model, provider, ...rest });
	assert.equal(reply.status, 404, reply.message);
	assert.match(reply.message, named);
}

conformance('routing', verifies => {
	verifies(
		['inference/provider-object/1', 'inference/provider-object/13'],
		'sort by price leads to the cheaper one; an object is taken as a wish too',
		async implementation => {
			for (const sort of ['price', { by: 'price' }]) {
				for (let count = 0; count < 5; count++) {
					assert.equal(await served(implementation, { sort }), implementation.provider);
				}
			}
		},
	);

	verifies('inference/provider-object/12', 'without sort the cheaper one gets the most', async implementation => {
		let cheaper = 0;
		for (let count = 0; count < 40; count++) {
			cheaper += (await served(implementation, {})) === implementation.provider ? 1 : 0;
		}
		assert.ok(cheaper >= 35, `${cheaper} of 40`);
	});

	verifies(
		['inference/provider-object/2', 'inference/provider-object/5', 'inference/provider-object/14'],
		'order is tried in its sequence, whatever the price; then others, unless fallbacks are disabled',
		async implementation => {
			const { provider } = implementation;
			assert.equal(await served(implementation, { order: [OTHER.slug, provider], sort: 'price' }), OTHER.slug);
			assert.equal(await served(implementation, { order: [OTHER.slug], ignore: [OTHER.slug] }), provider);
			await refused(
				implementation,
				{ order: [OTHER.slug], ignore: [OTHER.slug], allow_fallbacks: false },
				/provider\.order|no provider/,
			);
		},
	);

	verifies(
		['inference/provider-object/3', 'inference/provider-object/4', 'inference/provider-object/15'],
		'only and ignore choose the provider',
		async implementation => {
			const { provider } = implementation;
			for (let count = 0; count < 5; count++) {
				assert.equal(await served(implementation, { only: [OTHER.slug] }), OTHER.slug);
				assert.equal(await served(implementation, { ignore: [provider] }), OTHER.slug);
			}
			await refused(implementation, { ignore: [provider, OTHER.slug] }, /provider\.ignore/);
		},
	);

	verifies(
		'inference/provider-object/6',
		'require_parameters excludes a provider that does not know one; without it that provider serves',
		async implementation => {
			const only = [OTHER.slug];
			assert.equal(await served(implementation, { only }, OTHER.unknownParameter), OTHER.slug);
			assert.equal(
				await served(implementation, { only, require_parameters: false }, OTHER.unknownParameter),
				OTHER.slug,
			);
			await refused(
				implementation,
				{ only, require_parameters: true },
				/provider\.require_parameters.*top_k/,
				OTHER.unknownParameter,
			);
		},
	);

	verifies(
		[
			'inference/provider-object/7',
			'inference/provider-object/11',
			'inference/zero-data-retention-zdr/1',
			'inference/zero-data-retention-zdr/2',
			'inference/zero-data-retention-zdr/5',
		],
		'data_collection deny and zdr exclude a provider whose policy is not known; allow, false and absence do not',
		async implementation => {
			const only = [OTHER.slug];
			for (const wish of [{}, { data_collection: 'allow' }, { zdr: false }]) {
				assert.equal(await served(implementation, { only, ...wish }), OTHER.slug);
			}
			for (const [field, wish] of Object.entries({ data_collection: 'deny', zdr: true })) {
				assert.equal(await served(implementation, { order: only, [field]: wish }), implementation.provider);
				await refused(implementation, { only, [field]: wish }, new RegExp(`provider\\.${field}`));
			}
		},
	);

	verifies('inference/provider-object/8', 'quantizations are those that may serve', async implementation => {
		const quantizations = ['int4', OTHER.quantization];
		assert.equal(await served(implementation, { quantizations }), OTHER.slug);
		await refused(implementation, { quantizations: ['int4'] }, /provider\.quantizations/);
	});

	verifies(
		['inference/provider-object/9', 'inference/provider-object/10'],
		'a preferred speed that nobody keeps is a preference, and no filter',
		async implementation => {
			for (const wish of [
				{ preferred_min_throughput: 1e9 },
				{ preferred_min_throughput: { p50: 1e9 } },
				{ preferred_max_latency: 0 },
				{ preferred_max_latency: { p90: 0 } },
			]) {
				await served(implementation, wish);
			}
		},
	);

	verifies(
		[
			'inference/model-identifiers/2',
			'inference/provider-prefix-shorthand/1',
			'inference/provider-prefix-shorthand/2',
			'inference/authentication/2',
		],
		'a prefix prefers its provider, on the enterprise host and /chat/completions alone',
		async ({ fetch, fetchEnterprise, model }) => {
			const prefixed = { model: `${OTHER.slug}/${model}` };
			const reply = await ask(fetchEnterprise, prefixed);
			assert.deepEqual([reply.provider, reply.model], [OTHER.slug, model], reply.message);
			for (const elsewhere of [
				await ask(fetch, prefixed),
				await ask(fetch, prefixed, '/v1/chat/completions'),
				await ask(fetchEnterprise, prefixed, '/v1/chat/completions'),
			]) {
				assert.equal(elsewhere.status, 400);
				assert.match(elsewhere.message, /prefix/);
			}
		},
	);

	verifies(
		'inference/provider-prefix-shorthand/prose/1',
		'a prefix is lowercase and ends with a slash; anything else is a name that is not there',
		async ({ fetchEnterprise, model }) => {
			for (const name of [`Second/${model}`, `second:${model}`, `second/`, `/${model}`]) {
				assert.equal((await ask(fetchEnterprise, { model: name })).status, 404, name);
			}
		},
	);

	verifies(
		'inference/provider-prefix-shorthand/3',
		'a prefix of one who may not serve leads to another one, or to an error',
		async ({ fetchEnterprise, model, provider }) => {
			const prefixed = { model: `${OTHER.slug}/${model}` };
			const ignore = [OTHER.slug];
			assert.equal((await ask(fetchEnterprise, { ...prefixed, provider: { ignore } })).provider, provider);
			const { status } = await ask(fetchEnterprise, { ...prefixed, provider: { ignore, allow_fallbacks: false } });
			assert.equal(status, 404);
		},
	);

	verifies(
		'inference/model-identifiers/3',
		'a full path names the model, with a prefix of its own too',
		async ({ fetch, fetchEnterprise, model }) => {
			const path = `errandai/errand/${model}`;
			assert.equal((await ask(fetch, { model: path })).model, model);
			const reply = await ask(fetchEnterprise, { model: `${OTHER.slug}/${path}` });
			assert.deepEqual([reply.provider, reply.model], [OTHER.slug, model], reply.message);
		},
	);

	verifies(
		'inference/chat-completion-request/3',
		'alternates are tried in their order where the model is not there',
		async ({ fetch, model }) => {
			assert.equal((await ask(fetch, { model: 'no-such', models: ['nor-this', model] })).model, model);
			assert.equal((await ask(fetch, { model: 'no-such', models: ['nor-this'] })).status, 404);
		},
	);

	verifies(
		['unspecified/inference/1', 'inference/versioning/4'],
		'the models are listed on both hosts',
		async implementation => {
			for (const fetch of [implementation.fetch, implementation.fetchEnterprise]) {
				const { data } = (await (await fetch('/v1/models')).json()) as { data: { id: string }[] };
				assert.ok(data.some(({ id }) => id === implementation.model));
			}
			const models = await implementation.client.models.discover();
			assert.ok(JSON.stringify(models).includes(implementation.model));
		},
	);
});
