import assert from 'node:assert/strict';
import { type Connection, connectionSchema } from '../../../src/contract/connection.ts';
import {
	effectiveRoutingPolicy,
	type RoutedRequest,
	routingProblem,
	routingReasonText,
} from '../../../src/contract/routing.ts';

const connectionOf = (plan: 'public' | 'enterprise'): Connection => ({
	name: 'test',
	...connectionSchema.parse({
		apiUrl: 'https://api.example',
		enterpriseUrl: 'https://enterprise.example',
		plan,
		service: 'acme',
		models: [{ id: 'open', openWeights: true }, { id: 'closed', openWeights: false }, { id: 'quick/listed' }],
		providerPrefixes: [{ prefix: 'quick', provider: 'quick-host' }],
		aliases: [
			{ name: 'ours', model: 'open', provider: 'quick-host' },
			{ name: 'bare', model: 'open' },
			{ name: 'strict', model: 'open', provider: { order: ['other'], allow_fallbacks: false, zdr: true } },
			{ name: 'walled', model: 'closed', provider: 'acme' },
		],
	}),
});
const enterprise = connectionOf('enterprise');
const problem = (request: RoutedRequest, connection = enterprise) => {
	const found = routingProblem(connection, request);
	return found && `${found.reason.kind} ${found.field}`;
};

const reasonOf = (request: RoutedRequest, connection = enterprise) => {
	const found = routingProblem(connection, request);
	assert.ok(found);
	return routingReasonText(found.reason);
};

describe('effectiveRoutingPolicy', () => {
	it('adds what a prefix stands for', () => {
		assert.deepEqual(effectiveRoutingPolicy(enterprise, { model: 'quick/open', provider: { sort: 'price' } }), {
			order: ['quick-host'],
			allow_fallbacks: true,
			sort: 'price',
		});
	});

	it('lets the request win over an alias, field by field', () => {
		const { provider } = { provider: { order: ['other'], zdr: true } };
		assert.deepEqual(effectiveRoutingPolicy(enterprise, { model: 'ours', provider }), provider);
		assert.deepEqual(effectiveRoutingPolicy(enterprise, { model: 'ours', provider: { zdr: false } }), {
			order: ['quick-host'],
			zdr: false,
		});
		assert.deepEqual(effectiveRoutingPolicy(enterprise, { model: 'bare' }), {});
		assert.deepEqual(effectiveRoutingPolicy(enterprise, { model: 'strict', provider: { zdr: false } }), {
			order: ['other'],
			allow_fallbacks: false,
			zdr: false,
		});
	});
});

