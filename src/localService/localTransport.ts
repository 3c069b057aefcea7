import type { Transport } from '../client/core/transport.ts';
import { LOCAL_ORIGIN } from '../contract/localConnection.ts';

/**
 * Sends the local connection's requests to wherever the service is now, starting it when it is not there, with its
 * token in place of the key. The token never leaves this function. Addresses elsewhere are refused.
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
