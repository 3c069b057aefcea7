import type * as z from 'zod';
import { routes } from '../contract/routes.ts';

/** Longest text of a value or message of the caller's that an error repeats. */
const MAXIMUM_DETAIL_LENGTH = 200;

/** Ends a request with a sentence. Thrown by handlers, turned into the area's error body in one place. */
export class RequestRefused extends Error {
	override readonly name = 'RequestRefused';
	readonly status: number;
	/** `invalid_request`, `not_found`, … only where the area's body has a code. */
	readonly code: string;

	constructor(status: number, message: string, code = codeOf(status)) {
		super(message);
		this.status = status;
		this.code = code;
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
	Object.values(routes)
		.filter(route => route.host === 'inference')
		.map(route => route.path),
);

/**
 * The error body of a path's area: `{error: string}` for tasks (cloud-tasks.md, Errors).
 * contract: not shown for chat; `{error: {message, code}}`, as the responses endpoint has it (inference.md, Errors).
 */
export function errorBody(path: string, status: number, message: string, code = codeOf(status)): object {
	return INFERENCE_PATHS.has(path) ? { error: { message, code } } : { error: message };
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
