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
import { ClientError } from '../../base/errors.ts';
import type { ReplyHeaders } from './transport.ts';

/**
 * Asks for a reply without content coding, because an encoder holds back a stream until it has enough data. A reply
 * that the service or a proxy encodes anyway is still decoded: `fetch` does it by itself, the undici transport
 * explicitly.
 */
export const UNCODED = { 'Accept-Encoding': 'identity' } as const;

/** Delivers whatever can be decoded of a reply that was cut off, as `fetch` does. */
const FLUSH = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
const BROTLI_FLUSH = {
	flush: constants.BROTLI_OPERATION_FLUSH,
	finishFlush: constants.BROTLI_OPERATION_FLUSH,
};
const ZSTD_FLUSH = { flush: constants.ZSTD_e_continue, finishFlush: constants.ZSTD_e_end };

/** Creates the decoder for a coding by its name; `first` is the first byte of the body. */
const DECODERS: ReadonlyMap<string, (first: number) => Transform> = new Map<string, (first: number) => Transform>([
	['gzip', () => createGunzip(FLUSH)],
	['x-gzip', () => createGunzip(FLUSH)],
	// Two formats have this name: one with the zlib header, as documented, and one without it.
	['deflate', first => ((first & 0x0f) === 8 ? createInflate(FLUSH) : createInflateRaw(FLUSH))],
	['br', () => createBrotliDecompress(BROTLI_FLUSH)],
	['zstd', () => createZstdDecompress(ZSTD_FLUSH)],
]);

/**
 * Returns the content coding of a reply, or undefined for plain bytes. Throws `bad-response` for a coding that not
 * every transport can decode.
 */
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

/** Returns the decoded bytes of `body`. It decodes only as much at a time as the reader takes. */
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
					// The source ends first, so that anything waiting for its bytes is notified.
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
	// An error on either side destroys the decoder, which reports it to its reader.
	pipeline(rest, decoder).catch(() => {});
	return decoder[Symbol.asyncIterator]();
}
