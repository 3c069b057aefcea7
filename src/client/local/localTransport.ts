import { LOCAL_ORIGIN } from '../../contract/localConnection.ts';
import type { Transport } from '../core/transport.ts';

/**
 * Creates a transport that sends the local connection's requests to the service's current address, with its token
 * instead of a key, and starts the service if it is not running. The token never leaves this function. Requests to
 * other origins are refused.
 */
export function createLocalTransport(
	inner: Transport,
	ensure: () => Promise<{ address: string; token: string }>,
): Transport {
	return {
		async request(request) {
			const url = new URL(request.url);
			if (url.origin !== LOCAL_ORIGIN) {
				throw new TypeError('the local transport carries requests to the local service only');
			}
			request.signal.throwIfAborted();
			const { address, token } = await ensure();
			return inner.request({
				...request,
				url: `${address}${url.pathname}${url.search}`,
				headers: { ...request.headers, Authorization: `Bearer ${token}` },
			});
		},
	};
}
