import assert from 'node:assert/strict';
import {
	combineJudgements,
	JUDGE_QUESTION,
	judgeQuestions,
	judgeRequests,
} from '../../../../src/decisions/model/judge.ts';

const contenders = [
	{ name: 'anna', changes: 'A' },
	{ name: 'bert', changes: 'B' },
];
const names = contenders.map(({ name }) => name);
const reply = (choice: string, probabilities: object, others: object = {}) => ({
	model: 'm',
	usage: undefined,
	answers: { [JUDGE_QUESTION]: { type: 'choice', choice, probabilities, confidence: 1, ...others } },
});
const combine = (...replies: ReturnType<typeof reply>[]) => {
	const { answers, ordersDisagree } = combineJudgements(names, replies);
	return { ...(answers[JUDGE_QUESTION] as { choice?: string; probabilities: Record<string, number> }), ordersDisagree };
};

describe('the judgement between several changes', () => {
	it('is asked for in both orders, without the names of the agents that made them', () => {
		const [first, second] = judgeRequests('the prompt', 'the criteria', contenders);
		assert.deepEqual(first?.state, {
			prompt: 'the prompt',
			criteria: 'the criteria',
			solution_1: 'A',
			solution_2: 'B',
		});
		assert.deepEqual(second?.state, {
			prompt: 'the prompt',
			criteria: 'the criteria',
			solution_1: 'B',
			solution_2: 'A',
		});
		assert.deepEqual(first?.questions[JUDGE_QUESTION], second?.questions[JUDGE_QUESTION]);
		assert.deepEqual(Object.keys(first?.questions ?? {}), [JUDGE_QUESTION, 'reason: solution_1', 'reason: solution_2']);
		assert.deepEqual(Object.keys(second?.questions ?? {}), [JUDGE_QUESTION]);
		assert.doesNotMatch(JSON.stringify([first, second]), /anna|bert/);
		const criteria = judgeQuestions(contenders)[JUDGE_QUESTION]?.criteria;
		assert.deepEqual(Object.keys(criteria ?? {}), ['anna', 'bert', 'none_of_the_above']);
	});

	it('gives the reason for each, by its name', () => {
		const right = { type: 'choice', choice: 'right', probabilities: { right: 0.8, other: 0.2 } };
		const [first, second] = [0.9, 0.1].map(share => reply('solution_1', { solution_1: share }));
		Object.assign(first?.answers ?? {}, { 'reason: solution_1': right });
		const { answers } = combineJudgements(
			names,
			[first, second].filter(one => one !== undefined),
		);
		assert.deepEqual([answers['reason: anna'], answers['reason: bert']], [right, undefined]);
		const questions = judgeQuestions(contenders);
		assert.deepEqual(Object.keys(questions), [JUDGE_QUESTION, 'reason: anna', 'reason: bert']);
	});

	it('averages both orders', () => {
		const found = combine(
			reply('solution_1', { solution_1: 0.9, solution_2: 0.1, none_of_the_above: 0 }),
			reply('solution_2', { solution_1: 0.3, solution_2: 0.7, none_of_the_above: 0 }),
		);
		assert.equal(found.choice, 'anna');
		assert.equal(found.probabilities['anna'], 0.8);
		assert.equal(found.probabilities['bert'], 0.2);
		assert.equal(found.ordersDisagree, false);
	});

	it('lets no position win: where the first is always preferred, both are as likely and the orders disagree', () => {
		const first = reply('solution_1', { solution_1: 0.8, solution_2: 0.2, none_of_the_above: 0 });
		const found = combine(first, first);
		assert.equal(found.probabilities['anna'], 0.5);
		assert.equal(found.probabilities['bert'], 0.5);
		assert.equal(found.choice, undefined);
		assert.equal(found.ordersDisagree, true);
	});

	it('has no winner where the orders disagree and tell no probabilities', () => {
		const stated = { probabilities_source: 'stated' };
		const found = combine(
			reply('solution_1', { solution_1: 0.9 }, stated),
			reply('solution_1', { solution_1: 0.9 }, stated),
		);
		assert.equal(found.choice, undefined);
		assert.deepEqual(found.probabilities, {});
		assert.equal(found.ordersDisagree, true);
	});

	it('keeps the stated probability of the winner, and says that it is stated', () => {
		const stated = { probabilities_source: 'stated' };
		const { choice, probabilities, ...rest } = combine(
			reply('solution_2', { solution_2: 0.9 }, stated),
			reply('solution_1', { solution_1: 0.7 }, stated),
		);
		assert.equal(choice, 'bert');
		assert.deepEqual(probabilities, { bert: 0.8 });
		assert.equal(Reflect.get(rest, 'probabilities_source'), 'stated');
	});

	it('has a winner where the orders disagree and the averages do not', () => {
		const found = combine(
			reply('solution_1', { solution_1: 0.9, solution_2: 0.1, none_of_the_above: 0 }),
			reply('solution_1', { solution_1: 0.55, solution_2: 0.45, none_of_the_above: 0 }),
		);
		assert.equal(found.choice, 'anna');
		assert.equal(found.ordersDisagree, true);
	});

	it('has no answer where a reply has none', () => {
		const nothing = { model: undefined, usage: undefined, answers: {} };
		const { answers } = combineJudgements(names, [nothing, nothing]);
		assert.deepEqual(answers[JUDGE_QUESTION], { type: 'choice', undecided: false, probabilities: {} });
	});
});
