import assert from 'node:assert/strict';
import { replyCost, totalCost } from '../../../../src/chat/model/cost.ts';
import { costOf, servedModel, totalOf, withFacts } from '../../../../src/chat/model/replyFacts.ts';
import { toDetailsView, toSettingsView } from '../../../../src/chat/protocol/toView.ts';
import { type Connection, connectionSchema } from '../../../../src/contract/connection.ts';
import { conversation, reply, TURN_IDS, turn } from '../conversations.ts';

const connection: Connection = {
	...connectionSchema.parse({
		apiUrl: 'https://api.example',
		service: 'acme',
		models: [
			{ id: 'large', prices: { input: 1, output: 2 } },
			{ id: 'lonely', prices: { input: 1, output: 2 } },
		],
		providers: [
			{ slug: 'a', prices: { input: 10, output: 20 }, models: ['large'] },
			{ slug: 'b', prices: { input: 10, output: 20, cachedInput: 1 }, models: ['large'] },
			{ slug: 'c', models: ['large', 'lonely'] },
		],
	}),
	name: 'acme',
};
const usage = { prompt: 1_000_000, completion: 500_000 };
const costs = (model: string, provider: string | undefined, others: object = {}) =>
	replyCost(connection, { model, provider, usage: { ...usage, ...others } });

describe('the cost of a reply', () => {
	it('is based on the prices of the provider that served it', () => {
		assert.deepEqual(costs('large', 'a'), { usd: 20 });
	});

	it('is told as the least where only the model’s price is known and several host it', () => {
		assert.deepEqual(costs('large', 'c'), { usd: 2, atLeast: true });
		assert.deepEqual(costs('lonely', 'c'), { usd: 2 });
	});

	it('counts what came from a cache by its price, and where none is told as the least', () => {
		assert.deepEqual(costs('large', 'b', { cached: 500_000 }), { usd: 15.5 });
		assert.deepEqual(costs('large', 'a', { cached: 500_000 }), { usd: 15, atLeast: true });
	});

	it('is not told without prices or tokens', () => {
		assert.equal(costs('unheard-of', undefined), undefined);
		assert.equal(replyCost(connection, { model: 'large', provider: 'a', usage: { prompt: 3 } }), undefined);
	});

	it('is the least where one side has no price, and not told where that says nothing', () => {
		const costOf = (prices: Record<string, number>) =>
			replyCost({ ...connection, providers: [{ slug: 'd', prices }] }, { model: 'unheard-of', provider: 'd', usage });
		const whole = costOf({ input: 10, output: 20 });
		assert.deepEqual(costOf({ input: 10 }), { usd: 10, atLeast: true });
		assert.deepEqual(costOf({ input: -1, output: 20 }), { usd: (whole?.usd ?? 0) - 10, atLeast: true });
		assert.equal(costOf({ input: 0 }), undefined);
		assert.equal(costOf({ input: -1, output: -1, cachedInput: 1 }), undefined);
		const unanswered = { ...usage, completion: 0 };
		const asked = { model: 'unheard-of', provider: 'd', usage: unanswered };
		assert.deepEqual(replyCost({ ...connection, providers: [{ slug: 'd', prices: { input: 10 } }] }, asked), {
			usd: 10,
		});
	});

	it('is told as the least for a search, and of the local service’s not at all', () => {
		const search = { model: 'acme-search', provider: undefined, usage };
		assert.equal(replyCost(connection, search)?.atLeast, true);
		assert.equal(replyCost({ ...connection, name: 'local' }, search), undefined);
	});

	it('of several is the least as soon as one is not known', () => {
		assert.deepEqual(totalCost([{ usd: 1 }, { usd: 2 }]), { usd: 3 });
		assert.deepEqual(totalCost([{ usd: 1 }, undefined]), { usd: 1, atLeast: true });
		assert.equal(totalCost([undefined]), undefined);
	});
});

