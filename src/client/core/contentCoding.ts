import { Readable, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
	constants,
	createBrotliDecompress,
	createGunzip,
	createInflate,
	createInflateRaw,
	createZstdDecompress,
} from 'node:zlib';
import { ClientError } from './errors.ts';
import type { ReplyHeaders } from './transport.ts';

/**
 * What a request asks for: a coded stream is held back until its coder has enough. A service, or a proxy on the way,
 * that codes its reply all the same is understood: `fetch` decodes without being told to, and undici is made to.
 */
export const UNCODED = { 'Accept-Encoding': 'identity' } as const;

/** What can be read of a reply that was cut off is given, as `fetch` does. */
const FLUSH = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
const BROTLI_FLUSH = {
	flush: constants.BROTLI_OPERATION_FLUSH,
	finishFlush: constants.BROTLI_OPERATION_FLUSH,
};
const ZSTD_FLUSH = { flush: constants.ZSTD_e_continue, finishFlush: constants.ZSTD_e_end };

/** By the coding's name; `first` is the first byte of the body. */
const DECODERS: ReadonlyMap<string, (first: number) => Transform> = new Map<string, (first: number) => Transform>([
	['gzip', () => createGunzip(FLUSH)],
	['x-gzip', () => createGunzip(FLUSH)],
	// Two formats bear this name: with the zlib header, as documented, and without it.
	['deflate', first => ((first & 0x0f) === 8 ? createInflate(FLUSH) : createInflateRaw(FLUSH))],
	['br', () => createBrotliDecompress(BROTLI_FLUSH)],
	['zstd', () => createZstdDecompress(ZSTD_FLUSH)],
]);

/** The one coding of a reply; undefined for plain bytes. Throws `bad-response` for one that not every transport decodes. */
export function codingOf(headers: ReplyHeaders): string | undefined {
	const coding = headers.get('content-encoding')?.trim().toLowerCase() ?? '';
	if (coding === '' || coding === 'identity') {
		return undefined;
	}
	if (!DECODERS.has(coding)) {
		throw new ClientError('bad-response', 'the reply is in a coding that was not asked for');
	}
	return coding;
}

/** The bytes of `body` without their coding, no more of them at a time than its reader takes. */
export function decoded(body: AsyncIterable<Uint8Array>, coding: string): AsyncIterable<Uint8Array> {
	return {
		[Symbol.asyncIterator]() {
			const source = body[Symbol.asyncIterator]();
			let decoding: Promise<AsyncIterator<Uint8Array>> | undefined;
			return {
				async next() {
					decoding ??= decode(source, coding);
					return (await decoding).next();
				},
				async return() {
					// The source ends first: whatever waits for its bytes then hears of it.
					await source.return?.();
					(await decoding)?.return?.().catch(() => {});
					return { done: true, value: undefined };
				},
			};
		},
	};
}

async function decode(source: AsyncIterator<Uint8Array>, coding: string): Promise<AsyncIterator<Uint8Array>> {
	const { done, value: first } = await source.next();
	const decoder = done ? undefined : DECODERS.get(coding)?.(first[0] ?? 0);
	if (!decoder) {
		return Readable.from([])[Symbol.asyncIterator]();
	}
	const rest = async function* () {
		yield first;
		yield* { [Symbol.asyncIterator]: () => source };
	};
	// What goes wrong on either side ends the decoder with it, which tells its reader.
	pipeline(rest, decoder).catch(() => {});
	return decoder[Symbol.asyncIterator]();
}
