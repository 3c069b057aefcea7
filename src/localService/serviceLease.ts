import http from 'node:http';
import { controlPaths, type Discovery } from '../contract/control.ts';

/** The service sends a heartbeat every 10 s; if none arrives for this long, it hangs. */
const LEASE_SILENCE_MS = 45_000;

export interface Lease {
	/** Resolves when the connection has ended, either because the service closed it or because it broke. */
	readonly ended: Promise<'closed' | 'broken'>;
	release(): void;
}

/** Opens the connection that tells the service that this window needs it. Rejects if the service does not grant it. */
export function openLease({ address, token }: Discovery): Promise<Lease> {
	return new Promise((resolve, reject) => {
		const request = http.get(
			`${address}${controlPaths.lease}`,
			{ agent: false, headers: { Authorization: `Bearer ${token}` }, timeout: LEASE_SILENCE_MS },
			response => {
				if (response.statusCode !== 200) {
					request.destroy();
					reject(new Error(`the lease was answered with ${response.statusCode}`));
					return;
				}
				response.resume();
				const ended = new Promise<'closed' | 'broken'>(done => {
					response.on('close', () => done(response.complete ? 'closed' : 'broken'));
				});
				// A connection reset is handled by `close` too; without a listener it would be an uncaught error.
				response.on('error', () => {});
				resolve({ ended, release: () => request.destroy() });
			},
		);
		request.on('timeout', () => request.destroy(new Error('the service is silent')));
		request.on('error', reject);
	});
}
