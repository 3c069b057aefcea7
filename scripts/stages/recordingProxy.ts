import { isLoopbackHost } from '../../src/base/loopback.ts';
import { ProxyServer } from '../../test/support/proxyServer.ts';
import type { Totals } from './totals.ts';

/** Returns the environment variables in which programs look for a proxy. Those for exceptions are empty. */
const variables = (url: string): Record<string, string> => ({
	...Object.fromEntries(
		['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].flatMap(name => [
			[name, url],
			[name.toLowerCase(), url],
		]),
	),
	NO_PROXY: '',
	no_proxy: '',
});

/**
 * Runs tests with a proxy in their environment that leads nowhere. A request for this machine must never reach the
 * proxy: each one counts as a failure.
 */
export async function withRecordingProxy(
	run: (environment: Record<string, string>) => Promise<Totals>,
	print: (line: string) => void = console.log,
): Promise<Totals> {
	const proxy = await ProxyServer.start({ hosts: new Map() });
	try {
		const totals = await run(variables(proxy.url()));
		const places = proxy.requests.map(({ method, target }) =>
			URL.parse(method === 'CONNECT' ? `http://${target}` : target),
		);
		const leaks = places.filter(place => place === null || isLoopbackHost(place.hostname));
		for (const place of new Set(leaks.map(String))) {
			print(`  failed  a request to ${place} on this machine reached the proxy of the environment`);
		}
		return { ...totals, failed: totals.failed + leaks.length };
	} finally {
		await proxy.stop();
	}
}
