import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { controlPaths, proofOf } from '../../src/contract/control.ts';

/**
 * Starts a server that proves itself and grants leases like the local service, but can break the leases like a
 * machine's sleep.
 */
export async function leaseBreaker(token: string) {
	const open = new Set<http.ServerResponse>();
	let granted = 0;
	const server = http.createServer((request, response) => {
		const url = new URL(request.url ?? '/', address);
		if (url.pathname === controlPaths.proof) {
			response.end(JSON.stringify({ proof: proofOf(token, address, url.searchParams.get('nonce') ?? '') }));
			return;
		}
		granted++;
		open.add(response);
		response.flushHeaders();
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	return {
		address,
		granted: () => granted,
		breakLeases() {
			for (const lease of open) {
				lease.destroy();
			}
			open.clear();
		},
		close() {
			server.closeAllConnections();
			server.close();
		},
	};
}
