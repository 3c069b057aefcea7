import { oneLine } from './plainText.ts';

/** Returns an IPv6 address without the brackets that it has in a URL, as look-ups and sockets need it, or any other host as it is. */
export function withoutBrackets(host: string): string {
	return host.replace(/^\[|\]$/g, '');
}

const MAXIMUM_PLACE = 60;

/** The host and port of an address. */
export function placeOf(url: string): string {
	return oneLine(new URL(url).host, MAXIMUM_PLACE);
}
