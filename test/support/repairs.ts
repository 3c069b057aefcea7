// Small repairs that scripted agents make in the sample repository.
import type { Step } from './scriptedModel.ts';

/** `src/discount.js`, in which ten widgets are not yet cheaper. */
export const DISCOUNT = `/** More than ten widgets are cheaper, in per cent. */
export const discount = widgets => (widgets > 10 ? 5 : 0);
`;

/** Returns the progress of the discount's repair, by the states of its three steps. */
export const discountPlan = (...states: string[]): Step => ({
	do: 'call',
	tool: 'plan',
	input: {
		steps: ['Find the limit', 'Move it', 'Run the tests'].map((text, at) => ({ text, status: states[at] })),
	},
});

/** A test of `src/discount.js`. */
export const discountTest = (name: string, assertion: string) => `import assert from 'node:assert/strict';
import test from 'node:test';
import { discount } from '../src/discount.js';

test('${name}', () => ${assertion});
`;

/** A test of `src/money.js`, and two ways of separating thousands, the first of which fails it. */
export const MONEY_TEST = `import assert from 'node:assert/strict';
import test from 'node:test';
import { format } from '../src/money.js';

test('separates thousands', () => {
	assert.equal(format(99_950), '999.50');
	assert.equal(format(123_456_789), '1,234,567.89');
});
`;
export const NAIVE = String.raw`.toFixed(2).replace(/(\d)(\d{3})\./, '$1,$2.')`;
export const RIGHT = String.raw`.toFixed(2).replace(/\B(?=(\d{3})+\.)/g, ',')`;
