import assert from 'node:assert/strict';
import { textBatches } from '../../../../src/service/channel/textBatches.ts';
import type { ReplyChunk } from '../../../../src/service/inference/provider.ts';

const chunk = (content: string, index = 0): ReplyChunk => ({
	choices: [{ index, delta: { content }, finish_reason: null }],
});

async function collect(chunks: AsyncIterable<ReplyChunk>, into: string[] = []): Promise<string[]> {
	for await (const text of textBatches(chunks)) {
		into.push(text);
	}
	return into;
}

describe('the batches of an encrypted reply', () => {
	it('take together what is there at once', async () => {
		const pieces = await collect(
			(async function* () {
				yield chunk('one ');
				yield chunk('two ');
				await new Promise(resolve => setTimeout(resolve, 20));
				yield chunk('three ');
				yield chunk('four');
			})(),
		);
		assert.deepEqual(pieces, ['one two ', 'three four']);
	});

	it('give what is there before they wait for more', async () => {
		const more = Promise.withResolvers<void>();
		const batches = textBatches(
			(async function* () {
				yield chunk('now');
				await more.promise;
				yield chunk('later');
			})(),
		);
		assert.deepEqual(await batches.next(), { done: false, value: 'now' });
		more.resolve();
		assert.deepEqual(await batches.next(), { done: false, value: 'later' });
		assert.deepEqual(await batches.next(), { done: true, value: undefined });
	});

	it('are bounded, whatever is there', async () => {
		const pieces = await collect(
			(async function* () {
				for (let count = 0; count < 300; count++) {
					yield chunk('x'.repeat(1024));
				}
			})(),
		);
		assert.equal(pieces.join('').length, 300 * 1024);
		assert.ok(pieces.every(({ length }) => length <= 65 * 1024));
	});

	it('leave out what is no text of the first choice', async () => {
		const pieces = await collect(
			(async function* () {
				yield chunk('');
				yield { choices: [{ index: 0, delta: { reasoning: 'hm' }, finish_reason: null }] };
				yield chunk('other', 1);
				yield chunk('text');
				yield { choices: [] };
			})(),
		);
		assert.deepEqual(pieces, ['text']);
		assert.deepEqual(await collect((async function* () {})()), []);
	});

	it('never divide a character', async () => {
		const turn = () => new Promise(resolve => setTimeout(resolve, 5));
		const pieces = await collect(
			(async function* () {
				yield chunk('a\ud83d');
				await turn();
				yield chunk('\ude42');
				await turn();
				yield chunk('\ud83d');
				await turn();
				yield chunk('\ude43b');
			})(),
		);
		assert.deepEqual(pieces, ['a', '\u{1F642}', '\u{1F643}b']);
	});

	it('throw what the chunks throw, after the text before it', async () => {
		const pieces: string[] = [];
		const failing = collect(
			(async function* () {
				yield chunk('before');
				throw new Error('it broke');
			})(),
			pieces,
		);
		await assert.rejects(failing, /it broke/);
		assert.deepEqual(pieces, ['before']);
	});

	it('leave the chunks when their reader leaves', async () => {
		let isLeft = false;
		const batches = textBatches(
			(async function* () {
				try {
					for (;;) {
						yield chunk('x'.repeat(70_000));
					}
				} finally {
					isLeft = true;
				}
			})(),
		);
		await batches.next();
		await batches.return();
		assert.ok(isLeft);
	});
});
