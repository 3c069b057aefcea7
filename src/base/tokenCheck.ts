import { createHash, timingSafeEqual } from 'node:crypto';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/**
 * Creates a function that returns whether a text is the token. It compares digests, which have equal lengths, so that
 * its timing reveals nothing about the token.
 */
export function createTokenMatch(token: string): (sent: string) => boolean {
	const expected = digest(token);
	return sent => timingSafeEqual(expected, digest(sent));
}

/** Returns the token in an `Authorization` header, if there is one. */
export function bearerToken(authorization: string | undefined): string | undefined {
	return /^Bearer ([\x21-\x7e]+)$/i.exec(authorization ?? '')?.[1];
}

/** Creates a function that returns whether an `Authorization` header carries the token, another token, or none. */
export function createTokenCheck(token: string): (authorization: string | undefined) => 'right' | 'wrong' | 'none' {
	const isToken = createTokenMatch(token);
	return authorization => {
		const sent = bearerToken(authorization);
		return sent === undefined ? 'none' : isToken(sent) ? 'right' : 'wrong';
	};
}
