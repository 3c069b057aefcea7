import assert from 'node:assert/strict';
import { LogText, LogWriter } from '../../../../src/tasks/log/logWriter.ts';
import { waitFor } from '../../../support/waitFor.ts';

class Channel {
	text = '';
	edits = 0;

	append(text: string): void {
		this.edits++;
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
});

/** An output channel: its text after the edits. */
function channelOf(text: LogText, edits: { exact?: boolean; push?: [lines: string[], index: number] }[]): string {
	let channel = '';
	for (const { exact, push } of edits) {
		if (push) {
			text.push(...push);
		}
		const edit = text.take(exact);
		channel = edit === undefined ? channel : edit.kind === 'append' ? channel + edit.text : edit.text;
	}
	return channel;
}

describe('the text of a log', () => {
	it('is appended once, and not again', () => {
		const text = new LogText(10);
		text.push(['a', 'b'], 0);
		assert.deepEqual(text.take(), {
			kind: 'append',
			text: 'a\nb\n',
			lines: ['a', 'b'],
			indexes: [0, 0],
		});
		assert.equal(text.take(), undefined);
		assert.equal(text.take(true), undefined);
	});

	it('is cut to its last lines at the end, and says from which entry on it is there', () => {
		const text = new LogText(3);
		const channel = channelOf(text, [
			{ push: [['0a', '0b'], 0] },
			{ push: [['1'], 1] },
			{ push: [['2'], 2] },
			{ exact: true },
		]);
		assert.equal(channel, '— entries before 0 aren’t shown here —\n0b\n1\n2\n');
	});

	it('always holds the last lines in order, and writes each at most twice', () => {
		const limit = 100;
		const count = 10_000;
		const text = new LogText(limit);
		let channel: string[] = [];
		let written = 0;
		for (let index = 0; index < count; index++) {
			text.push([`line ${index}`], index);
			const edit = text.take(index === count - 1);
			assert.ok(edit);
			const lines = edit.text.trimEnd().split('\n');
			written += lines.length;
			channel = edit.kind === 'append' ? [...channel, ...lines] : lines;
			const shown = channel.slice(-Math.min(limit, index + 1));
			assert.equal(shown[0], `line ${Math.max(0, index + 1 - limit)}`);
			assert.equal(shown.at(-1), `line ${index}`);
		}
		assert.equal(channel.length, limit + 1);
		assert.equal(channel[0], '— entries before 9,900 aren’t shown here —');
		assert.ok(written <= count * 2.1, `${written} lines were written`);
	});
});
