// Reads requests for all of our HTTP servers.
import type { IncomingMessage } from 'node:http';
import { parseJson } from './json.ts';

/** The part of an oversized body that is read before the refusal is sent. */
const MAXIMUM_DROPPED_BYTES = 64 * 1024 * 1024;
const DROP_TIMEOUT_MS = 5_000;

/** Returns the target of the request without its query. */
export function pathOf(request: IncomingMessage): string {
	return (request.url ?? '').split('?', 1)[0] ?? '';
}

/** The body of a request, or a sentence that says why it cannot be used, with the matching status. */
export type JsonBody = { value: unknown } | { status: 400 | 413; problem: string };

/**
 * Reads the body of a request as JSON, of at most `megabytes`. After a larger body, the connection cannot be used
 * again.
 */
export async function readJsonBody(incoming: IncomingMessage, megabytes: number): Promise<JsonBody> {
	const maximum = megabytes * 1024 * 1024;
	const pieces: Buffer[] = [];
	let size = 0;
	try {
		for await (const piece of incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
			size += piece.length;
			if (size > maximum) {
				break;
			}
			pieces.push(piece);
		}
	} catch {
		return { status: 400, problem: 'The request body ended early.' };
	}
	if (size > maximum) {
		await dropBody(incoming);
		return { status: 413, problem: `The request body is larger than ${megabytes} MB.` };
	}
	// No JSON text parses to undefined.
	const value = parseJson(Buffer.concat(pieces).toString('utf8'));
	return value === undefined
		? { status: 400, problem: 'The request body is not valid JSON, or nested too deeply.' }
		: { value };
}

/**
 * Reads and discards the rest of a body, within limits, before a refusal that closes the connection: a client that
 * still sends when its connection is closed would lose the answer.
 */
export function dropBody(incoming: IncomingMessage): Promise<void> {
	return new Promise(resolve => {
		let size = 0;
		const timer = setTimeout(resolve, DROP_TIMEOUT_MS);
		const onEnd = () => {
			clearTimeout(timer);
			resolve();
		};
		incoming.on('data', (piece: Buffer) => {
			size += piece.length;
			if (size > MAXIMUM_DROPPED_BYTES) {
				onEnd();
			}
		});
		incoming.once('end', onEnd);
		incoming.once('close', onEnd);
		if (incoming.closed || incoming.readableEnded) {
			onEnd();
		}
	});
}
