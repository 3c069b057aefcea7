// The proxy by which this machine reaches the internet, read from the environment as the service's own transport does.
import { isLoopbackHost } from '../../base/loopback.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the proxy for a connection to `host` and `port`, or undefined for a direct one. What is for this machine never
 * goes to a proxy. `host` has the form of `URL.hostname`.
 */
export function proxyFor(host: string, port: number, environment: Environment): URL | undefined {
	const read = (name: string) => environment[name.toLowerCase()] || environment[name];
	const address = read('HTTPS_PROXY') ?? read('HTTP_PROXY');
	const proxy = address === undefined ? null : URL.parse(address);
	const isUsable = proxy !== null && (proxy.protocol === 'http:' || proxy.protocol === 'https:');
	return isUsable && !isLoopbackHost(host) && !isExcepted(host, port, read('NO_PROXY') ?? '') ? proxy : undefined;
}

/** Entries are divided by commas or blanks: `*`, a name, or a name's ending that begins with a dot or an asterisk. */
function isExcepted(host: string, port: number, exceptions: string): boolean {
	return exceptions
		.toLowerCase()
		.split(/[\s,]+/)
		.some(entry => {
			const [, name = entry, onlyPort] = /^(.+):(\d+)$/.exec(entry) ?? [];
			if (name === '*') {
				return true;
			}
			if (name === '' || (onlyPort !== undefined && Number(onlyPort) !== port)) {
				return false;
			}
			return /^[.*]/.test(name) ? host.endsWith(name.replace(/^\*/, '')) : host === name;
		});
}
