/** Performs one HTTP exchange. The root provides it: the editor's own `fetch` in the extension, undici elsewhere. */
export interface Transport {
	/**
	 * Resolves when the reply's head has come. Rejects if no connection could be made, if the signal aborts (with its
	 * reason), and on a redirect to another origin, which would get the key. A redirect that `redirects` refuses rejects
	 * as well.
	 */
	request(request: TransportRequest): Promise<TransportResponse>;
}

export interface TransportRequest {
	method: string;
	/** An absolute URL. */
	url: string;
	headers: Record<string, string>;
	body?: string;
	/** By default, redirects within the same origin are followed. */
	redirects?: 'refuse';
	signal: AbortSignal;
	/** Milliseconds to wait for a connection. */
	connectTimeoutMs: number;
}

export type ReplyHeaders = Pick<ReadonlyMap<string, string>, 'get'>;

export interface TransportResponse {
	status: number;
	/** Header names are in lower case. */
	headers: ReplyHeaders;
	/** The bytes as they arrive, with backpressure. Leaving the loop ends the exchange. */
	body: AsyncIterable<Uint8Array>;
}
