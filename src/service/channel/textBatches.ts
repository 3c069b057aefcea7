import type { ReplyChunk } from '../inference/provider.ts';

/** Characters. A client takes events of 4 MB, and a frame is a good third larger than the UTF-8 of its text. */
const MAXIMUM_BATCH_LENGTH = 64 * 1024;

/**
 * The text of a reply as it comes, in pieces that are not empty. What is there at once is taken together, as each piece
 * costs a signature on both sides. No character is divided between two: each is UTF-8 of its own. After the last of it
 * throws what the chunks throw.
 */
export async function* textBatches(chunks: AsyncIterable<ReplyChunk>): AsyncGenerator<string, void, undefined> {
	const iterator = chunks[Symbol.asyncIterator]();
	const read = () => {
		const result = iterator.next();
		// It may fail while nobody waits for it, with the reader gone or busy with the piece before; who waits is told.
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

/** The same, each piece as it comes. */
export async function* textTokens(chunks: AsyncIterable<ReplyChunk>): AsyncGenerator<string, void, undefined> {
	let text = '';
	for await (const chunk of chunks) {
		text += textOf(chunk);
		const length = wholeLength(text);
		if (length > 0) {
			yield text.slice(0, length);
			text = text.slice(length);
		}
	}
	if (text !== '') {
		yield text;
	}
}

function textOf({ choices }: ReplyChunk): string {
	return choices.find(({ index }) => index === 0)?.delta.content ?? '';
}

/** Without half a character at the end, which the next piece completes. */
function wholeLength(text: string): number {
	return /[\uD800-\uDBFF]$/.test(text) ? text.length - 1 : text.length;
}

function nextTurn(): Promise<undefined> {
	return new Promise(resolve => setImmediate(() => resolve(undefined)));
}
