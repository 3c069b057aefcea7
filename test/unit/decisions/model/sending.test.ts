import assert from 'node:assert/strict';
import { type Connection, connectionSchema } from '../../../../src/contract/connection.ts';
import { costOf, estimateCost, estimateUsage, modelOf, servedBy } from '../../../../src/decisions/model/sending.ts';

const connection = (others: object = {}): Connection => ({
	name: 'acme',
	...connectionSchema.parse({
		apiUrl: 'https://api.example',
		service: 'acme',
		decisionModel: 'decider',
		models: [{ id: 'decider', prices: { input: 1, output: 2 } }, { id: 'free' }],
		providers: [{ slug: 'fast', prices: { input: 10, output: 20 } }],
		...others,
	}),
});
const usage = { input_tokens: 1_000_000, output_tokens: 500_000 };
const served = (provider: string, model = 'm') => ({ served_by: { provider, model } });

describe('what an evaluation sends and costs', () => {
	it('takes the model that was chosen, else the newest of the connection, else none', () => {
		assert.equal(modelOf(connection(), 'mine-1.0.0'), 'mine-1.0.0');
		assert.equal(modelOf(connection(), undefined), 'decider-latest');
		assert.equal(modelOf(connection({ decisionModel: 'decider-2.0.0' }), undefined), 'decider-2.0.0');
		assert.equal(modelOf(connection({ decisionModel: undefined }), undefined), undefined);
	});

	it('counts the state once for each question of each request', () => {
		const asked = (count: number) => ({
			state: { text: 'x'.repeat(3_500) },
			questions: Object.fromEntries(
				Array.from({ length: count }, (_, at) => [
					`q${at}`,
					{ type: 'noul' as const, instructions: '', criteria: { true: '', false: '' } },
				]),
			),
		});
		const one = estimateUsage([asked(1)]);
		assert.ok(one.input > 1_000 && one.input < 1_100);
		assert.equal(estimateUsage([asked(2), asked(1)]).input, 3 * one.input);
	});

	it('estimates the cost where the connection states a price, also for the newest release', () => {
		const estimate = { input: 1_000_000, output: 0 };
		assert.equal(estimateCost(connection(), 'decider', estimate), 1);
		assert.equal(estimateCost(connection(), 'decider-latest', estimate), 1);
		assert.equal(estimateCost(connection(), 'free', estimate), undefined);
		assert.equal(estimateCost(connection(), 'other-latest', estimate), undefined);
	});

	it('tells what replies have cost by the providers that answered, and nothing if that is not known', () => {
		const reply = { model: 'decider', answers: {}, usage };
		assert.equal(costOf(connection(), 'decider-latest', [reply, reply]), 4);
		const byFast = { model: 'decider-1.0.0', answers: { a: served('fast'), b: served('fast') }, usage };
		assert.equal(costOf(connection(), 'decider-latest', [byFast]), 20);
		const mixed = { ...byFast, answers: { a: served('fast'), b: served('slow') } };
		assert.equal(costOf(connection(), 'unknown', [mixed]), undefined);
		assert.equal(costOf(connection(), 'decider', [{ ...reply, usage: undefined }]), undefined);
		assert.equal(costOf(connection(), 'decider', [reply, { ...reply, usage: undefined }]), undefined);
	});

	it('names once each provider, with its model, that has answered', () => {
		const answers = { a: served('fast'), b: served('fast'), c: served('slow', 'x'), d: { type: 'noul' }, e: null };
		assert.deepEqual(servedBy([{ model: undefined, answers, usage: undefined }]), ['fast · m', 'slow · x']);
	});
});
