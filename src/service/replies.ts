import { STATUS_CODES } from 'node:http';
import type * as z from 'zod';
import { defined } from '../base/defined.ts';
import { type UpstreamProblem, UserFacingError } from '../base/errors.ts';
import { ENTERPRISE_PATH } from '../contract/localConnection.ts';
import { isMessagesPath, messagesError } from '../contract/messages.ts';
import { type Route, routes } from '../contract/routes.ts';
import { withoutFieldName } from './tasks/repoUrl.ts';

/** Error messages that may repeat the caller's input are cut to this length. */
const MAXIMUM_DETAIL_LENGTH = 200;

/**
 * Refuses a request with a sentence. Handlers throw it, and one place turns it into the error body of the route's area.
 */
export class RequestRefused extends Error {
	override readonly name = 'RequestRefused';
	readonly status: number;
	/** A code such as `invalid_request` or `not_found`. It is sent only if the area's error body has a code. */
	readonly code: string;
	/** The time in milliseconds after which a retry of the same request may succeed. */
	readonly retryAfterMs: number | undefined;
	/** The model servers that have failed. They are sent only if the area's error body has a code. */
	readonly upstreams: readonly UpstreamProblem[];

	constructor(
		status: number,
		message: string,
		code = codeOf(status),
		options: { retryAfterMs?: number; upstreams?: readonly UpstreamProblem[] } = {},
	) {
		super(message);
		this.status = status;
		this.code = code;
		this.retryAfterMs = options.retryAfterMs;
		this.upstreams = options.upstreams ?? [];
	}
}

const CODES: Readonly<Record<number, string>> = {
	400: 'invalid_request',
	401: 'unauthorized',
	403: 'forbidden',
	404: 'not_found',
	413: 'too_large',
	503: 'stopping',
};

function codeOf(status: number): string {
	return CODES[status] ?? 'server_error';
}

const INFERENCE_PATHS: ReadonlySet<string> = new Set(
	Object.values<Route>(routes).flatMap(({ host, path }) => {
		const onEnterprise = ENTERPRISE_PATH + path;
		return host === 'inference' ? [path, onEnterprise] : host === 'enterprise' ? [onEnterprise] : [];
	}),
);

/** The beginnings of the paths of single models. */
const MODEL_PATHS = ['', ENTERPRISE_PATH].map(form => `${form}${routes.modelList.path}/`);

/** The paths of the look-ups, at whichever source host. What follows `tasks` is the name of a task. */
const LOOK_UP_PATH = /^\/api\/(?!tasks\/)[^/]+\/(?:orgs|repos|branches)$/;

type Answered = Pick<RequestRefused, 'status' | 'message'> & Partial<Pick<RequestRefused, 'code' | 'upstreams'>>;

/**
 * Returns the error body of a path's area: `{error: string}` for tasks and `{error, message, status}` for the look-ups
 * (cloud-tasks.md, Errors), with the agent API's own word for an invalid key (Authentication).
 * contract: not shown for chat; `{error: {message, code}}`, as on the responses endpoint (inference.md, Errors). The
 * Messages API has a form of its own.
 */
export function errorBody(path: string, { status, message, code = codeOf(status), upstreams = [] }: Answered): object {
	if (isMessagesPath(path)) {
		return messagesError(status, message);
	}
	if (INFERENCE_PATHS.has(path) || MODEL_PATHS.some(start => path.startsWith(start))) {
		return { error: { message, code, ...defined({ upstreams: upstreams.length > 0 ? upstreams : undefined }) } };
	}
	if (LOOK_UP_PATH.test(path)) {
		return { error: STATUS_CODES[status] ?? code, message, status };
	}
	return { error: status === 401 && path === routes.agentTaskList.path ? 'Unauthorized' : message };
}

/** Describes the first issue of a value together with its field: `temperature: Too big: …`. */
export function describeIssue(error: z.ZodError): string {
	const issue = error.issues[0];
	if (issue === undefined) {
		return 'The request is not valid.';
	}
	const field = issue.path.map(part => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');
	const text = `${field === '' ? 'the request' : field.replace(/^\./, '')}: ${issue.message}`;
	return text.slice(0, MAXIMUM_DETAIL_LENGTH);
}

/**
 * Parses data of a request with a schema of the contract.
 * @throws RequestRefused 400 naming the invalid field.
 */
export function parseOrRefuse<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
	const parsed = schema.safeParse(value);
	if (!parsed.success) {
		throw new RequestRefused(400, describeIssue(parsed.error));
	}
	return parsed.data;
}

/** Turns the UserFacingErrors of `run` into refusals. Only who gets a 400 has sent the field that they name. */
export async function runOrRefuse<T>(status: number, run: () => Promise<T>): Promise<T> {
	try {
		return await run();
	} catch (error) {
		throw error instanceof UserFacingError
			? new RequestRefused(status, status === 400 ? error.message : withoutFieldName(error.message))
			: error;
	}
}

/**
 * Converts a query parameter into a number. Any other text is returned unchanged, so that the schema refuses it by
 * name.
 */
export function numberIn(text: string | undefined): unknown {
	return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : text;
}
