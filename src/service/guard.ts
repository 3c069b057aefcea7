import type { IncomingMessage } from 'node:http';
import { pathOf } from '../base/httpRequest.ts';
import { createTokenCheck } from '../base/tokenCheck.ts';
import { controlPaths } from '../contract/control.ts';
import { isImagePath } from './images/imageShelf.ts';

export interface Refusal {
	status: number;
	message: string;
}

export type Guard = (request: IncomingMessage) => Refusal | undefined;

function countOf(request: IncomingMessage, name: string): number {
	return request.rawHeaders.filter((value, index) => index % 2 === 0 && value.toLowerCase() === name).length;
}

export const NO_CREDENTIALS: Refusal = {
	status: 401,
	message: 'Valid credentials are needed: send the token as Authorization: Bearer or as x-api-key.',
};

/** Returns the `Authorization` of a request. Clients of the Messages API send the key in a header of its own. */
export function authorizationOf({ headers }: IncomingMessage): string | undefined {
	const key = headers['x-api-key'];
	return headers.authorization ?? (typeof key === 'string' ? `Bearer ${key}` : undefined);
}

/** Returns why no service of ours answers a request, whoever sends it. Browsers send `Origin` for web pages. */
export function problemOf(request: IncomingMessage): Refusal | undefined {
	if (request.headers.origin !== undefined) {
		return { status: 403, message: 'Requests of web pages (with an Origin header) are not answered.' };
	}
	// The routes would answer either without a sentence.
	if (!/^\/[^\\]*$/.test(pathOf(request))) {
		return { status: 400, message: 'The request target must be a path without backslashes.' };
	}
	return isHost(request.headers.host ?? '')
		? undefined
		: { status: 400, message: 'The Host header must be the name of a host, with its port if it has one.' };
}

function isHost(host: string): boolean {
	const address = URL.parse(`http://${host}`);
	return address !== null && address.hostname === host.replace(/:\d+$/, '').toLowerCase();
}

/**
 * Creates a guard that checks a request by its head alone, before anything else processes it.
 * - `Host` must be this server's own: a web page whose host name was made to resolve to this machine (DNS rebinding)
 * sends that name.
 * - It must not come from a web page.
 * - The token is required for everything that is not open.
 */
export function createGuard(token: string, port: number): Guard {
	const checkToken = createTokenCheck(token);
	const hosts = new Set([`127.0.0.1:${port}`, `localhost:${port}`]);
	return request => {
		if (!hosts.has(request.headers.host ?? '') || countOf(request, 'host') !== 1) {
			return { status: 403, message: `The Host header must be 127.0.0.1:${port} or localhost:${port}, once.` };
		}
		const problem = problemOf(request);
		if (problem !== undefined || isOpen(request)) {
			return problem;
		}
		const sent = checkToken(authorizationOf(request));
		if (sent === 'none') {
			return NO_CREDENTIALS;
		}
		if (sent === 'wrong') {
			return { status: 401, message: 'Valid credentials are needed: this token is not the one of this service.' };
		}
		return undefined;
	};
}

/**
 * Returns whether the request needs no token. That is the case for the proof, which a window requests before it sends
 * the token, and for images, which are displayed by clients that only have their address and whose names cannot be
 * guessed.
 */
export function isOpen(request: IncomingMessage): boolean {
	const path = pathOf(request);
	const isRead = request.method === 'GET' || request.method === 'HEAD';
	return path === controlPaths.proof || (isRead && isImagePath(path));
}
