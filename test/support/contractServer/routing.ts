import {
	type Call,
	inferenceError,
	jsonReply,
	type KeyKind,
	type ReceivedRequest,
	Refusal,
	type Reply,
	type Route,
} from './exchange.ts';
import { cloudTokenPrefix, keys, specialKeys } from './fixtures.ts';

/** All accepted keys. Each endpoint decides what the key's account may do. */
const keysOfKind: Record<KeyKind, string[]> = {
	inference: [keys.inference],
	cloud: [keys.cloud, ...Object.values(specialKeys).filter(key => key.startsWith(cloudTokenPrefix))],
	agent: [keys.agent, specialKeys.agentWithoutPlan, specialKeys.agentBareList],
};

/** Finds the endpoint, checks method, key and content type, in that order, and lets the endpoint answer. */
export async function dispatch(routes: Route[], request: ReceivedRequest): Promise<Reply> {
	const there = routes.flatMap(route => {
		const parts = route.hosts.includes(request.host) ? match(route.path, request.path) : undefined;
		return parts === undefined ? [] : [{ route, parts }];
	});
	if (there.length === 0) {
		return jsonReply(inferenceError(404, `No endpoint ${request.path} on this host`), 404);
	}
	const found = there.find(({ route }) => route.method === request.method);
	if (found === undefined) {
		const reply = jsonReply(inferenceError(405, `${request.method} is not a method of ${request.path}`), 405);
		reply.headers['allow'] = there.map(({ route }) => route.method).join(', ');
		return reply;
	}
	const { route, parts } = found;
	try {
		const call: Call = { request, parts, key: acceptedKey(route, request) };
		checkBody(request);
		return await route.handle(call);
	} catch (error) {
		if (error instanceof Refusal) {
			return jsonReply(error.body ?? route.errorBody(error.status, error.message), error.status);
		}
		throw error;
	}
}

/** Returns the decoded parts of the path for the `*` segments, or undefined if the path does not match. */
function match(pattern: string, path: string): string[] | undefined {
	const wanted = pattern.split('/');
	const got = path.split('/');
	if (wanted.length !== got.length) {
		return undefined;
	}
	const parts: string[] = [];
	for (const [index, segment] of wanted.entries()) {
		const actual = got[index] ?? '';
		if (segment === '*') {
			try {
				parts.push(decodeURIComponent(actual));
			} catch {
				return undefined;
			}
		} else if (segment !== actual) {
			return undefined;
		}
	}
	return parts.includes('') ? undefined : parts;
}

function acceptedKey({ key: kind }: Route, { headers }: ReceivedRequest): string {
	const { authorization } = headers;
	if (kind === null) {
		if (authorization !== undefined) {
			throw new Refusal(400, 'This endpoint is public: no key may be sent to it');
		}
		return '';
	}
	const key = /^Bearer ([!-~]+)$/.exec(authorization ?? '')?.[1];
	if (key === undefined || !keysOfKind[kind].includes(key)) {
		throw new Refusal(401, 'Please provide valid credentials');
	}
	return key;
}

function checkBody({ method, headers, text, json }: ReceivedRequest): void {
	if (method === 'GET') {
		if (text !== '') {
			throw new Refusal(400, 'A GET request has no body');
		}
		return;
	}
	if (!/^application\/json(; ?charset=utf-8)?$/i.test(headers['content-type'] ?? '')) {
		throw new Refusal(415, 'Content-Type must be application/json');
	}
	if (json === undefined) {
		throw new Refusal(400, 'The body is not JSON');
	}
}
