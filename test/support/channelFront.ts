import type { ServerResponse } from 'node:http';
import type { Sealed } from './contractServer/channelCryptography.ts';
import { FaultServer, type Received, sendEvents, sendJson, sseEvent } from './faultServer.ts';

/** A message as a front sees it: everything but what is sealed. */
export interface FrontMessage {
	path: string;
	nonce: number;
	/** Has the enclave answer it at an endpoint, which need not be the one that was asked; gives the frames of the reply. */
	forward(endpoint: 'message' | 'message_stream'): Promise<Sealed[]>;
}

/**
 * What stands before an enclave and has no key: it sees nonces and endpoints in clear, may ask the enclave for more than
 * it was asked for, and holds back what it likes. `stop` it.
 */
export class ChannelFront {
	/** How the next messages are answered. */
	answer: (response: ServerResponse, message: FrontMessage) => void | Promise<void> = () => {};
	readonly server: FaultServer;
	private readonly enclave: string;

	private constructor(server: FaultServer, enclave: string) {
		this.server = server;
		this.enclave = enclave;
	}

	/** `enclave`: its origin. */
	static async start(enclave: string): Promise<ChannelFront> {
		const front = new ChannelFront(await FaultServer.start(() => {}), enclave);
		front.server.answer = (response, received) => front.receive(response, received);
		return front;
	}

	stop(): Promise<void> {
		return this.server.stop();
	}

	private async receive(response: ServerResponse, { path, body }: Received): Promise<void> {
		if (path.endsWith('/attestation')) {
			sendJson(response, 200, await (await fetch(this.enclave + path)).json());
			return;
		}
		const { payload } = JSON.parse(body) as { payload: Sealed };
		await this.answer(response, {
			path,
			nonce: payload.nonce,
			forward: endpoint => this.forward(path.replace(/message(_stream)?$/, endpoint), body),
		});
	}

	private async forward(path: string, body: string): Promise<Sealed[]> {
		const reply = await fetch(this.enclave + path, { method: 'POST', body });
		const text = await reply.text();
		return reply.headers.get('content-type') === 'text/event-stream'
			? Array.from(text.matchAll(/^data: (\{.*\})$/gm), ([, data]) => JSON.parse(data ?? '') as Sealed)
			: [JSON.parse(text) as Sealed];
	}
}

/** Frames as the reply to a message, in the form of the endpoint that was asked. */
export function handOut(response: ServerResponse, { path }: FrontMessage, frames: readonly Sealed[]): void {
	if (path.endsWith('_stream')) {
		sendEvents(response, ...frames.map(frame => sseEvent(frame)), sseEvent('[DONE]'));
	} else {
		sendJson(response, 200, frames[0]);
	}
}
