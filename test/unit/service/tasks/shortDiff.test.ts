import assert from 'node:assert/strict';
import { shortDiff } from '../../../../src/service/tasks/agentLog.ts';

const red = (line: string) => `\u001b[31m- ${line}\u001b[39m`;
const green = (line: string) => `\u001b[32m+ ${line}\u001b[39m`;

describe('shortDiff', () => {
	it('shows the lines between the common beginning and the common end', () => {
		assert.equal(shortDiff('a\nb\nc\n', 'a\nB\nnew\nc\n'), [red('b'), green('B'), green('new')].join('\n'));
		assert.equal(shortDiff('', 'a\n'), green('a'));
		assert.equal(shortDiff('a\r\nb', 'a\n'), red('b'));
		assert.equal(shortDiff('a\na\n', 'a\n'), red('a'));
	});

	it('is empty where nothing differs', () => {
		assert.equal(shortDiff('a\nb', 'a\nb\n'), '');
		assert.equal(shortDiff('', ''), '');
	});

	it('says how much of a long change it leaves out, and cuts long lines', () => {
		const lines = shortDiff('', 'x\n'.repeat(100)).split('\n');
		assert.equal(lines.length, 41);
		assert.equal(lines.at(-1), '… and 60 more lines');
		assert.equal(shortDiff('', 'y'.repeat(1_000)), green(`${'y'.repeat(300)}…`));
	});

	it('shows an escape sequence of the change as a sign, so that it colours nothing', () => {
		assert.equal(shortDiff('', '\u001b[2Jx'), green('\u241b[2Jx'));
	});
});
