import assert from 'node:assert/strict';
import { executionExtrasSchema } from '../../../../src/contract/agents.ts';
import { costOf, percentOf, servedBy } from '../../../../src/tasks/model/modelUse.ts';

const use = { model: 'small', provider: 'alpha', inputTokens: 100, outputTokens: 10 };
/** The data that a service has sent, as it is read. */
const read = (models: object[]) => executionExtrasSchema.parse({ models }).models ?? [];

describe('what an agent has used', () => {
	it('has the cost that the service tells', () => {
		assert.deepEqual(costOf({ inputTokens: 1, cost: 0.5 }), { known: 'whole', dollars: 0.5, isEstimated: false });
		const models = read([{ ...use, cost: 0.5, estimatedCalls: 1 }]);
		assert.deepEqual(costOf({ inputTokens: 1, cost: 0.5, models }), {
			known: 'whole',
			dollars: 0.5,
			isEstimated: true,
		});
	});

	it('counts an impossible number from a service as not told', () => {
		for (const odd of [-1, -0.01, 1e300, Number.POSITIVE_INFINITY, Number.NaN, '5']) {
			const budget = { limit: 1, spent: odd };
			const told = executionExtrasSchema.parse({
				inputTokens: odd,
				cost: odd,
				budget,
				models: [{ ...use, cost: odd, calls: odd }],
			});
			assert.deepEqual([told.inputTokens, told.cost, told.budget], [undefined, undefined, undefined], String(odd));
			assert.equal(told.models?.[0]?.calls, undefined);
			assert.deepEqual(costOf(told), { known: 'nothing' });
		}
	});

	it('has a cost of zero where models are free, and none where no model was asked', () => {
		assert.deepEqual(costOf({ inputTokens: 1, cost: 0 }), { known: 'whole', dollars: 0, isEstimated: false });
		assert.equal(costOf({ inputTokens: 0, outputTokens: 0, cost: 0 }), undefined);
		assert.equal(costOf({}), undefined);
	});

	it('has the least that it can have cost where only some models have a price', () => {
		const models = read([
			{ ...use, cost: 0.5 },
			{ ...use, model: 'free-of-price' },
		]);
		assert.deepEqual(costOf({ inputTokens: 200, models }), { known: 'part', dollars: 0.5 });
	});

	it('has no known cost where no model has a price, also where the service does not name the models', () => {
		assert.deepEqual(costOf({ inputTokens: 100, models: read([use]) }), { known: 'nothing' });
		assert.deepEqual(costOf({ inputTokens: 100 }), { known: 'nothing' });
	});

	it('names the providers that have served each model, and no model that has not answered', () => {
		const models = read([use, { ...use, provider: 'beta' }, { ...use, turn: 2 }, { model: 'silent', failedCalls: 1 }]);
		assert.deepEqual(servedBy(models), [{ model: 'small', providers: ['alpha', 'beta'] }]);
		assert.deepEqual(servedBy(read([{ ...use, provider: null }])), [{ model: 'small', providers: [] }]);
	});

	it('leaves out a model that a service sends in another form', () => {
		assert.deepEqual(
			read([{ model: 7 }, use]).map(({ model }) => model),
			['small'],
		);
	});

	it('has used a share of its limit', () => {
		assert.equal(percentOf({ limit: 2, spent: 0.5 }), 25);
		assert.equal(percentOf({ limit: 1, spent: 1.2 }), 120);
		assert.equal(percentOf({ limit: 0, spent: 0 }), 100);
	});
});
