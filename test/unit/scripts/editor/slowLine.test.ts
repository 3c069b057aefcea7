import assert from 'node:assert/strict';
import { slowLine } from '../../../../scripts/editor/slowLine.ts';

describe('a slow line', () => {
	it('gives nothing at once, then everything in order, and its end last', async () => {
		const line = slowLine(20);
		const told: string[] = [];
		line.setEncoding('utf8').on('data', (text: string) => told.push(text));
		line.write('one ');
		line.write('two ');
		line.end('three');
		await new Promise(resolve => setImmediate(resolve));
		assert.deepEqual(told, []);
		await new Promise(resolve => line.once('end', resolve));
		assert.equal(told.join(''), 'one two three');
	});

	it('gives nothing more once it is torn down', async () => {
		const line = slowLine(5);
		line.on('data', () => assert.fail('it is gone'));
		line.write('lost');
		line.destroy();
		// Timers of one length go off in the order in which they were set.
		await new Promise(resolve => setTimeout(resolve, 5));
		assert.equal(line.destroyed, true);
	});
});
