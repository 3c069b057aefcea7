import assert from 'node:assert/strict';
import { type FlowPart, textOfParts, WorkFlow } from '../../../../../src/chat/ui/agent/workFlow.ts';
import { processorMs } from '../../../../support/processorTime.ts';
import { step, steps } from './steps.ts';

/** Returns the parts in short: a text in quotes, the id of a step, and the ids of folded steps in brackets. */
function short(parts: readonly FlowPart[]): string {
	return parts
		.map(part =>
			part.kind === 'text'
				? JSON.stringify(part.text)
				: part.kind === 'step'
					? part.step.id
					: `[${part.steps.map(({ id }) => id).join(' ')}]`,
		)
		.join(' ');
}

const arranged = (...given: Parameters<WorkFlow['update']>) => short(new WorkFlow().update(...given));

describe('the flow of an agent’s reply', () => {
	it('is cut where steps began, and nowhere else', () => {
		const given = [step('a', { offset: 3 }), step('b', { offset: 3 }), step('c', { offset: 6 })];
		assert.equal(arranged('onetwothree', given, false), '"one" a b "two" c "three"');
		assert.equal(arranged('one', [], false), '"one"');
		assert.equal(arranged('', [step('a')], false), 'a');
	});

	it('has no part for white space, which does not separate steps either', () => {
		const given = [step('a', { offset: 1 }), step('b', { offset: 4 }), step('c', { offset: 5 })];
		assert.equal(arranged('x \n\ny\n', given, false), '"x" a b "y" c');
	});

	it('loses no text to an offset that lies before another one or beyond the end', () => {
		const given = [step('a', { offset: 4 }), step('b', { offset: 2 }), step('c', { offset: 900 })];
		assert.equal(arranged('abcdefgh', given, true), '"abcd" a b "efgh" c');
	});

	it('grows only in its last text', () => {
		const texts = new WorkFlow().update('onetwo', [step('a', { offset: 3 })], true);
		assert.deepEqual(
			texts.map(part => part.kind === 'text' && part.isLast),
			[false, false, true],
		);
		const ended = new WorkFlow().update('one', [step('a', { offset: 3 })], true);
		assert.equal(ended[0]?.kind === 'text' && ended[0].isLast, false);
	});

	it('keeps the object of each part that did not change', () => {
		const flow = new WorkFlow();
		const known = steps(20, { offset: 3 });
		const before = flow.update('one', known, false);
		const after = flow.update('one and more', [...known], false);
		assert.equal(after[0], before[0]);
		assert.equal(after[1], before[1]);
		const changed = flow.update('one and more', known.with(3, step('3', { offset: 3, title: 'Other' })), false);
		assert.equal(changed[0], before[0]);
		assert.notEqual(changed[1], before[1]);
	});

	it('folds more than eight finished steps that were there before', () => {
		assert.equal(arranged('', steps(8), true), '0 1 2 3 4 5 6 7');
		assert.equal(arranged('', steps(9), true), '[0 1 2 3 4 5 6 7 8]');
	});

	it('never folds what runs, failed, waits or was not allowed', () => {
		for (const others of [
			{ state: 'running' },
			{ state: 'failed' },
			{ state: 'stopped' },
			{ approval: { state: 'waiting' } },
			{ approval: { state: 'no' } },
			{ approval: { state: 'unanswered' } },
			{ approval: { state: 'refused' } },
		] as const) {
			const given = [...steps(9), step('x', others), ...steps(9, {}, 10)];
			assert.equal(
				arranged('', given, true),
				'[0 1 2 3 4 5 6 7 8] x [10 11 12 13 14 15 16 17 18]',
				JSON.stringify(others),
			);
			assert.equal(
				arranged('', steps(20, others), true),
				steps(20)
					.map(({ id }) => id)
					.join(' '),
			);
		}
		assert.equal(arranged('', steps(9, { approval: { state: 'once' } }), true), '[0 1 2 3 4 5 6 7 8]');
	});

	it('lets steps that were watched keep their lines, and folds those that follow', () => {
		const flow = new WorkFlow();
		const seen: string[] = [];
		for (let count = 1; count <= 12; count++) {
			const given = steps(count);
			flow.update('', given.with(-1, step(String(count - 1), { state: 'running' })), true);
			seen.push(short(flow.update('', given, true)));
		}
		const eight = '0 1 2 3 4 5 6 7';
		assert.deepEqual(seen.slice(7), [
			eight,
			`${eight} 8`,
			`${eight} [8 9]`,
			`${eight} [8 9 10]`,
			`${eight} [8 9 10 11]`,
		]);
		assert.equal(short(flow.update('', steps(12), false)), seen.at(-1), 'when the turn is over');
	});

	it('lets a step that the reader is in keep its line', () => {
		const flow = new WorkFlow();
		flow.update('', steps(9), true);
		flow.keep('10');
		assert.equal(short(flow.update('', steps(13), true)), '[0 1 2 3 4 5 6 7 8 9] 10 [11 12]');
	});

	it('forgets whose lines were kept when the reply begins anew', () => {
		const flow = new WorkFlow();
		flow.update('', steps(8), true);
		flow.update('', [], true);
		assert.equal(short(flow.update('', steps(9), true)), '[0 1 2 3 4 5 6 7 8]');
	});

	it('has the text of all parts with blank lines in between', () => {
		const given = [step('a', { offset: 6 }), step('b', { offset: 12 })];
		assert.equal(
			textOfParts(new WorkFlow().update('One.\n\n\n\nTwo.  - three\n', given, false)),
			'One.\n\nTwo.\n\n  - three',
		);
		const wide = `One.${' '.repeat(500_000)}Two.`;
		const spent = processorMs(() => assert.equal(textOfParts(new WorkFlow().update(`${wide}\n`, [], false)), wide));
		assert.ok(spent < 500, `${spent} ms`);
	});
});
