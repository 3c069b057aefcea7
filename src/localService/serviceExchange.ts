import http from 'node:http';

export interface ExchangeLimits {
	/** For the whole answer: a limit on silence alone would wait for ever on one that comes a byte at a time. */
	timeoutMs: number;
	/** Characters of the answer. */
	maximumLength: number;
}

/** One request to the service or its pipe, and its answer as JSON. Rejects on any other status than 200. */
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
					resolve(JSON.parse(text));
				} catch (error) {
					reject(error);
				}
			});
		});
		request.on('error', reject);
		request.end(body);
	});
}

/** Where a path of the service is. */
export function placeOf(address: string, path: string): http.RequestOptions {
	const { hostname, port } = new URL(address);
	return { hostname, port, path };
}
