import { isLoopbackHost } from '../../base/loopback.ts';

const MAXIMUM_LENGTH = 2000;

/**
 * Reads an address that a service names. Returns undefined unless it is an `https` address, or an `http` address of
 * this machine if `allowsLoopback` is true, without a user name, a password or invisible characters.
 */
export function readServiceAddress(text: string, { allowsLoopback }: { allowsLoopback: boolean }): URL | undefined {
	const trimmed = text.trim();
	if (trimmed.length > MAXIMUM_LENGTH || /[\p{Cc}\p{Cf}\s]/u.test(trimmed)) {
		return undefined;
	}
	const url = URL.parse(trimmed);
	if (url?.username !== '' || url.password !== '') {
		return undefined;
	}
	const isAllowed =
		url.protocol === 'https:' || (allowsLoopback && url.protocol === 'http:' && isLoopbackHost(url.hostname));
	return isAllowed ? url : undefined;
}
