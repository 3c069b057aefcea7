import assert from 'node:assert/strict';
import { gatewayDescriptionSchema } from '../../../../src/contract/control.ts';
import { describeGateway } from '../../../../src/service/inference/gatewayDescription.ts';
import type { ModelOffer, Provider } from '../../../../src/service/inference/provider.ts';

function provider(slug: string, offers: Partial<ModelOffer>[], rest: Partial<Provider> = {}): Provider {
	return {
		slug,
		isDedicated: false,
		prefixes: [slug],
		offers: () => offers.map(offer => ({ id: 'm', kinds: ['chat'], ...offer })),
		chat: () => assert.fail('nobody is asked'),
		...rest,
	};
}

describe('the description of the gateway', () => {
	it('is one that a connection can have', () => {
		const description = describeGateway(
			[provider('one', [{ contextLength: 9, prices: { input: 1, output: 2 }, quantization: 'int4' }])],
			[{ name: 'mine', model: 'm', provider: { order: ['one'] } }],
		);
		const read = gatewayDescriptionSchema.parse(JSON.parse(JSON.stringify(description)));
		assert.deepEqual(read, { ...description, foundServers: [], upstreamProblems: [], agents: [] });
	});

	it('has a model once, with the bound that no provider is under, the lowest price, and as open as all say', () => {
		const { models } = describeGateway(
			[
				provider('one', [{ contextLength: 100, prices: { input: 3, output: 3 }, openWeights: true }]),
				provider('two', [{ contextLength: 200, prices: { input: 1, output: 1 }, openWeights: false, label: 'M' }]),
			],
			[],
		);
		assert.deepEqual(models, [
			{
				id: 'm',
				kinds: ['chat', 'responses', 'encrypted'],
				channelProvider: 'one',
				label: 'M',
				contextLength: 200,
				openWeights: false,
				prices: { input: 1, output: 1 },
			},
		]);
	});

	it('tells no bound that one provider does not tell: a client would refuse what that one serves', () => {
		const { models } = describeGateway([provider('one', [{ contextLength: 100 }]), provider('two', [{}])], []);
		assert.equal(models[0]?.contextLength, undefined);
	});

	it('says of a model that it calls tools if any provider can make it', () => {
		const without = provider('one', [{ parameters: new Set(['stop'] as const) }]);
		const withTools = provider('two', [{ parameters: new Set(['tools'] as const) }]);
		assert.equal(describeGateway([without], []).models[0]?.tools, false);
		assert.equal(describeGateway([without, withTools], []).models[0]?.tools, true);
	});

	it('says of a model that it accepts images if any provider of it does', () => {
		const [blind, seeing] = [provider('one', [{}]), provider('two', [{ images: true }])];
		assert.equal(describeGateway([blind], []).models[0]?.images, undefined);
		assert.equal(describeGateway([provider('one', [{ images: false }])], []).models[0]?.images, false);
		assert.equal(describeGateway([blind, provider('three', [{ images: false }])], []).models[0]?.images, undefined);
		const description = describeGateway([blind, seeing], []);
		assert.equal(description.models[0]?.images, true);
		assert.equal(gatewayDescriptionSchema.parse(description).models[0]?.images, true);
	});

	it('has no lowest price for a model that one provider has without a price, as that one may cost less', () => {
		const [priced, unpriced] = [provider('one', [{ prices: { input: 1, output: 1 } }]), provider('two', [{}])];
		assert.deepEqual(describeGateway([priced], []).models[0]?.prices, { input: 1, output: 1 });
		assert.equal(describeGateway([priced, unpriced], []).models[0]?.prices, undefined);
	});

	it('tells of a provider what holds for all of its models', () => {
		const { providers } = describeGateway(
			[
				provider('same', [
					{ id: 'a', quantization: 'int4', dataPolicy: { zeroDataRetention: true } },
					{ id: 'b', quantization: 'fp8', dataPolicy: { zeroDataRetention: true } },
				]),
				provider('mixed', [{ id: 'a', prices: { input: 1, output: 1 } }, { id: 'b' }]),
			],
			[],
		);
		assert.deepEqual(providers, [
			{ slug: 'same', dataPolicy: { zeroDataRetention: true }, quantizations: ['int4', 'fp8'], models: ['a', 'b'] },
			{ slug: 'mixed', models: ['a', 'b'] },
		]);
	});

	it('has the slug of the service where something runs on this machine, for open models', () => {
		const own = provider('own', [{ id: 'open' }, { id: 'closed', openWeights: false }], { isDedicated: true });
		const slugs = describeGateway([own, provider('far', [{}])], []).providers.map(({ slug, models }) => [slug, models]);
		assert.deepEqual(slugs.at(-1), ['errand', ['open']]);
		assert.ok(!describeGateway([provider('far', [{}])], []).providers.some(({ slug }) => slug === 'errand'));
	});
});
