import assert from 'node:assert/strict';
import { parseCompared, parseFromComparisonPage } from '../../../../src/tasks/model/comparisonProtocol.ts';

describe('a message that the page of a comparison may send', () => {
	it('names what to do, with an agent or a file where that is needed, and nothing beside it', () => {
		for (const message of [
			{ kind: 'page-ready' },
			{ kind: 'show-differences' },
			{ kind: 'review', agent: 1 },
			{ kind: 'apply', agent: 0, path: 'a' },
			{ kind: 'show-file', path: 'a' },
			{ kind: 'choose', part: 'a', isTaken: true },
			{ kind: 'choose-all' },
			{ kind: 'make' },
		]) {
			assert.deepEqual(parseFromComparisonPage(message), message);
			assert.equal(parseFromComparisonPage({ ...message, command: 'errand.stopTask' }), undefined);
		}
	});

	it('is not read from anything else', () => {
		for (const message of [
			undefined,
			null,
			'judge',
			{},
			{ kind: 'run' },
			{ kind: 'review' },
			{ kind: 'apply', agent: -1 },
			{ kind: 'show-file', agent: 0, path: 7 },
		]) {
			assert.equal(parseFromComparisonPage(message), undefined);
		}
	});
});

describe('what the editor keeps of a comparison', () => {
	const contender = { taskId: 'race', resultKey: 'race:0' };

	it('names two contenders or more, at most twelve', () => {
		const kept = (count: number) => ({ title: 'Race', contenders: Array.from({ length: count }, () => contender) });
		assert.deepEqual(
			[1, 2, 12, 13].map(count => parseCompared(kept(count)) !== undefined),
			[false, true, true, false],
		);
		for (const nonsense of [undefined, null, 7, {}, { ...kept(2), title: 7 }, { title: '', contenders: [1, 2] }]) {
			assert.equal(parseCompared(nonsense), undefined);
		}
	});
});
