// Which addresses are this machine's own. Nothing that goes there leaves the machine, so it needs no encryption and has
// no business at a proxy.

/**
 * Whether a host is this machine by its address, or `localhost`. Any other name, one under `.localhost` too, is whatever
 * a resolver makes of it. `hostname` as `URL` writes it: in lower case, numbers as dotted decimals, IPv6 in brackets.
 */
export function isLoopbackHost(hostname: string): boolean {
	return /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\]|\[::ffff:7f[\da-f]{2}:[\da-f]{1,4}\])$/.test(hostname);
}

/** In the forms that programs read in `NO_PROXY`: some compare texts, some know networks, some want no brackets. */
const LOOPBACK = ['localhost', '127.0.0.1', '127.0.0.0/8', '::1', '[::1]'];

/** A value for `NO_PROXY` that keeps this machine out of a proxy's hands, beside the hosts or lists that are given. */
export function proxyExceptions(others: readonly string[]): string {
	// Many programs know it only where nothing else stands beside it.
	return others.some(other => other.trim() === '*') ? '*' : [...LOOPBACK, ...others].join(',');
}
