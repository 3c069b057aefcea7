import assert from 'node:assert/strict';
import type { ExecutionUse } from '../../../../src/service/store/modelUseStore.ts';
import { describeCost } from '../../../../src/service/tasks/relay/modelCall.ts';
import { USER_SETTINGS } from '../../../../src/service/tasks/relay/taskGateway.ts';

const USE: ExecutionUse = {
	position: 0,
	turn: 1,
	agent: 'errand',
	model: 'small',
	provider: 'alpha',
	calls: 12,
	failedCalls: 0,
	estimatedCalls: 0,
	inputTokens: 8120,
	outputTokens: 640,
	cost: 0.04,
};

describe('the account of a run in the log', () => {
	const account = (use: Partial<ExecutionUse>[], maxCost?: number, turn = 1) =>
		describeCost(
			use.map(part => ({ ...USE, ...part })),
			{ turn, maxCost, settings: USER_SETTINGS },
		).split('\n');

	it('names which provider served what at which cost, and how much of the limit that is', () => {
		assert.deepEqual(account([{}, { model: 'large', provider: 'beta', calls: 1, failedCalls: 1, cost: 0.06 }], 1), [
			'The models have cost US$ 0.1000:',
			'small by alpha: 12 calls, 8120 tokens in, 640 out, US$ 0.0400.',
			'large by beta: 1 call, 1 failed, 8120 tokens in, 640 out, US$ 0.0600.',
			'10 % of the limit of US$ 1 (errand.tasks.maxCost) is used.',
		]);
	});

	it('says "not known" for a model without a price and never zero', () => {
		assert.deepEqual(account([{ cost: null }]), [
			'The models have cost what is not known, as they have no price here:',
			'small by alpha: 12 calls, 8120 tokens in, 640 out, cost not known.',
		]);
		const mixed = account([{}, { model: 'large', cost: null }], 1);
		assert.equal(mixed[0], 'The models have cost at least US$ 0.0400:');
		assert.match(mixed.at(-1) ?? '', /^4 % of the limit .* is used; it does not count models without a price\.$/);
	});

	it('says where tokens were estimated', () => {
		assert.match(account([{ estimatedCalls: 1 }]).join('\n'), /cost about US\$ 0\.0400:\n.*about 8120 tokens in/);
	});

	it('says that no model was asked, and that no provider is known to have served', () => {
		assert.deepEqual(account([]), ['No model was asked.']);
		const [, line] = account([{ provider: null, calls: 1, failedCalls: 1, inputTokens: 0, outputTokens: 0, cost: 0 }]);
		assert.equal(line, 'small, no provider known: 1 call, 1 failed.');
	});

	it('counts the turns before in the cost of the task, and not against the limit of the run', () => {
		assert.deepEqual(account([{ cost: 0.5 }, { turn: 2 }], 1, 2), [
			'The models have cost US$ 0.0400:',
			'small by alpha: 12 calls, 8120 tokens in, 640 out, US$ 0.0400.',
			'4 % of the limit of US$ 1 (errand.tasks.maxCost) is used.',
			'With the earlier turns, the task has cost US$ 0.5400.',
		]);
	});
});
