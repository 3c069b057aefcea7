import assert from 'node:assert/strict';
import type { ReplyUse } from '../../src/base/replySums.ts';
import { monthlyUseSchema } from '../../src/contract/agents.ts';
import { showCosts } from '../../src/costs/showCosts.ts';
import { waitFor } from '../support/waitFor.ts';
import { QuickPicks } from './quickPicks.ts';

const MONTH = new Date().toISOString().slice(0, 7);

describe('the list of costs', () => {
	let picks: QuickPicks;

	beforeEach(() => {
		picks = new QuickPicks();
	});
	afterEach(() => picks.stop());

	const none = async (): Promise<ReplyUse> => ({ used: [], unreadable: 0 });
	const chat = async (): Promise<ReplyUse> => ({
		used: [
			{
				connection: 'local',
				months: [
					{
						month: MONTH,
						parts: [
							{
								model: 'coder',
								provider: 'cellar',
								count: 1,
								inputTokens: 100,
								outputTokens: 20,
								cost: { known: 'nothing' },
							},
						],
					},
				],
			},
		],
		unreadable: 0,
	});
	const connections = {
		all: async () => [
			{ name: 'local', label: 'Local', hasTasks: true },
			{ name: 'acme', label: 'Acme $(zap)', hasTasks: true },
			{ name: 'plain', label: 'Plain', hasTasks: false },
		],
	};
	const monthlyUse = async () => {
		const use = { model: 'coder', provider: 'workshop', calls: 2, inputTokens: 2_000, outputTokens: 200, cost: 0.009 };
		return monthlyUseSchema.parse({ months: [{ month: MONTH, tasks: 1, models: [use] }] }).months;
	};
	const lists = (count: number) => waitFor('the list', () => picks.shown.length === count && picks.rows().length > 0);

	it('adds up tasks and chat for each connection, says in words what is not known, and shows models and providers', async () => {
		const shown = showCosts({
			connections,
			localService: { monthlyUse },
			chat: { use: chat },
			languageModels: { use: none },
		});
		await lists(1);
		assert.deepEqual(picks.rows().slice(1), [
			'Local | at least $0.009 | tasks: $0.009 · chat: cost not known',
			'Acme \\$(zap) | nothing counted | chat: nothing · tasks: cost not known because the service doesn’t report it',
			'Plain | nothing counted | chat: nothing',
		]);
		await picks.pick('Local');
		await lists(2);
		assert.deepEqual(picks.rows(), [
			'coder by workshop | $0.009 | Tasks · 2 requests · 2,000 tokens in, 200 out',
			'coder by cellar | cost not known | Chat · 1 reply · 100 tokens in, 20 out',
		]);
		await picks.leave(() => picks.shown.length === 3);
		await picks.leaveAll(shown);
	});

	it('says what cannot be read, and shows the rest', async () => {
		const fails = () => Promise.reject(new Error('The disk is full'));
		const shown = showCosts({
			connections,
			localService: { monthlyUse: fails },
			chat: { use: async () => ({ used: [], unreadable: 2 }) },
			languageModels: { use: none },
		});
		await lists(1);
		const [first = '', second] = picks.rows();
		assert.match(first, /^Couldn’t read the costs of the local service’s tasks: /);
		assert.equal(second, '2 conversations couldn’t be read, so their replies aren’t included.');
		await picks.leaveAll(shown);
	});
});
