import assert from 'node:assert/strict';
import type { KnownCost } from '../../../../src/base/knownCost.ts';
import { type ModelPart, monthlyCosts } from '../../../../src/costs/model/monthlyCosts.ts';

const LOCAL = { name: 'local', label: 'Local', hasTasks: true };
const ACME = { name: 'acme', label: 'Acme', hasTasks: true };
const whole = (dollars: number): KnownCost => ({ known: 'whole', dollars, isEstimated: false });
const part = (kind: ModelPart['kind'], cost: KnownCost): ModelPart => ({
	kind,
	model: 'small',
	provider: 'alpha',
	count: 1,
	inputTokens: 1,
	outputTokens: 1,
	cost,
});

describe('the sum of each month', () => {
	it('adds up tasks and chat of a connection, the latest month first', () => {
		const sums = monthlyCosts(
			[LOCAL, ACME],
			[
				{
					connection: 'local',
					months: [
						{ month: '2026-10', parts: [part('tasks', whole(1))] },
						{ month: '2026-11', parts: [part('tasks', whole(2))] },
					],
				},
				{ connection: 'local', months: [{ month: '2026-11', parts: [part('chat', whole(3))] }] },
			],
			'2026-11',
		);
		assert.deepEqual(
			sums.map(({ month, sums: all }) => [month, all.map(({ connection, cost }) => [connection?.label, cost])]),
			[
				[
					'2026-11',
					[
						['Local', whole(5)],
						['Acme', undefined],
					],
				],
				['2026-10', [['Local', whole(1)]]],
			],
		);
	});

	it('has every connection in the current month, also where nothing was ever used', () => {
		const [current, ...earlier] = monthlyCosts([LOCAL, ACME], [], '2026-11');
		assert.deepEqual(earlier, []);
		assert.deepEqual(
			current?.sums.map(({ connection, parts, cost }) => [connection?.name, parts, cost]),
			[
				['local', [], undefined],
				['acme', [], undefined],
			],
		);
	});

	it('is a lower bound where a part is not known, and not known where nothing is', () => {
		const used = (costs: KnownCost[]) => [
			{ connection: 'acme', months: [{ month: '2026-11', parts: costs.map(cost => part('chat', cost)) }] },
		];
		const sumOf = (costs: KnownCost[]) => monthlyCosts([ACME], used(costs), '2026-11')[0]?.sums[0]?.cost;
		assert.deepEqual(sumOf([whole(1), { known: 'nothing' }]), { known: 'part', dollars: 1 });
		assert.deepEqual(sumOf([{ known: 'nothing' }]), { known: 'nothing' });
	});

	it('keeps connections that are in the settings no more, and replies without one', () => {
		const months = [{ month: '2026-10', parts: [part('chat', whole(1))] }];
		const [, earlier] = monthlyCosts(
			[LOCAL],
			[
				{ connection: 'gone', months },
				{ connection: undefined, months },
			],
			'2026-11',
		);
		assert.deepEqual(
			earlier?.sums.map(({ connection }) => connection?.label),
			['gone', undefined],
		);
	});
});
