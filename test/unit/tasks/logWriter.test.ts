import assert from 'node:assert/strict';
import { LogWriter, type TextSink } from '../../../src/tasks/logWriter.ts';
import { waitFor } from '../../support/waitFor.ts';

class Channel implements TextSink {
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

const leftOut = (index: number) => `<before ${index}>`;

describe('a log writer', () => {
	it('appends what came together in one batch', async () => {
		const channel = new Channel();
		const writer = new LogWriter(channel, leftOut);
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
		const writer = new LogWriter(channel, leftOut);
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
		const writer = new LogWriter(channel, leftOut);
		for (let index = 0; index < 100_000; index++) {
			writer.write([`line ${index}`], index);
		}
		writer.finish();
		const lines = channel.text.trimEnd().split('\n');
		assert.equal(lines.length, 20_001);
		assert.equal(lines[0], '<before 80000>');
		assert.equal(lines[1], 'line 80000');
		assert.equal(lines.at(-1), 'line 99999');
		writer.dispose();
	});

	it('writes what is left when it goes, and nothing after that', () => {
		const channel = new Channel();
		const writer = new LogWriter(channel, leftOut);
		writer.write(['last'], 0);
		writer.dispose();
		writer.write(['late'], 1);
		writer.finish();
		assert.equal(channel.text, 'last\n');
	});
});
