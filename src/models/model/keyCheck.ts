import * as z from 'zod';
import { defined } from '../../base/defined.ts';
import { ClientError } from '../../base/errors.ts';
import type { KeyUseKind } from './keyFormat.ts';

/**
 * The result of a key check. `refused`: 401, or 403 if it has no other meaning. `plan-required` and `forbidden`: the
 * key is valid, but its account lacks the permission. `not-checkable`: only a request that costs money would show it.
 * `no-answer`: the service could not be reached or failed.
 */
const answers = ['accepted', 'refused', 'plan-required', 'forbidden', 'not-checkable', 'no-answer'] as const;

export const keyCheckSchema = z.object({
	/** Milliseconds since the epoch. */
	at: z.number(),
	answer: z.enum(answers),
	/** The service's own message, from which the client has removed the key. It is untrusted text, for display only. */
	said: z.string().optional(),
});
export type KeyCheck = z.output<typeof keyCheckSchema>;

const MAXIMUM_SAID = 500;

/** Derives the result of a key check from the error of the request that carried the key. */
export function failedCheck(kind: KeyUseKind, error: unknown, at: number): KeyCheck {
	const said = ClientError.is(error) ? error.serviceMessage?.slice(0, MAXIMUM_SAID) : undefined;
	return { at, answer: answerOf(kind, error), ...defined({ said: said || undefined }) };
}

function answerOf(kind: KeyUseKind, error: unknown): KeyCheck['answer'] {
	if (!ClientError.is(error)) {
		return 'no-answer';
	}
	switch (error.code) {
		case 'unauthorised':
			return 'refused';
		case 'plan-required':
			return 'plan-required';
		case 'forbidden':
			// The task list answers 403 to accounts outside the team (contract: cloud-tasks.md, Errors); chat has no such
			// meaning.
			return kind === 'inference' ? 'refused' : 'forbidden';
		case 'offline':
		case 'timeout':
		case 'rate-limited':
		case 'server':
		case 'upstream':
			return 'no-answer';
		default:
			return 'not-checkable';
	}
}

/** Returns whether every request with this key will be refused. */
export function isKeyRefusal({ answer }: KeyCheck): boolean {
	return answer === 'refused' || answer === 'plan-required' || answer === 'forbidden';
}
