/** Returns an IPv6 address without the brackets that it has in a URL, as look-ups and sockets need it, or any other host as it is. */
export function withoutBrackets(host: string): string {
	return host.replace(/^\[|\]$/g, '');
}
