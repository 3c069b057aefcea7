import { once } from 'node:events';
import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/**
 * A reverse proxy in front of a server that passes on a reply only once it is whole, like proxies and virus scanners
 * that inspect replies. Every test that starts one must call `stop`.
 */
export class BufferingProxy {
	/** True if replies are held back. Otherwise each byte is passed on as it comes. */
	isBuffering = true;
	private readonly server: Server;

	private constructor(target: string) {
		this.server = createServer((request, response) => {
			const { method, headers } = request;
			const forwarded = httpRequest(`${target}${request.url ?? '/'}`, { method, headers }, async reply => {
				try {
					if (this.isBuffering) {
						const body = await buffer(reply);
						response.writeHead(reply.statusCode ?? 502, reply.headers).end(body);
					} else {
						response.writeHead(reply.statusCode ?? 502, reply.headers);
						response.flushHeaders();
						reply.pipe(response);
					}
				} catch {
					response.destroy();
				}
			});
			forwarded.on('error', () => response.destroy());
			response.on('close', () => forwarded.destroy());
			request.pipe(forwarded);
		});
	}

	/** `target` is an origin, such as `http://127.0.0.1:8080`. */
	static async start(target: string): Promise<BufferingProxy> {
		const proxy = new BufferingProxy(target);
		proxy.server.listen(0, '127.0.0.1');
		await once(proxy.server, 'listening');
		return proxy;
	}

	get origin(): string {
		return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
	}

	async stop(): Promise<void> {
		this.server.close();
		this.server.closeAllConnections();
		await once(this.server, 'close');
	}
}
