import type * as z from 'zod';
import { ClientError } from '../../base/errors.ts';
import { fieldOf } from '../../base/fields.ts';
import { cut } from '../../base/plainText.ts';

const MAXIMUM_SHOWN = 40;

/**
 * Checks a request before it is sent. Returns it unchanged, without defaults filled in. Throws `invalid-request` whose
 * message names the field, its value and what is allowed; for a text that somebody wrote, it names only the field.
 */
export function checkRequest<T>(schema: z.ZodType, request: T): T {
	const result = schema.safeParse(request);
	if (!result.success) {
		const [issue] = result.error.issues;
		throw new ClientError(
			'invalid-request',
			issue ? describeIssue(issue, request) : 'the request is not as documented',
			{ unsent: true },
		);
	}
	return request;
}

export function outOfRange(field: string, value: unknown, allowed: string): ClientError {
	const message = `${field} is ${JSON.stringify(value)}; allowed: ${allowed}`;
	return new ClientError('invalid-request', message, { unsent: true });
}

function describeIssue(issue: z.core.$ZodIssue, request: unknown): string {
	const field = issue.path.map(part => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');
	const name = field.replace(/^\./, '') || 'the request';
	if (issue.code === 'unrecognized_keys') {
		return `${name} has fields that are not documented: ${issue.keys.map(key => JSON.stringify(cut(key, MAXIMUM_SHOWN))).join(', ')}`;
	}
	return `${name} is ${shown(issue.path.reduce<unknown>(fieldOf, request), issue)}; ${rule(issue)}`;
}

function rule(issue: z.core.$ZodIssue): string {
	if (issue.code === 'invalid_value') {
		return `allowed: ${issue.values.map(value => JSON.stringify(value)).join(', ')}`;
	}
	return issue.message.startsWith('allowed:') ? issue.message : `not allowed: ${issue.message}`;
}

/** Only numbers, booleans and wrong words of a fixed set are shown: any other text may be a prompt. */
function shown(value: unknown, issue: z.core.$ZodIssue): string {
	switch (typeof value) {
		case 'undefined':
			return 'missing';
		case 'number':
		case 'boolean':
			return String(value);
		case 'string':
			if (isAboutWord(issue)) {
				return JSON.stringify(cut(value, MAXIMUM_SHOWN));
			}
			return value === '' ? 'an empty text' : 'a text';
		case 'object':
			return value === null ? 'null' : Array.isArray(value) ? 'a list' : 'an object';
		default:
			return `a ${typeof value}`;
	}
}

/** Returns whether one of a fixed set of words was expected, even as an alternative to something other than a text. */
function isAboutWord(issue: z.core.$ZodIssue): boolean {
	if (issue.code !== 'invalid_union') {
		return issue.code === 'invalid_value';
	}
	const isBranchAboutWord = issue.errors.some(([first]) => first?.code === 'invalid_value');
	return issue.discriminator !== undefined || isBranchAboutWord;
}
