import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { StandardError } from '../../../../src/agents/session/agentConnection.ts';

describe('StandardError', () => {
	/** Returns the last line of the pieces, of which at most 100 bytes are kept. */
	async function last(...pieces: string[]): Promise<string> {
		const stream = new PassThrough();
		const standardError = new StandardError(stream, 100);
		for (const piece of pieces) {
			stream.write(piece);
		}
		stream.end();
		await new Promise(resolve => stream.once('end', resolve));
		return standardError.lastLine();
	}

	it('keeps the last line, without blank ones and control characters', async () => {
		assert.equal(await last('one\n\u001b[1mtw', '\u0007o\u001b[0m\r\n', '\n \n'), 'two');
		assert.equal(await last(), '');
	});

	it('keeps no more than its limit, however it comes', async () => {
		assert.equal(await last('x'.repeat(1_000)), 'x'.repeat(100));
		assert.equal(await last(...Array.from({ length: 1_000 }, (_, index) => `${index}\n`)), '999');
	});

	it('leaves out what looks like a key', async () => {
		assert.equal(await last('using sk-abcdef123456 as the key'), 'using [redacted] as the key');
	});
});
