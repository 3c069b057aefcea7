import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * A relay in front of a server. It can fall silent, break and come back on the same port. Every test that starts one
 * must call `stop`.
 */
export class TcpRelay {
	private readonly target: () => number;
	private readonly sockets = new Set<Socket>();
	private server: Server | undefined;
	private port = 0;

	private constructor(target: () => number) {
		this.target = target;
	}

	/** `target` is a port of 127.0.0.1, or chooses one for each connection. */
	static async start(target: number | (() => number)): Promise<TcpRelay> {
		const relay = new TcpRelay(typeof target === 'number' ? () => target : target);
		await relay.open();
		return relay;
	}

	get address(): string {
		return `http://127.0.0.1:${this.port}`;
	}

	/**
	 * Keeps the connections open but carries no more data, as after a sleep or a change of the network. Neither side is
	 * notified.
	 */
	freeze(): void {
		for (const socket of this.sockets) {
			socket.unpipe();
			socket.pause();
		}
	}

	/** Refuses new connections. */
	close(): void {
		this.server?.close();
	}

	/** Accepts connections, even after `close`. */
	async open(): Promise<void> {
		this.server = createServer(client => {
			const upstream = connect(this.target(), '127.0.0.1');
			for (const [from, to] of [
				[client, upstream],
				[upstream, client],
			] as const) {
				this.sockets.add(from);
				from.on('error', () => to.destroy());
				from.on('close', () => {
					this.sockets.delete(from);
					to.destroy();
				});
				from.pipe(to);
			}
		}).listen(this.port, '127.0.0.1');
		await once(this.server, 'listening');
		this.port = (this.server.address() as AddressInfo).port;
	}

	stop(): void {
		for (const socket of this.sockets) {
			socket.destroy();
		}
		this.close();
	}
}
