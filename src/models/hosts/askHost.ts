// Finds out what answers at an address, by requests that cost nothing.
import type * as z from 'zod';
import { defined } from '../../base/defined.ts';
import { ClientError } from '../../base/errors.ts';
import type { Call, Caller, CallerOptions } from '../../client/core/caller.ts';
import { failureOf } from '../../client/core/failures.ts';
import { readReply } from '../../client/core/replyData.ts';
import { createUpstreamCaller, readUpstreamModels } from '../../client/core/upstreamCaller.ts';
import { agentTaskListSchema } from '../../contract/agentTasks.ts';
import { healthSchema } from '../../contract/channel.ts';
import type { Connection } from '../../contract/connection.ts';
import { type ListedModel, modelListSchema, usableModels } from '../../contract/modelList.ts';
import { channelRoute, type Route, routes } from '../../contract/routes.ts';
import { taskListSchema } from '../../contract/tasks.ts';
import { mayCarryKey, type UpstreamKind, upstreamKind } from '../../contract/upstreams.ts';
import { inferenceAddresses, isConnectionAddress } from '../model/newConnection.ts';
import { serverAddresses } from '../model/serverEntries.ts';

/** The fields of a connection that hold an address. */
export const HOST_FIELDS = [
	'apiUrl',
	'enterpriseUrl',
	'cloudUrl',
	'agentUrl',
	'orgUrl',
	'encryptUrl',
	'dashboardUrl',
] as const satisfies (keyof Connection)[];
export type HostField = (typeof HOST_FIELDS)[number];

/**
 * The expected kind of host. `server`: the models of a server that speaks the OpenAI form. `service`: the same, or the
 * chat of a service of the contract that lists none.
 */
export type HostKind = HostField | 'server' | 'service';

/** The parts that all questions have in common. */
export type HostContext = Pick<CallerOptions, 'transport' | 'logger' | 'clock'>;

/** The same with the signal that ends a question. */
export interface AskingContext extends HostContext {
	signal: AbortSignal;
}

export interface HostQuestion {
	kind: HostKind;
	url: string;
	/** Sent only to the origin of `url`, and never without encryption. Without it, a host that wants a key says so. */
	key?: string | undefined;
	/** The form that a server's entry names. If missing, the address decides. */
	form?: UpstreamKind | undefined;
	/** A model of the encrypted channel, which is required for asking the organisation's host. */
	channelModel?: { model: string; provider: string } | undefined;
	/** The maximum silence, and the maximum time for the whole question. */
	milliseconds?: { silence: number; whole: number };
}

/**
 * `url` is the address that was asked last; for a server's list, the address that has it. `fits`: it has answered as
 * the contract says. `wants-key`: it is there. `answers`: something is there, and more cannot be asked. `noList`: the
 * service lists no models.
 */
export type HostAnswer = { url: string } & (HostReply | { state: 'failed'; error: ClientError });

type HostReply =
	| { state: 'fits'; models?: ListedModel[]; noList?: true }
	| { state: 'wants-key'; error?: ClientError; noList?: true }
	| { state: 'answers' };

const PATIENCE = { silence: 8_000, whole: 15_000 };
const MAXIMUM_LIST_BYTES = 4 * 1024 * 1024;

/** Never rejects, except with the signal's reason. */
export async function askHost(question: HostQuestion, context: AskingContext): Promise<HostAnswer> {
	if (question.kind === 'service') {
		return askService(question, context);
	}
	const { signal, ...parts } = context;
	const { milliseconds = PATIENCE } = question;
	const key = mayCarryKey(question.url) ? question.key : undefined;
	const late = AbortSignal.timeout(milliseconds.whole);
	const ends = AbortSignal.any([signal, late]);
	let first: HostAnswer | undefined;
	for (const url of addressesFor(question)) {
		const kind = upstreamKind({ kind: question.form, url });
		const caller = createUpstreamCaller({ name: 'asked host', url, key, kind, ...parts, limits: { tries: 1 } });
		try {
			return { url, ...(await ask({ ...question, key, milliseconds }, caller, ends)) };
		} catch (error) {
			signal.throwIfAborted();
			const failure = late.aborted ? new ClientError('timeout', 'no whole answer in time') : failureOf(error);
			if (failure.code === 'unauthorised' && key === undefined) {
				return { url, state: 'wants-key', error: failure };
			}
			const answer: HostAnswer = { url, state: 'failed', error: failure };
			first ??= answer;
			if (!isElsewhere(failure)) {
				return answer;
			}
		}
	}
	return first as HostAnswer;
}

