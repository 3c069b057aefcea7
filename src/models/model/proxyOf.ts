// The proxy that the settings and the environment name for an address.
import { readProxyAddress } from '../../base/environmentProxy.ts';
import { isLoopbackHost } from '../../base/loopback.ts';

export interface ProxySettings {
	/** The setting `http.proxy`. */
	url?: string;
	/** The setting `http.noProxy`. */
	except: readonly string[];
	environment: Readonly<Record<string, string | undefined>>;
}

export type NamedProxy =
	/** `from` is the setting or the variable that names it. Credentials are not part of `host`. */
	| { kind: 'proxy'; from: string; host: string; port: number }
	| { kind: 'unreadable'; from: string }
	/** The address is an exception. */
	| { kind: 'except'; from: string }
	| { kind: 'none' };

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'https:': 443, 'socks:': 1080, 'socks5:': 1080 };

/** An extension cannot see a proxy that is configured in the system itself. */
export function proxyOf(address: string, { url, except, environment }: ProxySettings): NamedProxy {
	const { hostname, protocol, port } = new URL(address);
	if (isLoopbackHost(hostname)) {
		return { kind: 'none' };
	}
	const names = protocol === 'https:' ? ['HTTPS_PROXY', 'HTTP_PROXY'] : ['HTTP_PROXY'];
	const variable = names.flatMap(name => [name, name.toLowerCase()]).find(name => environment[name]);
	const [from, text] = url === undefined ? [variable, variable && environment[variable]] : ['http.proxy', url];
	if (from === undefined || text === undefined) {
		return { kind: 'none' };
	}
	const place = { hostname, port: port || (protocol === 'https:' ? '443' : '80') };
	if (except.some(pattern => isExcepted(place, pattern))) {
		return { kind: 'except', from: 'http.noProxy' };
	}
	const noProxy = (environment['no_proxy'] || environment['NO_PROXY'] || '').split(',');
	if (noProxy.some(pattern => isExcepted(place, pattern))) {
		return { kind: 'except', from: 'NO_PROXY' };
	}
	const proxy = readProxyAddress(text);
	return proxy === undefined
		? { kind: 'unreadable', from }
		: {
				kind: 'proxy',
				from,
				host: proxy.hostname,
				port: proxy.port === '' ? (DEFAULT_PORTS[proxy.protocol] ?? 80) : Number(proxy.port),
			};
}

/** A pattern is a host name or the end of one, perhaps with a port, or an asterisk for all. */
function isExcepted({ hostname, port }: { hostname: string; port: string }, pattern: string): boolean {
	const [, name = '', wantedPort] = /^\*?\.?(.*?)(?::(\d+))?$/.exec(pattern.trim().toLowerCase()) ?? [];
	if (pattern.trim() === '*') {
		return true;
	}
	const isNamed = name !== '' && (hostname === name || hostname.endsWith(`.${name}`));
	return isNamed && (wantedPort === undefined || wantedPort === port);
}
