/** One HTTP exchange. Handed in by the root: the editor's own fetch in the extension, undici elsewhere. */
export interface Transport {
	/**
	 * Resolves when the reply's head has come. Rejects when no connection could be made, when the signal aborts
	 * (with its reason), and on a redirect to another origin: a key would follow it. Refused redirects reject likewise.
	 */
	request(request: TransportRequest): Promise<TransportResponse>;
}

export interface TransportRequest {
	method: string;
	/** Absolute. */
	url: string;
	headers: Record<string, string>;
	body?: string;
	/** Default: those that stay on the origin are followed. */
	redirects?: 'refuse';
	signal: AbortSignal;
	/** Milliseconds to wait for a connection. */
	connectTimeoutMs: number;
}

export type ReplyHeaders = Pick<ReadonlyMap<string, string>, 'get'>;

export interface TransportResponse {
	status: number;
	/** By names in lower case. */
	headers: ReplyHeaders;
	/** The bytes as they come, with back-pressure. Leaving the loop ends the exchange. */
	body: AsyncIterable<Uint8Array>;
}
