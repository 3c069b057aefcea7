// Method, path and host of every endpoint (contract: the Endpoints tables). One table for the client and the local service.

/**
 * Which address of the connection a route lives on. `inference` is the public or the enterprise host, by plan; `org`
 * and `encrypt` are the two addressings of the encrypted channel.
 */
export type RouteHost = 'inference' | 'enterprise' | 'cloud' | 'agent' | 'org' | 'encrypt';

/** Which of a connection's keys a route takes. */
export type KeyKind = 'inference' | 'cloud' | 'agent';

export interface Route {
	method: 'GET' | 'POST' | 'PATCH';
	host: RouteHost;
	/** Undefined: the route is public, and none is sent. */
	key: KeyKind | undefined;
	/** Segments in braces are filled in, percent-encoded. */
	path: string;
}

export const routes = {
	chatCompletions: { method: 'POST', host: 'inference', key: 'inference', path: '/chat/completions' },
	chatCompletionsV1: { method: 'POST', host: 'inference', key: 'inference', path: '/v1/chat/completions' },
	responses: { method: 'POST', host: 'enterprise', key: 'inference', path: '/v1/responses' },
	decisions: { method: 'POST', host: 'enterprise', key: 'inference', path: '/typesafe/v1/systemone' },
	// contract: not shown. The list of models is the one that services of this shape have (unspecified.md).
	modelList: { method: 'GET', host: 'inference', key: 'inference', path: '/v1/models' },
	taskList: { method: 'GET', host: 'cloud', key: 'cloud', path: '/api/tasks' },
	// contract: not shown. Create, read, stop and continue follow public practice (unspecified.md, Cloud tasks).
	taskCreate: { method: 'POST', host: 'cloud', key: 'cloud', path: '/api/tasks' },
	taskGet: { method: 'GET', host: 'cloud', key: 'cloud', path: '/api/tasks/{taskId}' },
	taskStop: { method: 'PATCH', host: 'cloud', key: 'cloud', path: '/api/tasks/{taskId}' },
	taskContinue: { method: 'POST', host: 'cloud', key: 'cloud', path: '/api/tasks/{taskId}/continue' },
	taskStream: { method: 'GET', host: 'cloud', key: 'cloud', path: '/api/tasks/{taskId}/stream' },
	organisations: { method: 'GET', host: 'cloud', key: 'cloud', path: '/api/{scm}/orgs' },
	repositories: { method: 'GET', host: 'cloud', key: 'cloud', path: '/api/{scm}/repos' },
	branches: { method: 'GET', host: 'cloud', key: 'cloud', path: '/api/{scm}/branches' },
	agentTaskList: { method: 'GET', host: 'agent', key: 'agent', path: '/api/v1/tasks' },
} as const satisfies Record<string, Route>;

const channelEndpoints = {
	health: { method: 'GET', key: undefined, path: '/health' },
	attestation: { method: 'GET', key: undefined, path: '/attestation' },
	message: { method: 'POST', key: 'inference', path: '/message' },
	messageStream: { method: 'POST', key: 'inference', path: '/message_stream' },
} as const satisfies Record<string, Omit<Route, 'host'>>;

/** An endpoint of the encrypted channel: scoped to `{provider}` and `{model}` on the organisation's host, or shared. */
export function channelRoute(endpoint: keyof typeof channelEndpoints, addressing: 'org' | 'encrypt'): Route {
	const { method, key, path } = channelEndpoints[endpoint];
	return { method, key, host: addressing, path: addressing === 'org' ? `/enc/{provider}/{model}${path}` : path };
}

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
