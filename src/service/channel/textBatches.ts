import type { ReplyChunk } from '../inference/provider.ts';

/**
 * In characters. Clients accept events of up to 4 MB, and a frame is at least a third larger than its text in UTF-8.
 */
const MAXIMUM_BATCH_LENGTH = 64 * 1024;

/**
 * Yields the text of a reply as it arrives, in batches that are never empty. Text that is available at the same time
 * becomes one batch, as each batch costs a signature on both sides. No character is split between two batches, as each
 * is encoded in UTF-8 separately. An error of the chunks is thrown after the last text was yielded.
 */
export async function* textBatches(chunks: AsyncIterable<ReplyChunk>): AsyncGenerator<string, void, undefined> {
	const iterator = chunks[Symbol.asyncIterator]();
	const read = () => {
		const result = iterator.next();
		// The read may fail while nothing awaits it, because the reader has left or is busy with the previous batch; the
		// error is still thrown to whoever awaits it later.
		result.catch(() => {});
		return result;
	};
	let coming = read();
	let text = '';
	let isOver = false;
	try {
		while (!isOver) {
			let hasCome = true;
			try {
				const result = await (wholeLength(text) === 0 ? coming : Promise.race([coming, nextTurn()]));
				hasCome = result !== undefined;
				isOver = result?.done === true;
				if (result !== undefined && !result.done) {
					text += textOf(result.value);
					coming = read();
				}
			} catch (error) {
				isOver = true;
				if (text !== '') {
					yield text;
				}
				throw error;
			}
			const length = isOver ? text.length : wholeLength(text);
			if (length > 0 && (isOver || !hasCome || length >= MAXIMUM_BATCH_LENGTH)) {
				yield text.slice(0, length);
				text = text.slice(length);
			}
		}
	} finally {
		if (!isOver) {
			await iterator.return?.();
		}
	}
}

function textOf({ choices }: ReplyChunk): string {
	return choices.find(({ index }) => index === 0)?.delta.content ?? '';
}

/** Returns the length of the text without half a character at its end, which the next piece completes. */
function wholeLength(text: string): number {
	return /[\uD800-\uDBFF]$/.test(text) ? text.length - 1 : text.length;
}

function nextTurn(): Promise<undefined> {
	return new Promise(resolve => setImmediate(() => resolve(undefined)));
}
