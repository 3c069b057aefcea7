// Method, path and host of every endpoint (contract: the Endpoints tables). The client and the local service share this
// table.

/**
 * The address of the connection that serves a route. `inference` is the public or the enterprise host, depending on the
 * plan; `org` and `encrypt` are the two forms of the encrypted channel's address.
 */
export type RouteHost = 'inference' | 'enterprise' | 'cloud' | 'agent' | 'org' | 'encrypt';

/** The kind of key that a route requires. */
export type KeyKind = 'inference' | 'cloud' | 'agent';

export interface Route {
	method: 'GET' | 'POST' | 'PATCH';
	host: RouteHost;
	/** Undefined for a public route, to which no key is sent. */
	key: KeyKind | undefined;
	/** Segments in braces are filled in and percent-encoded. */
	path: string;
}

export const routes = {
	chatCompletions: { method: 'POST', host: 'inference', key: 'inference', path: '/chat/completions' },
	chatCompletionsV1: { method: 'POST', host: 'inference', key: 'inference', path: '/v1/chat/completions' },
	responses: { method: 'POST', host: 'enterprise', key: 'inference', path: '/v1/responses' },
	decisions: { method: 'POST', host: 'enterprise', key: 'inference', path: '/typesafe/v1/systemone' },
	// contract: not shown. The model list is the one that services of this shape offer (unspecified.md).
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

/**
 * Returns the route of an encrypted channel endpoint: on the organisation's host it is scoped to `{provider}` and
 * `{model}`, on the other host it is shared.
 */
export function channelRoute(endpoint: keyof typeof channelEndpoints, addressing: 'org' | 'encrypt'): Route {
	const { method, key, path } = channelEndpoints[endpoint];
	return { method, key, host: addressing, path: addressing === 'org' ? `/enc/{provider}/{model}${path}` : path };
}

/**
 * Fills in the braces of a path.
 * @throws RangeError for an empty value, and for `.` and `..`, which a URL parser would resolve away.
 */
export function fillPath(path: string, values: Record<string, string> = {}): string {
	return path.replace(/\{(\w+)\}/g, (_, name: string) => {
		const value = values[name];
		if (value === undefined || value === '' || value === '.' || value === '..') {
			throw new RangeError(`${name} is missing or cannot stand in a path`);
		}
		return encodeURIComponent(value);
	});
}