/** A service of the contract need not list its models, so if there is no list it is asked in its own way. */
async function askService(question: HostQuestion, context: AskingContext): Promise<HostAnswer> {
	const listed = await askHost({ ...question, kind: 'server' }, context);
	if (listed.state !== 'failed' || !isElsewhere(listed.error) || !isConnectionAddress(question.url)) {
		return listed;
	}
	const unlisted = await askHost({ ...question, kind: 'apiUrl' }, context);
	return unlisted.state === 'failed' && unlisted.error.code !== 'unauthorised' ? listed : unlisted;
}

/** The addresses where a host may be, the likeliest first. */
function addressesFor({ kind, url }: HostQuestion): string[] {
	switch (kind) {
		case 'server':
			return serverAddresses(url);
		case 'apiUrl':
		case 'enterpriseUrl':
			return inferenceAddresses(url);
		default:
			return [url];
	}
}

/** Returns whether the answer may come from a path beside the host's, so that another address may be right. */
function isElsewhere({ code }: ClientError): boolean {
	return code === 'not-found' || code === 'bad-response' || code === 'invalid-request';
}

async function ask(
	{ kind, key, channelModel, milliseconds = PATIENCE }: HostQuestion,
	caller: Caller,
	signal: AbortSignal,
): Promise<HostReply> {
	const { silence } = milliseconds;
	const call = (route: Route, more: Partial<Call> = {}): Call => ({
		// The host under test takes the place of every host.
		route: { ...route, host: 'inference', key: key === undefined ? undefined : route.key },
		jsonBytes: MAXIMUM_LIST_BYTES,
		firstByteMs: silence,
		idleMs: silence,
		retry: 'never',
		signal,
		...more,
	});
	switch (kind) {
		case 'server':
		case 'service': {
			const list = { hasKey: key !== undefined, milliseconds: silence, signal };
			return { state: 'fits', models: usableModels(await readUpstreamModels(caller, list)) };
		}
		case 'apiUrl':
		case 'enterpriseUrl':
			return askInference(caller, call, key !== undefined);
		case 'cloudUrl':
			return fits(caller, call(routes.taskList, { query: { limit: 1 } }), taskListSchema);
		case 'agentUrl':
			return fits(caller, call(routes.agentTaskList, { query: { limit: 1 }, codes: AGENT_CODES }), agentTaskListSchema);
		case 'encryptUrl':
			return fits(caller, call(channelRoute('health', 'encrypt')), healthSchema.refine(isHealth));
		case 'orgUrl':
			return channelModel === undefined
				? answers(caller, call(PAGE))
				: fits(caller, call(channelRoute('health', 'org'), { values: channelModel }), healthSchema.refine(isHealth));
		case 'dashboardUrl':
			return answers(caller, call(PAGE));
	}
}

/** contract: only accounts of some plans may use the agent task API. */
const AGENT_CODES = { 403: 'plan-required' } as const;

/** The address itself. No key is sent for it. */
const PAGE: Route = { method: 'GET', host: 'inference', key: undefined, path: '' };

/** Many plain model servers report their health at the same path, in their own words. */
const isHealth = ({ status, crypto_status }: { status?: unknown; crypto_status?: unknown }) =>
	status === 'healthy' || crypto_status !== undefined;

async function fits(caller: Caller, call: Call, schema: z.ZodType): Promise<HostReply> {
	readReply(schema, await caller.json(call), 'the reply is not what the contract describes');
	return { state: 'fits' };
}

/** Any HTTP status is an answer. */
async function answers(caller: Caller, call: Call): Promise<HostReply> {
	try {
		(await caller.stream(call)).close();
	} catch (error) {
		if (!ClientError.is(error) || error.status === undefined) {
			throw error;
		}
	}
	return { state: 'answers' };
}

