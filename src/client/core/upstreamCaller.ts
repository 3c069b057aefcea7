// Access to a model server, for listing its models and for using them.
import { defined } from '../../base/defined.ts';
import { connectionSchema } from '../../contract/connection.ts';
import { type ListedModel, modelListSchema } from '../../contract/modelList.ts';
import type { Route } from '../../contract/routes.ts';
import type { UpstreamKind } from '../../contract/upstreams.ts';
import { type Caller, type CallerOptions, createCaller } from './caller.ts';
import { LIMITS, type Limits } from './limits.ts';
import { readReply } from './replyData.ts';
import type { Transport, TransportRequest } from './transport.ts';

/** The path below a server's address, which ends in its version. */
const MODELS: Omit<Route, 'key'> = { method: 'GET', host: 'inference', path: '/models' };

const MAXIMUM_LIST_BYTES = 4 * 1024 * 1024;

export interface UpstreamCallerOptions extends Pick<CallerOptions, 'transport' | 'logger' | 'clock'> {
	/** The name of the server in the log. */
	name: string;
	url: string;
	/** The key is sent to the origin of `url` and nowhere else. */
	key: string | undefined;
	/** The form that the server speaks; chat completions by default. */
	kind?: UpstreamKind;
	limits?: Partial<Limits>;
}

/** Plain http is accepted for servers on the user's own network, although a connection would refuse it. */
export function createUpstreamCaller({
	name,
	url,
	key,
	kind = 'chat',
	limits,
	transport,
	...options
}: UpstreamCallerOptions): Caller {
	return createCaller({
		...options,
		transport: inFormOf(kind, transport),
		connection: { name, ...connectionSchema.parse({ apiUrl: 'https://upstream.invalid', service: name }), apiUrl: url },
		keys: () => Promise.resolve(key),
		random: Math.random,
		limits: { ...LIMITS, ...limits },
	});
}

/** Servers of the Messages form have their own header for a key, and require the version of the form. */
function inMessagesForm({ headers: { Authorization, ...headers }, ...request }: TransportRequest): TransportRequest {
	return {
		...request,
		headers: {
			...headers,
			...defined({ 'x-api-key': Authorization ? Authorization.replace(/^Bearer /, '') : undefined }),
			'anthropic-version': '2023-06-01',
		},
		// They list twenty models at a time by default.
		url: request.url.replace(/\/models$/, '$&?limit=1000'),
	};
}

/** Model lists that are not in the OpenAI form, although their service accepts chat completions in it. */
const OWN_LISTS: Readonly<Record<string, (request: TransportRequest) => TransportRequest>> = {
	'https://api.anthropic.com/v1/models': inMessagesForm,
	'https://models.github.ai/inference/models': request => ({
		...request,
		url: 'https://models.github.ai/catalog/models',
	}),
};

function inFormOf(kind: UpstreamKind, transport: Transport): Transport {
	const formOf = (url: string) => (kind === 'messages' ? inMessagesForm : OWN_LISTS[url]);
	return { request: request => transport.request(formOf(request.url)?.(request) ?? request) };
}

export interface ListOptions {
	hasKey: boolean;
	/** The longest silence before and within the list. */
	milliseconds: number;
	signal: AbortSignal;
}

/** Reads a server's list of models. Rejects with a ClientError: `bad-response` for anything but such a list. */
export function readUpstreamModels(
	caller: Caller,
	{ hasKey, milliseconds, signal }: ListOptions,
): Promise<ListedModel[]> {
	const call = {
		route: { ...MODELS, key: hasKey ? ('inference' as const) : undefined },
		jsonBytes: MAXIMUM_LIST_BYTES,
		firstByteMs: milliseconds,
		idleMs: milliseconds,
		retry: 'never' as const,
		signal,
	};
	return caller.json(call, reply => {
		// Some services list their models without an object around the list.
		const list = Array.isArray(reply) ? { data: reply } : reply;
		return readReply(modelListSchema, list, 'the reply is not a list of models').data;
	});
}
