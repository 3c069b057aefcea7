import assert from 'node:assert/strict';
import fc from 'fast-check';
import { OutputLines } from '../../../../src/service/tasks/taskLog.ts';

function linesOf(bytes: Uint8Array, cuts: readonly number[] = []): string[] {
	const lines = new OutputLines();
	const ends = [...cuts.map(cut => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
	let start = 0;
	const result: string[] = [];
	for (const end of ends) {
		result.push(...lines.push(bytes.subarray(start, end)));
		start = end;
	}
	return [...result, ...lines.end()];
}

const bytesOf = (text: string) => Buffer.from(text);

describe('OutputLines', () => {
	it('cuts at LF, CR LF and a lone CR, and keeps empty lines', () => {
		assert.deepEqual(linesOf(bytesOf('a\nb\r\nc\rd\n\ne')), ['a', 'b', 'c', 'd', '', 'e']);
	});

	it('has no line after the last end', () => {
		assert.deepEqual(linesOf(bytesOf('a\n')), ['a']);
		assert.deepEqual(linesOf(bytesOf('')), []);
	});

	it('makes the same lines however the bytes are cut', () => {
		const text = fc.string({
			unit: fc.constantFrom('a', '\r', '\n', '\r\n', 'é', '😀', '\u0000', '\u001b[1m', '\uFEFF'),
		});
		fc.assert(
			fc.property(text, fc.array(fc.nat(200)), (content, cuts) => {
				const bytes = bytesOf(content);
				assert.deepEqual(linesOf(bytes, cuts), linesOf(bytes));
			}),
		);
	});

	it('replaces bytes that are no UTF-8, also at the end', () => {
		assert.deepEqual(linesOf(Uint8Array.of(0x61, 0xff, 0x0a, 0xf0, 0x9f)), ['a\uFFFD', '\uFFFD']);
	});

	it('cuts a line over 16 KB, says so, and never holds more', () => {
		const lines = new OutputLines();
		for (let count = 0; count < 1_000; count++) {
			assert.deepEqual(lines.push(bytesOf('x'.repeat(1024))), []);
		}
		const [line = ''] = lines.push(bytesOf('\nnext\n'));
		assert.ok(line.length < 17 * 1024);
		assert.match(line, /^x+ … \(line cut\)$/);
		assert.deepEqual(lines.push(bytesOf('after\n')), ['after']);
	});

	it('never leaves half a character where it cuts', () => {
		const [line = ''] = linesOf(bytesOf(`x${'😀'.repeat(10_000)}\n`));
		assert.ok(line.isWellFormed());
	});
});
