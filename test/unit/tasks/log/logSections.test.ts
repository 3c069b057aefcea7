import assert from 'node:assert/strict';
import type { LogLine } from '../../../../src/tasks/log/logLine.ts';
import { foldsOf, sectionsOf } from '../../../../src/tasks/log/logSections.ts';

const line = (step: string | undefined, fields: Partial<LogLine> = {}): LogLine => ({
	text: step ?? '',
	index: 0,
	isFirst: true,
	step,
	turn: undefined,
	level: undefined,
	colours: [],
	...fields,
});
const lines = [
	line(undefined, { index: -1, level: 'note' }),
	line('git cloning'),
	line('agent'),
	line('agent', { level: 'error' }),
	line('agent', { level: 'error', isFirst: false }),
	line(undefined, { level: 'note' }),
	line('agent'),
	line('git cloning'),
];

describe('the steps of a log', () => {
	it('are the runs of entries of one step, with what went wrong in them', () => {
		assert.deepEqual(sectionsOf(lines), [
			{ step: 'git cloning', start: 1, end: 1, problems: [] },
			{ step: 'agent', start: 2, end: 6, problems: [{ start: 3, end: 4 }] },
			{ step: 'git cloning', start: 7, end: 7, problems: [] },
		]);
	});

	it('fold, as entries of several lines do', () => {
		assert.deepEqual(foldsOf(lines), [
			{ start: 2, end: 6 },
			{ start: 3, end: 4 },
		]);
		assert.deepEqual(foldsOf([]), []);
	});

	it('fold inside what an agent did between two of its messages', () => {
		const message = (fields: Partial<LogLine> = {}) => line('opencode', { turn: 'message', ...fields });
		const work = (step: string | undefined, fields: Partial<LogLine> = {}) => line(step, { turn: 'work', ...fields });
		const turns = [
			work('opencode tool'),
			message(),
			message({ isFirst: false }),
			work('opencode thinks'),
			work('opencode tool'),
			work('opencode tool', { isFirst: false }),
			work(undefined),
			work('opencode tool'),
			message(),
			line(undefined, { level: 'note' }),
			work('opencode plan'),
			line('git committed'),
			work('opencode tool'),
		];
		assert.deepEqual(foldsOf(turns), [
			{ start: 1, end: 7 },
			{ start: 8, end: 10 },
			{ start: 1, end: 2 },
			{ start: 4, end: 7 },
			{ start: 8, end: 9 },
			{ start: 1, end: 2 },
			{ start: 4, end: 5 },
		]);
	});
});
