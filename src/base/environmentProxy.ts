// The proxies that the environment names, as most programs read them.
import { decodedPart } from './remoteUrl.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

const PROTOCOLS = new Set(['http:', 'https:', 'socks:', 'socks5:']);

/** Returns the proxy for addresses of a scheme, or undefined if none is named or what is named cannot be read. */
export function environmentProxy(environment: Environment, scheme: 'http' | 'https'): URL | undefined {
	const read = (name: string) => environment[name.toLowerCase()] || environment[name];
	return readProxyAddress((scheme === 'https' && read('HTTPS_PROXY')) || read('HTTP_PROXY') || '');
}

/**
 * Reads the address of a proxy. Its scheme may be missing, and a percent sign in its user name or password that begins
 * no escape stands for itself; in the result both are encoded. Returns undefined for anything else.
 */
export function readProxyAddress(text: string): URL | undefined {
	const url = URL.parse(text.includes('://') ? text : `http://${text}`);
	if (url === null || url.hostname === '' || !PROTOCOLS.has(url.protocol)) {
		return undefined;
	}
	url.username = encodeURIComponent(decodedPart(url.username));
	url.password = encodeURIComponent(decodedPart(url.password));
	return url;
}
