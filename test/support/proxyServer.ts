import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A request as the proxy understood it. */
export interface ProxyRequest {
	method: string;
	/** `host:port` of a CONNECT, or the whole address of any other request. */
	target: string;
	/** The credentials in clear, `user:password`. */
	credentials: string | undefined;
}

export interface ProxyOptions {
	/** The made-up host names that only this proxy knows, each with the port of 127.0.0.1 that it stands for. */
	hosts: ReadonlyMap<string, number>;
}

const HEAD_END = Buffer.from('\r\n\r\n');

/**
 * A real HTTP proxy on loopback with tunnels, plain forwarding, Basic credentials and refusals. Every test that starts
 * one must call `stop`.
 */
export class ProxyServer {
	/** Every request, in the order of arrival, including refused ones. */
	readonly requests: ProxyRequest[] = [];
	/** The credentials that every client needs, as `user:password`. If undefined, no client needs any. */
	credentials: string | undefined;
	/** The status that every request gets instead of a connection, if set. */
	refusal: number | undefined;
	private readonly hosts: ReadonlyMap<string, number>;
	private readonly server: Server;
	private readonly sockets = new Set<Socket>();
	private readonly received: Buffer[] = [];

	private constructor({ hosts }: ProxyOptions) {
		this.hosts = hosts;
		this.server = createServer(client => this.accept(client));
	}

	static async start(options: ProxyOptions): Promise<ProxyServer> {
		const proxy = new ProxyServer(options);
		proxy.server.listen(0, '127.0.0.1');
		await once(proxy.server, 'listening');
		return proxy;
	}

	get port(): number {
		return (this.server.address() as AddressInfo).port;
	}

	/** Returns the proxy's address, for settings and environment variables. */
	url(credentials?: { user: string; password: string }): string {
		const userInfo = credentials
			? `${encodeURIComponent(credentials.user)}:${encodeURIComponent(credentials.password)}@`
			: '';
		return `http://${userInfo}127.0.0.1:${this.port}`;
	}

	/** Every byte that clients have sent so far, both in clear to the proxy itself and through its tunnels. */
	get bytes(): Buffer {
		return Buffer.concat(this.received);
	}

	async stop(): Promise<void> {
		if (!this.server.listening) {
			return;
		}
		this.server.close();
		for (const socket of this.sockets) {
			socket.destroy();
		}
		await once(this.server, 'close');
	}

	private accept(client: Socket): void {
		this.own(client);
		client.on('data', bytes => this.received.push(bytes));
		let head = Buffer.alloc(0);
		const readHead = (bytes: Buffer) => {
			head = Buffer.concat([head, bytes]);
			const end = head.indexOf(HEAD_END);
			if (end >= 0) {
				client.off('data', readHead);
				this.answer(client, head, end + HEAD_END.length);
			}
		};
		client.on('data', readHead);
	}

	/** `head` contains the request's head up to `end`, and then anything that the client has sent ahead. */
	private answer(client: Socket, head: Buffer, end: number): void {
		const [requestLine = '', ...fields] = head.toString('latin1', 0, end).split('\r\n');
		const [method = '', target = ''] = requestLine.split(' ');
		const authorization = fields.map(field => /^proxy-authorization: basic (.*)$/i.exec(field)?.[1]).find(Boolean);
		const credentials = authorization === undefined ? undefined : Buffer.from(authorization, 'base64').toString();
		this.requests.push({ method, target, credentials });
		if (this.refusal !== undefined) {
			refuse(client, `${this.refusal} Refused`);
			return;
		}
		if (this.credentials !== undefined && credentials !== this.credentials) {
			refuse(client, '407 Proxy Authentication Required', 'Proxy-Authenticate: Basic realm="test"\r\n');
			return;
		}
		// Data that comes before the service is connected must wait.
		client.pause();
		const isTunnel = method === 'CONNECT';
		const { hostname } = new URL(isTunnel ? `http://${target}` : target);
		const port = this.hosts.get(hostname);
		if (port === undefined) {
			refuse(client, '502 No Such Host');
			return;
		}
		const service = this.own(connect(port, '127.0.0.1'));
		service.once('close', () => client.destroy());
		client.once('close', () => service.destroy());
		service.once('connect', () => {
			if (isTunnel) {
				client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
			}
			service.write(isTunnel ? head.subarray(end) : head);
			client.pipe(service);
			service.pipe(client);
		});
	}

	private own(socket: Socket): Socket {
		this.sockets.add(socket);
		socket.once('close', () => this.sockets.delete(socket));
		// An error on one side ends the other one through its `close` event.
		socket.on('error', () => {});
		return socket;
	}
}

function refuse(client: Socket, status: string, fields = ''): void {
	client.end(`HTTP/1.1 ${status}\r\n${fields}Content-Length: 0\r\nConnection: close\r\n\r\n`);
}
