import { oneLine } from './plainText.ts';

/** Removes the brackets of an IPv6 address in a URL, as look-ups and sockets need it. Other hosts stay as they are. */
export function withoutBrackets(host: string): string {
	return host.replace(/^\[|\]$/g, '');
}

const MAXIMUM_PLACE = 60;

/** Returns the host and port of an address, shortened for display. */
export function placeOf(url: string): string {
	return oneLine(new URL(url).host, MAXIMUM_PLACE);
}
