import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { StandardError } from '../../../../src/agents/session/agentConnection.ts';

describe('StandardError', () => {
	/** Returns what is kept of the pieces, at most 100 bytes. */
	async function kept(...pieces: string[]): Promise<string[]> {
		const stream = new PassThrough();
		const standardError = new StandardError(stream, 100);
		for (const piece of pieces) {
			stream.write(piece);
		}
		stream.end();
		await new Promise(resolve => stream.once('end', resolve));
		return standardError.lastLines();
	}

	it('keeps the last lines, without blank ones and control characters', async () => {
		assert.deepEqual(await kept('one\n\n \n\u001b[1mtw', '\u0007o\u001b[0m\r\n', 'three'), ['one', 'two', 'three']);
		assert.deepEqual(await kept(), []);
	});

	it('keeps no more than its limit, however it comes', async () => {
		assert.deepEqual(await kept(`${'x'.repeat(1_000)}\nlast`), [`${'x'.repeat(95)}`, 'last']);
		const pieces = Array.from({ length: 1_000 }, (_, index) => `${index}\n`);
		const lines = await kept(...pieces);
		assert.equal(lines.at(-1), '999');
		assert.ok(lines.length <= 20);
	});

	it('leaves out what looks like a key', async () => {
		assert.deepEqual(await kept('using sk-abcdef123456 as the key'), ['using [redacted] as the key']);
	});
});
