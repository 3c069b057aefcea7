// Method, path and host of every endpoint (contract: the Endpoints tables). One table for the client and the local service.

/** Which address of the connection a route lives on. `inference` is the public or the enterprise host, by plan. */
export type RouteHost = 'inference' | 'cloud';

/** Which of a connection's keys a route takes. */
export type KeyKind = 'inference' | 'cloud' | 'agent';

export interface Route {
	method: 'GET' | 'POST' | 'PATCH';
	host: RouteHost;
	key: KeyKind;
	/** Segments in braces are filled in, percent-encoded. */
	path: string;
}

export const routes = {
	chatCompletions: { method: 'POST', host: 'inference', key: 'inference', path: '/chat/completions' },
	chatCompletionsV1: { method: 'POST', host: 'inference', key: 'inference', path: '/v1/chat/completions' },
	taskList: { method: 'GET', host: 'cloud', key: 'cloud', path: '/api/tasks' },
	// contract: not shown. Create, read and stop follow public practice (unspecified.md, Cloud tasks).
	taskCreate: { method: 'POST', host: 'cloud', key: 'cloud', path: '/api/tasks' },
	taskGet: { method: 'GET', host: 'cloud', key: 'cloud', path: '/api/tasks/{taskId}' },
	taskStop: { method: 'PATCH', host: 'cloud', key: 'cloud', path: '/api/tasks/{taskId}' },
	taskStream: { method: 'GET', host: 'cloud', key: 'cloud', path: '/api/tasks/{taskId}/stream' },
} as const satisfies Record<string, Route>;

/** Fills the braces of a path. A `.` or `..` segment is refused, as an URL parser would resolve it away. */
export function fillPath(path: string, values: Record<string, string> = {}): string {
	return path.replace(/\{(\w+)\}/g, (_, name: string) => {
		const value = values[name];
		if (value === undefined || value === '' || value === '.' || value === '..') {
			throw new RangeError(`${name} is missing or cannot stand in a path`);
		}
		return encodeURIComponent(value);
	});
}
