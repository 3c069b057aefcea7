import http from 'node:http';
import { parseJson } from '../base/json.ts';

export interface ExchangeLimits {
	/**
	 * The limit for the whole reply. A limit on inactivity alone would wait forever for a reply that arrives byte by
	 * byte.
	 */
	timeoutMs: number;
	/** The maximum length of the reply in characters. */
	maximumLength: number;
}

/**
 * Sends one request to the service or its pipe, and resolves with the reply's JSON. Rejects for any status other than
 * 200.
 */
export function askService(
	options: http.RequestOptions,
	{ timeoutMs, maximumLength }: ExchangeLimits,
	body?: string,
): Promise<unknown> {
	return new Promise((resolve, reject) => {
		const signal = AbortSignal.timeout(timeoutMs);
		const request = http.request({ ...options, agent: false, signal }, response => {
			let text = '';
			response.setEncoding('utf8');
			response.on('data', (piece: string) => {
				text += piece;
				if (text.length > maximumLength) {
					request.destroy(new Error('the answer is too long'));
				}
			});
			response.on('error', reject);
			response.on('end', () => {
				try {
					if (response.statusCode !== 200) {
						throw new Error(`the service answered with ${response.statusCode}`);
					}
					const value = parseJson(text);
					if (value === undefined) {
						throw new Error('the answer is not JSON');
					}
					resolve(value);
				} catch (error) {
					reject(error);
				}
			});
		});
		request.on('error', reject);
		request.end(body);
	});
}

/** Returns the request options for a path of the service. */
export function placeOf(address: string, path: string): http.RequestOptions {
	const { hostname, port } = new URL(address);
	return { hostname, port, path };
}
