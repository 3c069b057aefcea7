import assert from 'node:assert/strict';
import { LogWriter } from '../../../../src/tasks/log/logWriter.ts';
import { waitFor } from '../../../support/waitFor.ts';

class Channel {
	text = '';
	edits = 0;
	/** The number of lines. */
	written = 0;

	append(text: string): void {
		this.edits++;
		this.written += text.split('\n').length - 1;
		this.text += text;
	}

	clear(): void {
		this.text = '';
	}
}

describe('a log writer', () => {
	it('appends what came together in one batch', async () => {
		const channel = new Channel();
		const writer = new LogWriter(channel);
		for (let index = 0; index < 500; index++) {
			writer.write([`line ${index}`], index);
		}
		assert.equal(channel.edits, 0);
		await waitFor('the batch', () => channel.edits > 0);
		assert.equal(channel.edits, 1);
		assert.equal(channel.text.split('\n').length, 501);
		writer.dispose();
	});

	it('does not wait once a batch is full', () => {
		const channel = new Channel();
		const writer = new LogWriter(channel);
		for (let index = 0; index < 2500; index++) {
			writer.write([`line ${index}`], index);
		}
		assert.equal(channel.edits, 2);
		writer.finish();
		assert.equal(channel.edits, 3);
		assert.equal(channel.text, `${Array.from({ length: 2500 }, (_, index) => `line ${index}`).join('\n')}\n`);
		writer.dispose();
	});

	it('leaves no more than the most lines at the end, the last ones', () => {
		const channel = new Channel();
		const writer = new LogWriter(channel);
		for (let index = 0; index < 100_000; index++) {
			writer.write([`line ${index}`], index);
		}
		writer.finish();
		const lines = channel.text.trimEnd().split('\n');
		assert.equal(lines.length, 20_001);
		assert.equal(lines[0], '— entries before 80,000 aren’t shown here —');
		assert.equal(lines[1], 'line 80000');
		assert.equal(lines.at(-1), 'line 99999');
		writer.dispose();
	});

	it('writes what is left when it goes, and nothing after that', () => {
		const channel = new Channel();
		const writer = new LogWriter(channel);
		writer.write(['last'], 0);
		writer.dispose();
		writer.write(['late'], 1);
		writer.finish();
		assert.equal(channel.text, 'last\n');
	});

	it('writes no line again at the end', () => {
		const channel = new Channel();
		const writer = new LogWriter(channel, undefined, 10);
		writer.write(['a', 'b'], 0);
		writer.finish();
		writer.finish();
		assert.deepEqual([channel.text, channel.edits], ['a\nb\n', 1]);
	});

	it('cuts an entry of several lines, and says from which entry on the log is there', () => {
		const channel = new Channel();
		const writer = new LogWriter(channel, undefined, 3);
		writer.write(['0a', '0b'], 0);
		writer.write(['1'], 1);
		writer.write(['2'], 2);
		writer.finish();
		assert.equal(channel.text, '— entries before 0 aren’t shown here —\n0b\n1\n2\n');
	});

	it('always shows the last lines in order, and writes each at most twice', () => {
		const limit = 3_000;
		const count = 100_000;
		const channel = new Channel();
		const writer = new LogWriter(channel, undefined, limit);
		for (let index = 0; index < count; index++) {
			writer.write([`line ${index}`], index);
			if ((index + 1) % 1_000 === 0) {
				const shown = channel.text
					.trimEnd()
					.split('\n')
					.slice(-Math.min(limit, index + 1));
				assert.equal(shown[0], `line ${Math.max(0, index + 1 - limit)}`);
				assert.equal(shown.at(-1), `line ${index}`);
			}
		}
		writer.finish();
		const lines = channel.text.trimEnd().split('\n');
		assert.deepEqual([lines.length, lines[0]], [limit + 1, '— entries before 97,000 aren’t shown here —']);
		assert.ok(channel.written <= count * 2.1, `${channel.written} lines were written`);
	});
});
