import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { controlPaths } from '../contract/control.ts';

export interface Refusal {
	status: number;
	message: string;
}

/** Says why a request is refused, `undefined` when it may pass. */
export type Guard = (request: IncomingMessage) => Refusal | undefined;

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Of equal length whatever was sent, so that the time it takes tells nothing about the token. */
function sameSecret(expected: Buffer, sent: string): boolean {
	return timingSafeEqual(expected, digest(sent));
}

function countOf(request: IncomingMessage, name: string): number {
	return request.rawHeaders.filter((value, index) => index % 2 === 0 && value.toLowerCase() === name).length;
}

/**
 * Decides on a request by its head alone, before anything else looks at it.
 * - `Host` must be this server's own: a web page that made a name of its own point here carries that name.
 * - `Origin` is sent by browsers for web pages, and no page has business here.
 * - The token, for everything but the proof that a window asks for before it sends the token.
 */
export function createGuard(token: string, port: number): Guard {
	const expected = digest(token);
	const hosts = new Set([`127.0.0.1:${port}`, `localhost:${port}`]);
	return request => {
		if (!hosts.has(request.headers.host ?? '') || countOf(request, 'host') !== 1) {
			return { status: 403, message: `The Host header must be 127.0.0.1:${port} or localhost:${port}, once.` };
		}
		if (request.headers.origin !== undefined) {
			return { status: 403, message: 'Requests of web pages (with an Origin header) are not answered.' };
		}
		if (!request.url?.startsWith('/')) {
			return { status: 400, message: 'The request target must be a path.' };
		}
		if (pathOf(request) === controlPaths.proof) {
			return undefined;
		}
		const [, sent] = /^Bearer ([\x21-\x7e]+)$/i.exec(request.headers.authorization ?? '') ?? [];
		if (sent === undefined) {
			return { status: 401, message: 'Valid credentials are needed: send Authorization: Bearer with the token.' };
		}
		if (!sameSecret(expected, sent)) {
			return { status: 401, message: 'Valid credentials are needed: this token is not the one of this service.' };
		}
		return undefined;
	};
}

export function pathOf(request: IncomingMessage): string {
	return (request.url ?? '').split('?', 1)[0] ?? '';
}
