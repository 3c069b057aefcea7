import type { ServerResponse } from 'node:http';
import type { Sealed } from './contractServer/channelCryptography.ts';
import { FaultServer, type Received, sendEvents, sendJson, sseEvent } from './faultServer.ts';

/** The request headers that are forwarded to the enclave. */
const FORWARDED = ['authorization', 'content-type', 'accept'] as const;

/** A message as the front sees it, without its sealed content. */
export interface FrontMessage {
	path: string;
	nonce: number;
	/**
	 * Lets the enclave answer the message at an endpoint, which need not be the requested one. Resolves with the frames
	 * of the enclave's reply.
	 */
	forward(endpoint: 'message' | 'message_stream'): Promise<Sealed[]>;
}

/**
 * A server in front of an enclave, without any key. It sees nonces and endpoints in clear, may ask the enclave for more
 * than the client requested, and may hold back any part of a reply. Every test that starts one must call `stop`.
 */
export class ChannelFront {
	/** Answers the next messages. If undefined, the enclave's reply is passed on byte for byte. */
	answer: ((response: ServerResponse, message: FrontMessage) => void | Promise<void>) | undefined;
	/** The `accept` header that the enclave gets instead of the client's, if set. */
	accept: string | undefined;
	/** The content types of the replies that were passed on. */
	readonly types: (string | null)[] = [];
	readonly server: FaultServer;
	private readonly enclave: string;

	private constructor(server: FaultServer, enclave: string) {
		this.server = server;
		this.enclave = enclave;
	}

	/** `enclave` is the enclave's origin. */
	static async start(enclave: string): Promise<ChannelFront> {
		const front = new ChannelFront(await FaultServer.start(() => {}), enclave);
		front.server.answer = (response, received) => front.receive(response, received);
		return front;
	}

	stop(): Promise<void> {
		return this.server.stop();
	}

	private async receive(response: ServerResponse, received: Received): Promise<void> {
		const { path, body } = received;
		if (path.endsWith('/attestation')) {
			const attestation = await fetch(this.enclave + path, { headers: this.headersOf(received) });
			sendJson(response, 200, await attestation.json());
			return;
		}
		const { payload } = JSON.parse(body) as { payload: Sealed };
		if (this.answer === undefined) {
			const reply = await this.post(path, received);
			const type = reply.headers.get('content-type');
			this.types.push(type);
			response.writeHead(reply.status, { 'content-type': type ?? '' }).end(await reply.text());
			return;
		}
		await this.answer(response, {
			path,
			nonce: payload.nonce,
			forward: endpoint => this.forward(path.replace(/message(_stream)?$/, endpoint), received),
		});
	}

	private async forward(path: string, received: Received): Promise<Sealed[]> {
		const reply = await this.post(path, received);
		const text = await reply.text();
		return reply.headers.get('content-type')?.startsWith('text/event-stream')
			? Array.from(text.matchAll(/^data: (\{.*\})$/gm), ([, data]) => JSON.parse(data ?? '') as Sealed)
			: [JSON.parse(text) as Sealed];
	}

	private post(path: string, received: Received): Promise<Response> {
		return fetch(this.enclave + path, { method: 'POST', body: received.body, headers: this.headersOf(received) });
	}

	private headersOf({ headers }: Received): Record<string, string> {
		const given = FORWARDED.map(name => [name, headers[name] ?? '']).filter(([, value]) => value !== '');
		return { ...Object.fromEntries(given), ...(this.accept === undefined ? {} : { accept: this.accept }) };
	}
}

/** Sends frames as the reply to a message, in the form of the requested endpoint. */
export function handOut(response: ServerResponse, { path }: FrontMessage, frames: readonly unknown[]): void {
	if (path.endsWith('_stream')) {
		sendEvents(response, ...frames.map(frame => sseEvent(frame)), sseEvent('[DONE]'));
	} else {
		sendJson(response, 200, frames[0]);
	}
}