async function askInference(
	caller: Caller,
	call: (route: Route, more?: Partial<Call>) => Call,
	hasKey: boolean,
): Promise<HostReply> {
	try {
		const reply = await caller.json(call(routes.modelList));
		const { data } = readReply(modelListSchema, reply, 'the reply is not a list of models');
		return { state: 'fits', models: usableModels(data) };
	} catch (error) {
		if (!ClientError.is(error, 'not-found') && !ClientError.is(error, 'bad-response')) {
			throw error;
		}
		return (await askWithoutList(caller, call, hasKey)) ?? Promise.reject(error);
	}
}

/**
 * contract: not shown. A service need not list its models. An empty request, which no model can answer, shows whether
 * the chat endpoint is there and whether it refuses the key.
 */
async function askWithoutList(
	caller: Caller,
	call: (route: Route, more?: Partial<Call>) => Call,
	hasKey: boolean,
): Promise<HostReply | undefined> {
	try {
		await caller.json(call(routes.chatCompletionsV1, { body: {} }));
		return undefined;
	} catch (error) {
		const failure = failureOf(error);
		const { status } = failure;
		if (failure.code === 'unauthorised') {
			return hasKey ? Promise.reject(failure) : { state: 'wants-key', noList: true };
		}
		// A web server without such an endpoint replies with 404 or 405.
		return status === 400 || status === 422 ? { state: 'fits', noList: true } : undefined;
	}
}

export interface Request {
	url: string;
	/** Never sent without encryption. */
	key: string | undefined;
	method: 'GET' | 'POST';
	path: string;
	body?: unknown;
	/** The maximum silence. */
	milliseconds: number;
}

/** Returns the error with which a server answers one request, or undefined if it accepts it. */
export async function failureAt(
	{ url, key, method, path, body, milliseconds }: Request,
	{ signal, ...context }: AskingContext,
): Promise<ClientError | undefined> {
	const sent = mayCarryKey(url) ? key : undefined;
	const caller = createUpstreamCaller({ name: 'asked host', url, key: sent, ...context, limits: { tries: 1 } });
	const route = { method, host: 'inference', key: sent === undefined ? undefined : 'inference', path } as const;
	const times = { firstByteMs: milliseconds, idleMs: milliseconds, retry: 'never' } as const;
	try {
		await caller.json({ route, ...defined({ body }), ...times, signal });
		return undefined;
	} catch (error) {
		signal.throwIfAborted();
		return failureOf(error);
	}
}

/** The paths by which model servers of the OpenAI forms are asked, below an address with its version. */
const OPENAI_PATHS = ['/chat/completions', '/responses'];

/** A server that is silent for so long is asked for chat completions, as most are. */
const FORM_MS = 3_000;

/**
 * Returns `responses` for a model server that has responses and no chat completions. Empty requests, which no model can
 * answer, show which paths are there.
 */
export async function findForm(
	server: { url: string; key: string | undefined },
	context: AskingContext,
): Promise<UpstreamKind | undefined> {
	if (upstreamKind({ url: server.url }) !== 'chat') {
		return undefined;
	}
	const [chat, responses] = await Promise.all(
		OPENAI_PATHS.map(async path => {
			const request: Request = { ...server, method: 'POST', path, body: {}, milliseconds: FORM_MS };
			return (await failureAt(request, context))?.status;
		}),
	);
	const isWithoutChat = chat === 404 || chat === 405;
	return isWithoutChat && (responses === 400 || responses === 422) ? 'responses' : undefined;
}

const PARTS = ['cloudUrl', 'agentUrl', 'encryptUrl'] as const satisfies HostField[];

/**
 * Returns the fields whose part of a service of the contract answers below this address. No key is sent. A gateway that
 * wants a key for every path tells nothing about its parts, so a part that no service has is requested as well.
 */
export async function findParts(url: string, context: AskingContext): Promise<Record<string, string>> {
	const nowhere = `${url}/errand-asks-for-nothing`;
	const [control, ...answers] = await Promise.all([
		askHost({ kind: 'cloudUrl', url: nowhere }, context),
		...PARTS.map(kind => askHost({ kind, url }, context)),
	]);
	const wantsKeyAnywhere = control?.state !== 'failed' || control.error.code !== 'not-found';
	const found = PARTS.filter((_, index) => {
		const state = answers[index]?.state;
		return state === 'fits' || (state === 'wants-key' && !wantsKeyAnywhere);
	});
	return Object.fromEntries(found.map(field => [field, url]));
}
