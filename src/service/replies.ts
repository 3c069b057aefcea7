import { STATUS_CODES } from 'node:http';
import type * as z from 'zod';
import { ENTERPRISE_PATH, LOCAL_SCM } from '../contract/localConnection.ts';
import { fillPath, type Route, routes } from '../contract/routes.ts';

/** Longest text of a value or message of the caller's that an error repeats. */
const MAXIMUM_DETAIL_LENGTH = 200;

/** Ends a request with a sentence. Thrown by handlers, turned into the area's error body in one place. */
export class RequestRefused extends Error {
	override readonly name = 'RequestRefused';
	readonly status: number;
	/** `invalid_request`, `not_found`, … only where the area's body has a code. */
	readonly code: string;
	/** Milliseconds after which the same request may be worth another try. */
	readonly retryAfterMs: number | undefined;

	constructor(status: number, message: string, code = codeOf(status), options: { retryAfterMs?: number } = {}) {
		super(message);
		this.status = status;
		this.code = code;
		this.retryAfterMs = options.retryAfterMs;
	}
}

function codeOf(status: number): string {
	switch (status) {
		case 400:
			return 'invalid_request';
		case 401:
			return 'unauthorized';
		case 403:
			return 'forbidden';
		case 404:
			return 'not_found';
		case 413:
			return 'too_large';
		case 503:
			return 'stopping';
		default:
			return 'server_error';
	}
}

const INFERENCE_PATHS: ReadonlySet<string> = new Set(
	Object.values<Route>(routes).flatMap(({ host, path }) => {
		const onEnterprise = ENTERPRISE_PATH + path;
		return host === 'inference' ? [path, onEnterprise] : host === 'enterprise' ? [onEnterprise] : [];
	}),
);

const LOOK_UP_PATHS: ReadonlySet<string> = new Set(
	[routes.organisations, routes.repositories, routes.branches].map(({ path }) => fillPath(path, { scm: LOCAL_SCM })),
);

/**
 * The error body of a path's area: `{error: string}` for tasks and `{error, message, status}` for the look-ups
 * (cloud-tasks.md, Errors), with the agent API's own word for a key that is none (Authentication).
 * contract: not shown for chat; `{error: {message, code}}`, as the responses endpoint has it (inference.md, Errors).
 */
export function errorBody(path: string, status: number, message: string, code = codeOf(status)): object {
	if (INFERENCE_PATHS.has(path)) {
		return { error: { message, code } };
	}
	if (LOOK_UP_PATHS.has(path)) {
		return { error: STATUS_CODES[status] ?? code, message, status };
	}
	return { error: status === 401 && path === routes.agentTaskList.path ? 'Unauthorized' : message };
}

/** The first thing that is wrong with a value, naming the field: `temperature: Too big: …`. */
export function describeIssue(error: z.ZodError): string {
	const issue = error.issues[0];
	if (issue === undefined) {
		return 'The request is not valid.';
	}
	const field = issue.path.map(part => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');
	const text = `${field === '' ? 'the request' : field.replace(/^\./, '')}: ${issue.message}`;
	return text.slice(0, MAXIMUM_DETAIL_LENGTH);
}

/** Parses what a request carries by its schema of the contract. Throws a RequestRefused of 400 naming the field. */
export function parseOrRefuse<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
	const parsed = schema.safeParse(value);
	if (!parsed.success) {
		throw new RequestRefused(400, describeIssue(parsed.error));
	}
	return parsed.data;
}

/** A parameter of a query. What is no number stays text, for the schema to refuse by its name. */
export function numberIn(text: string | undefined): unknown {
	return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : text;
}
