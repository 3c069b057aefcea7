import type { Registry } from 'prom-client';
import { pathOf } from '../base/httpRequest.ts';
import { listen, type ServiceServer } from '../service/server.ts';

/** Listens for programs that collect metrics. They send no token, so the place must be one that only they reach. */
export function listenForMetrics(place: { host: string; port: number }, registry: Registry): Promise<ServiceServer> {
	return listen(place, (request, response) => {
		request.resume();
		if (request.method !== 'GET' || pathOf(request) !== '/metrics') {
			response.writeHead(404).end();
			return;
		}
		registry.metrics().then(
			text => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
			() => response.writeHead(500).end(),
		);
	});
}
