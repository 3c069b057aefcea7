import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A relay in front of a PostgreSQL that loses the connection in which a transaction is being committed. */
export class CommitCutter {
	private readonly server: Server;
	private readonly sockets = new Set<Socket>();
	private armed: 'before' | 'after' | undefined;
	/** The number of connections that were cut. */
	cuts = 0;

	private constructor(target: number) {
		this.server = createServer(client => {
			const upstream = connect(target, '127.0.0.1');
			let cutsReply = false;
			for (const [socket, other] of [
				[client, upstream],
				[upstream, client],
			] as const) {
				this.sockets.add(socket);
				socket.on('error', () => other.destroy());
				socket.on('close', () => other.destroy());
			}
			client.on('data', data => {
				if (this.armed !== undefined && data.includes('COMMIT\0')) {
					cutsReply = this.armed === 'after';
					this.armed = undefined;
					this.cuts++;
					if (!cutsReply) {
						client.destroy();
						return;
					}
				}
				upstream.write(data);
			});
			upstream.on('data', data => {
				if (cutsReply) {
					client.destroy();
				} else {
					client.write(data);
				}
			});
		});
	}

	/** `url` is the address of a database on 127.0.0.1. */
	static async start(url: string): Promise<CommitCutter> {
		const relay = new CommitCutter(Number(new URL(url).port));
		relay.server.listen(0, '127.0.0.1');
		await once(relay.server, 'listening');
		return relay;
	}

	/** Returns the address of the same database through the relay. */
	addressOf(url: string): string {
		const through = new URL(url);
		through.port = String((this.server.address() as AddressInfo).port);
		return through.href;
	}

	/** Cuts the connection of the next commit, before the database has it or after that but before the client knows. */
	cutNext(when: 'before' | 'after'): void {
		this.armed = when;
	}

	stop(): void {
		for (const socket of this.sockets) {
			socket.destroy();
		}
		this.server.close();
	}
}