describe('routingProblem', () => {
	it('refuses a prefix and an alias on the public host, with what to send instead', () => {
		const onPublic = connectionOf('public');
		assert.equal(problem({ model: 'quick/open' }, onPublic), 'prefix model');
		assert.equal(problem({ model: 'ours' }, onPublic), 'alias model');
		assert.equal(problem({ model: 'open', models: ['open', 'bare'] }, onPublic), 'alias models[1]');
		assert.match(reasonOf({ model: 'quick/open' }, onPublic), /leave it out and send provider\.order \["quick-host"\]/);
	});

	it('lets every other name go to the public host, the service’s own slug included', () => {
		for (const model of [
			'open',
			'acmeai/vega/open',
			'vendor/open',
			'quick/listed',
			'unknown',
			'acme/open',
			'acme/acmeai/vega/open',
		]) {
			assert.equal(problem({ model }, connectionOf('public')), undefined, model);
		}
	});

	for (const [what, request, expected] of [
		['prefixes on the enterprise host', { model: 'quick/open' }, undefined],
		['aliases on the enterprise host', { model: 'ours', models: ['quick/open'] }, undefined],
		['the service’s own slug for an open model', { model: 'acme/open', provider: { only: ['acme'] } }, undefined],
		['the service’s own slug for a model that is not known', { model: 'acme/unknown' }, undefined],
		['an only with somebody left', { model: 'open', provider: { only: ['a', 'b'], ignore: ['a'] } }, undefined],
		[
			'an order that is ignored, with fallbacks',
			{ model: 'open', provider: { order: ['a'], ignore: ['a'] } },
			undefined,
		],
		['an empty order', { model: 'open', provider: { order: [], allow_fallbacks: false } }, undefined],
		['an empty order for a closed model', { model: 'closed', provider: { order: [] } }, undefined],
		[
			'the service’s own slug beside others for a closed model',
			{ model: 'closed', provider: { order: ['acme', 'a'] } },
			undefined,
		],
		[
			'the service’s own slug and others as only for a closed model',
			{ model: 'closed', provider: { only: ['acme', 'a'] } },
			undefined,
		],
		['an empty only', { model: 'open', provider: { only: [] } }, 'provider.only'],
		['an only that is ignored', { model: 'open', provider: { only: ['a'], ignore: ['b', 'a'] } }, 'provider.only'],
		[
			'an ignored order without fallbacks',
			{ model: 'open', provider: { order: ['a'], ignore: ['a'], allow_fallbacks: false } },
			'provider.order',
		],
		[
			'an order outside of only, without fallbacks',
			{ model: 'open', provider: { order: ['a'], only: ['b'], allow_fallbacks: false } },
			'provider.order',
		],
		[
			'the service’s own slug as only for a closed model that an open one may stand in for',
			{ model: 'closed', models: ['open'], provider: { only: ['acme'] } },
			undefined,
		],
		[
			'the service’s own slug as order for a closed model that an open one may stand in for',
			{ model: 'closed', models: ['open'], provider: { order: ['acme'], allow_fallbacks: false } },
			undefined,
		],
		[
			'the service’s own slug as only for closed models alone',
			{ model: 'closed', models: ['closed'], provider: { only: ['acme'] } },
			'provider.only',
		],
		['the service’s own slug as prefix of a closed model', { model: 'acme/closed' }, 'model'],
		[
			'the service’s own slug as prefix of a closed alternate',
			{ model: 'open', models: ['open', 'acme/closed'] },
			'models[1]',
		],
		[
			'the service’s own slug as prefix of a closed model, whatever the order',
			{ model: 'acme/closed', provider: { order: ['a'] } },
			'model',
		],
		[
			'the service’s own slug as only for a closed model',
			{ model: 'closed', provider: { only: ['acme'] } },
			'provider.only',
		],
		[
			'the service’s own slug and an ignored one as only for a closed model',
			{ model: 'closed', provider: { only: ['acme', 'a'], ignore: ['a'] } },
			'provider.only',
		],
		[
			'the service’s own slug as order for a closed model, with fallbacks',
			{ model: 'closed', provider: { order: ['acme'], allow_fallbacks: true } },
			'provider.order',
		],
		[
			'the service’s own slug and an ignored one as order for a closed model, without fallbacks',
			{ model: 'closed', provider: { order: ['acme', 'a'], ignore: ['a'], allow_fallbacks: false } },
			'provider.order',
		],
		['an alias of a closed model with the service’s own slug', { model: 'walled' }, 'provider.order'],
	] as const satisfies readonly (readonly [string, object, string | undefined])[]) {
		it(`${expected === undefined ? 'allows' : 'refuses'} ${what}`, () => {
			const request_ = request as unknown as RoutedRequest;
			assert.equal(problem(request_), expected && `nobody ${expected}`);
		});
	}

	it('names the value, and the service’s own slug if that is the reason', () => {
		const found = routingProblem(enterprise, { model: 'closed', provider: { only: ['acme'] } });
		assert.deepEqual(found?.value, ['acme']);
		assert.match(reasonOf({ model: 'closed', provider: { only: ['acme'] } }), /acme serves only open models/);
		assert.doesNotMatch(reasonOf({ model: 'closed', provider: { only: [] } }), /acme/);
	});
});
