// Asks a host of a connection whether it is what the connection takes it for, by questions that cost nothing.
import type { Clock } from '../../base/async.ts';
import { ClientError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { type Call, type Caller, createCaller } from '../../client/core/caller.ts';
import { failureOf } from '../../client/core/failures.ts';
import { LIMITS } from '../../client/core/limits.ts';
import type { Transport } from '../../client/core/transport.ts';
import { agentTaskListSchema } from '../../contract/agentTasks.ts';
import { healthSchema } from '../../contract/channel.ts';
import { type Connection, connectionSchema } from '../../contract/connection.ts';
import { type ListedModel, modelListSchema, usableModels } from '../../contract/modelList.ts';
import { channelRoute, type Route, routes } from '../../contract/routes.ts';
import { taskListSchema } from '../../contract/tasks.ts';
import { inferenceAddresses } from '../model/newConnection.ts';

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

/** All but what differs between two questions. */
export interface HostContext {
	transport: Transport;
	logger: Logger;
	clock: Clock;
}

export interface HostQuestion {
	field: HostField;
	url: string;
	/** It goes to the origin of `url` alone. Without it, a host that wants one says so. */
	key?: string | undefined;
	/** A model of the encrypted channel, without which the organisation's host cannot be asked. */
	channelModel?: { model: string; provider: string } | undefined;
}

/**
 * `url` is where the host was asked last. `fits`: it has answered as the contract says. `wants-key`: it is there. `answers`:
 * something is there, and more cannot be asked. `noList`: the service lists no models, so its key cannot be checked.
 */
export type HostAnswer = { url: string } & (
	| { state: 'fits'; models?: ListedModel[]; noList?: true }
	| { state: 'wants-key'; noList?: true }
	| { state: 'answers' }
	| { state: 'failed'; error: ClientError }
);

const SILENCE_MS = 8_000;
const WHOLE_MS = 15_000;
const MAXIMUM_LIST_BYTES = 4 * 1024 * 1024;

/** Never rejects, except with the signal's reason. */
export async function askHost(
	question: HostQuestion,
	context: HostContext & { signal: AbortSignal },
): Promise<HostAnswer> {
	const { signal } = context;
	const late = AbortSignal.timeout(WHOLE_MS);
	const ends = AbortSignal.any([signal, late]);
	const isInference = question.field === 'apiUrl' || question.field === 'enterpriseUrl';
	let first: HostAnswer | undefined;
	for (const url of isInference ? inferenceAddresses(question.url) : [question.url]) {
		try {
			return { url, ...(await ask({ ...question, url }, context, ends)) };
		} catch (error) {
			signal.throwIfAborted();
			const failure = late.aborted ? new ClientError('timeout', 'no whole answer in time') : failureOf(error);
			if (failure.code === 'unauthorised' && question.key === undefined) {
				return { url, state: 'wants-key' };
			}
			const answer: HostAnswer = { url, state: 'failed', error: failure };
			first ??= answer;
			if (failure.code !== 'not-found' && failure.code !== 'bad-response') {
				return answer;
			}
		}
	}
	return first as HostAnswer;
}

type Asked =
	| { state: 'fits'; models?: ListedModel[]; noList?: true }
	| { state: 'wants-key'; noList: true }
	| { state: 'answers' };

async function ask({ field, url, key, channelModel }: HostQuestion, context: HostContext, signal: AbortSignal) {
	const caller = callerOf(url, key, context);
	const call = (route: Route, more: Partial<Call> = {}): Call => ({
		// Every host stands for the one that is asked.
		route: { ...route, host: 'inference', key: key === undefined ? undefined : route.key },
		jsonBytes: MAXIMUM_LIST_BYTES,
		firstByteMs: SILENCE_MS,
		idleMs: SILENCE_MS,
		retry: 'never',
		signal,
		...more,
	});
	switch (field) {
		case 'apiUrl':
		case 'enterpriseUrl':
			return askInference(caller, call);
		case 'cloudUrl':
			return fits(caller, call(routes.taskList, { query: { limit: 1 } }), taskListSchema);
		case 'agentUrl':
			return fits(caller, call(routes.agentTaskList, { query: { limit: 1 } }), agentTaskListSchema);
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

/** The address itself. No key is sent for it. */
const PAGE: Route = { method: 'GET', host: 'inference', key: undefined, path: '' };

const isHealth = ({ status, crypto_status }: { status?: unknown; crypto_status?: unknown }) =>
	status !== undefined || crypto_status !== undefined;

function callerOf(url: string, key: string | undefined, { transport, logger, clock }: HostContext): Caller {
	const connection = { ...connectionSchema.parse({ apiUrl: url, service: 'unknown' }), name: 'asked host' };
	return createCaller({
		connection,
		keys: () => Promise.resolve(key),
		transport,
		logger,
		clock,
		random: Math.random,
		limits: { ...LIMITS, tries: 1 },
	});
}

async function fits(
	caller: Caller,
	call: Call,
	schema: { safeParse(value: unknown): { success: boolean } },
): Promise<Asked> {
	const reply = await caller.json(call);
	if (!schema.safeParse(reply).success) {
		throw new ClientError('bad-response', 'the reply is not what the contract describes');
	}
	return { state: 'fits' };
}

/** Any status of HTTP is an answer. */
async function answers(caller: Caller, call: Call): Promise<Asked> {
	try {
		(await caller.stream(call)).close();
	} catch (error) {
		if (!ClientError.is(error) || error.status === undefined) {
			throw error;
		}
	}
	return { state: 'answers' };
}

async function askInference(caller: Caller, call: (route: Route, more?: Partial<Call>) => Call): Promise<Asked> {
	try {
		const list = modelListSchema.safeParse(await caller.json(call(routes.modelList)));
		if (list.success) {
			return { state: 'fits', models: usableModels(list.data.data) };
		}
		throw new ClientError('bad-response', 'the reply is not a list of models');
	} catch (error) {
		if (!ClientError.is(error, 'not-found') && !ClientError.is(error, 'bad-response')) {
			throw error;
		}
		return (await askWithoutList(caller, call)) ?? Promise.reject(error);
	}
}

/**
 * contract: not shown. A service need not list its models. The chat endpoint tells by an empty request, which no model can
 * answer and which has no key, whether it is there.
 */
async function askWithoutList(
	caller: Caller,
	call: (route: Route, more?: Partial<Call>) => Call,
): Promise<Asked | undefined> {
	try {
		await caller.json(call({ ...routes.chatCompletionsV1, key: undefined }, { body: {} }));
		return undefined;
	} catch (error) {
		const { status, code } = failureOf(error);
		if (code === 'unauthorised') {
			return { state: 'wants-key', noList: true };
		}
		// A web server that knows no such endpoint says 404 or 405.
		return status === 400 || status === 422 ? { state: 'fits', noList: true } : undefined;
	}
}

const PARTS = ['cloudUrl', 'agentUrl', 'encryptUrl'] as const satisfies HostField[];

/**
 * Returns the fields whose part of the service answers below this address. No key is sent. A gateway that wants a key
 * whatever it is asked for says nothing about its parts, so a part that no service has is asked for as well.
 */
export async function findParts(
	url: string,
	context: HostContext & { signal: AbortSignal },
): Promise<Record<string, string>> {
	const nowhere = `${url}/errand-asks-for-nothing`;
	const [control, ...answers] = await Promise.all([
		askHost({ field: 'cloudUrl', url: nowhere }, context),
		...PARTS.map(field => askHost({ field, url }, context)),
	]);
	const wantsKeyAnywhere = control?.state !== 'failed' || control.error.code !== 'not-found';
	const found = PARTS.filter((_, index) => {
		const state = answers[index]?.state;
		return state === 'fits' || (state === 'wants-key' && !wantsKeyAnywhere);
	});
	return Object.fromEntries(found.map(field => [field, url]));
}
