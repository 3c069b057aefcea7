import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { openRelay, type Relay, type RelayOptions } from '../../../../src/agents/relay/relay.ts';

export interface OpenedRelay {
	relay: Relay;
	/** The sentences for the log. */
	refused: string[];
	/** `METHOD path` of each call that got through. */
	handled: string[];
}

/** Opens relays for the tests of a `describe`, and closes them. */
export function useRelay() {
	const opened: Relay[] = [];

	afterEach(async () => {
		await Promise.all(opened.splice(0).map(relay => relay.close()));
	});

	return async (options: Partial<RelayOptions> = {}): Promise<OpenedRelay> => {
		const refused: string[] = [];
		const handled: string[] = [];
		const relay = await openRelay({
			listen: 'loopback',
			handle(request: IncomingMessage, response: ServerResponse) {
				handled.push(`${request.method} ${request.url}`);
				request.resume();
				response.end('served');
			},
			allowsHost: () => false,
			onRefused: sentence => refused.push(sentence),
			environment: {},
			...options,
		});
		opened.push(relay);
		return { relay, refused, handled };
	};
}

export const portOf = ({ url }: Relay): number => Number(new URL(url ?? '').port);

export interface Call {
	path?: string;
	method?: string;
	headers?: Record<string, string>;
	body?: string;
}

export interface Answer {
	status: number;
	body: string;
}

/** Calls a relay with its token, unless the headers are given. */
export async function call(
	relay: Relay,
	{ path = '/v1/models', method = 'GET', headers, body }: Call = {},
): Promise<Answer> {
	const place = relay.socket === undefined ? { host: '127.0.0.1', port: portOf(relay) } : { socketPath: relay.socket };
	const authorised = { authorization: `Bearer ${relay.token}` };
	const request = http.request({ ...place, path, method, headers: headers ?? authorised, agent: false });
	request.end(body);
	const [response] = (await once(request, 'response')) as [IncomingMessage];
	return { status: response.statusCode ?? 0, body: await text(response) };
}

export interface Tunnel {
	status: number;
	socket: Socket;
}

export const proxyCredentials = (token: string): string => `Basic ${Buffer.from(`errand:${token}`).toString('base64')}`;

/** Asks a relay for a tunnel and resolves with the first line of the answer. */
export async function openTunnel(relay: Relay, target: string, credentials?: string): Promise<Tunnel> {
	const socket = relay.socket === undefined ? connect(portOf(relay), '127.0.0.1') : connect(relay.socket);
	socket.on('error', () => {});
	const authorization = credentials === undefined ? '' : `Proxy-Authorization: ${credentials}\r\n`;
	socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${authorization}\r\n`);
	let head = '';
	while (!head.includes('\r\n\r\n')) {
		const [bytes] = (await once(socket, 'data')) as [Buffer];
		head += bytes.toString('latin1');
	}
	socket.pause();
	socket.unshift(Buffer.from(head.slice(head.indexOf('\r\n\r\n') + 4), 'latin1'));
	return { status: Number(head.split(' ')[1]), socket };
}
