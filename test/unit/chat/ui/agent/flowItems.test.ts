import assert from 'node:assert/strict';
import { FlowItems } from '../../../../../src/chat/ui/agent/flowItems.ts';
import { WorkFlow } from '../../../../../src/chat/ui/agent/workFlow.ts';
import { step, steps } from './steps.ts';

const partsOf = (...ids: string[]) =>
	new WorkFlow().update(
		'',
		ids.map(id => step(id)),
		false,
	);
const keys = (items: readonly { key: string }[]) => items.map(({ key }) => key.replace('step ', '')).join(' ');

describe('the places of what a reply has once', () => {
	it('are before everything where it is there from the start', () => {
		const items = new FlowItems().arrange(partsOf('a', 'b'), ['plan', 'thoughts', 'summary'], false);
		assert.equal(keys(items), 'summary thoughts plan a b');
	});

	it('are behind what was there when it comes, and stay there', () => {
		const items = new FlowItems();
		assert.equal(keys(items.arrange(partsOf('a'), [], true)), 'a');
		assert.equal(keys(items.arrange(partsOf('a'), ['plan'], true)), 'a plan');
		assert.equal(keys(items.arrange(partsOf('a', 'b'), ['plan', 'thoughts'], true)), 'a plan b thoughts');
		assert.equal(keys(items.arrange(partsOf('a', 'b', 'c'), ['plan', 'thoughts'], true)), 'a plan b thoughts c');
	});

	it('are before everything again when what they came after is gone', () => {
		const items = new FlowItems();
		items.arrange(partsOf('a'), ['plan'], false);
		items.arrange(partsOf('a', 'b'), [], true);
		items.arrange(partsOf('a', 'b'), ['plan'], true);
		assert.equal(keys(items.arrange([], ['plan'], true)), 'plan');
		assert.equal(keys(items.arrange(partsOf('c'), ['plan'], true)), 'plan c');
	});
});

describe('the blocks of a reply', () => {
	const failed = steps(40, { state: 'failed' });

	it('have a limited length', () => {
		const blocks = new FlowItems().blocksOf(new WorkFlow().update('', failed, false));
		assert.deepEqual(
			blocks.map(block => block.length),
			[16, 16, 8],
		);
	});

	it('keep their items, whatever is folded before them', () => {
		const items = new FlowItems();
		const before = items.blocksOf(new WorkFlow().update('', failed, false));
		const after = items.blocksOf(new WorkFlow().update('', [...steps(10), ...failed.slice(10)], false));
		assert.equal(keys(after[0] ?? []), 'fold 0 10 11 12 13 14 15');
		assert.deepEqual(after.slice(1).map(keys), before.slice(1).map(keys));
	});
});
