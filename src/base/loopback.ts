// Recognises addresses of this machine. Data for them never leaves the machine, so it needs no encryption and must not
// go to a proxy.

/**
 * Returns whether a host is a loopback address or `localhost`. Any other name, including one under `.localhost`,
 * depends on the resolver. `hostname` has the form of `URL`: lower case, dotted decimals, IPv6 in brackets.
 */
export function isLoopbackHost(hostname: string): boolean {
	return /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\]|\[::ffff:7f[\da-f]{2}:[\da-f]{1,4}\])$/.test(hostname);
}

/** The forms that programs read in `NO_PROXY`: some compare strings, some know networks, some expect no brackets. */
const LOOPBACK = ['localhost', '127.0.0.1', '127.0.0.0/8', '::1', '[::1]'];

/** Returns a value for `NO_PROXY` that exempts this machine as well as the given hosts or lists. */
export function proxyExceptions(others: readonly string[]): string {
	// Many programs recognise `*` only if it is the whole value.
	return others.some(other => other.trim() === '*') ? '*' : [...LOOPBACK, ...others].join(',');
}