describe('what a reply keeps', () => {
	const [first, second] = TURN_IDS;

	it('counts every reply of the conversation, also those that are not shown any more', () => {
		const value = conversation(
			turn(first, 'One?', reply({ usage, cost: { usd: 1 } }), reply({ usage, cost: { usd: 2 } })),
			turn(second, 'Two?', reply({ usage, cost: { usd: 3 } })),
		);
		assert.deepEqual(totalOf(value), {
			replies: 3,
			prompt: 3_000_000,
			completion: 1_500_000,
			isPartial: false,
			cost: { usd: 6 },
		});
		assert.equal(totalOf(conversation(turn(first, 'One?', reply()))).isPartial, true);
	});

	it('counts nothing of a reply that was refused before it was sent', () => {
		const refused = reply({ state: 'failed', text: '' });
		const value = conversation(turn(first, 'One?', reply({ usage, cost: { usd: 1 } })), turn(second, 'Two?', refused));
		assert.deepEqual(totalOf(value), totalOf(conversation(turn(first, 'One?', reply({ usage, cost: { usd: 1 } })))));
	});

	const asked = { model: 'acme-search' };
	const unknown = { inForce: 'as-account-is-set', because: 'account' } as const;
	const demanded = { inForce: 'yes', because: 'request' } as const;

	it('says no cost of a search that failed before it brought anything', () => {
		const facts = { connection, asked, retention: unknown };
		assert.equal(withFacts(reply({ state: 'failed', text: '' }), facts).cost, undefined);
		const continuations = [{ offset: 'An answer.'.length, after: 'stopped', resumedAt: 5 }] as const;
		assert.equal(withFacts(reply({ state: 'failed', continuations }), facts).cost, undefined);
		assert.equal(withFacts(reply(), facts).cost?.atLeast, true);
	});

	it('has the cost of the alternate that served', () => {
		const served = reply({ model: 'lonely', provider: 'c', usage });
		const facts = { connection, asked: { model: 'unheard-of', models: ['lonely'] }, retention: unknown };
		assert.deepEqual(withFacts(served, facts).cost, { usd: 2 });
	});

	it('says of a reply that went on under zero data retention what held for its beginning', () => {
		const facts = { connection, asked: { model: 'large' }, retention: demanded };
		assert.deepEqual(withFacts(reply({ retention: unknown }), facts).retention, unknown);
		assert.deepEqual(withFacts(reply({ retention: demanded }), { ...facts, retention: unknown }).retention, unknown);
		assert.deepEqual(withFacts(reply(), facts).retention, demanded);
	});

	it('adds up the parts of a reply that was continued', () => {
		const continuations = [{ offset: 1, after: 'stopped', resumedAt: 5, usage, cost: { usd: 1 } }] as const;
		assert.deepEqual(costOf(reply({ usage, cost: { usd: 2 }, continuations })), { usd: 3 });
		assert.deepEqual(costOf(reply({ usage, continuations })), { usd: 1, atLeast: true });
	});

	it('tells a digest from a tag of the model’s name', () => {
		const served = (model: string, asked: string) => servedModel(reply({ model, asked: { model: asked } }));
		assert.deepEqual(served('large:0123456789abcdef', 'large'), { model: 'large', digest: '0123456789abcdef' });
		assert.deepEqual(served('llama:8b', 'llama:8b'), { model: 'llama:8b' });
		assert.deepEqual(served('llama:8b', 'an-alias'), { model: 'llama:8b' });
		assert.deepEqual(served('llama:sha256:0123456789', 'an-alias'), { model: 'llama', digest: 'sha256:0123456789' });
	});

	it('shows the policy with every field that was sent, and the time to the first word', () => {
		const details = toDetailsView(
			reply({
				startedAt: 1_000,
				firstAt: 1_250,
				serviceId: 'id-1',
				...{ created: 1_750_000_000, fingerprint: 'fp_1', nativeReason: 'end_turn' },
				asked: {
					model: 'large',
					models: ['small'],
					provider: { sort: 'price', only: ['a'], zdr: false },
					parameters: { temperature: 0 },
				},
				retention: { inForce: 'as-account-is-set', because: 'account' },
			}),
		);
		assert.deepEqual(details, {
			asked: ['large', 'small'],
			routing: { preset: 'cheapest', isPrivate: false, isLimited: true },
			routingFields: [
				['sort', 'price'],
				['only', '["a"]'],
				['zdr', 'false'],
			],
			parameters: [['temperature', '0']],
			retention: { inForce: 'as-account-is-set', because: 'account' },
			serviceId: 'id-1',
			...{ created: 1_750_000_000, fingerprint: 'fp_1', nativeReason: 'end_turn' },
			firstWord: 250,
		});
	});

	it('shows the probabilities of tokens once the reply has ended', () => {
		const logprobs = [{ token: 'a', logprob: 0, top: [{ token: 'b', logprob: Math.log(0.25) }] }];
		const tokens = [{ token: 'a', probability: 1, top: [['b', 0.25]] }];
		assert.deepEqual(toDetailsView(reply({ logprobs }))?.tokens, tokens);
		assert.equal(toDetailsView(reply({ logprobs, state: 'streaming' }))?.tokens, undefined);
	});

	it('shows what the next message is sent with: the conversation’s choice before the settings', () => {
		const defaults = { routing: { sort: 'price' as const }, retention: true, parameters: {}, instructions: '' };
		const empty = conversation();
		const view = toSettingsView(empty, defaults, 'large');
		assert.deepEqual(
			[view.model, view.routing, view.retention],
			['large', { preset: 'cheapest', isPrivate: true, isLimited: false }, 'on'],
		);
		assert.equal(toSettingsView(empty, undefined, 'large').routing.preset, 'unreadable');
		const own = { ...empty, settings: { model: 'small', routing: {}, retention: false } };
		const chosen = toSettingsView(own, defaults, 'large');
		assert.deepEqual(
			[chosen.model, chosen.routing, chosen.retention],
			['small', { preset: 'balanced', isPrivate: false, isLimited: false }, 'off'],
		);
	});
});
