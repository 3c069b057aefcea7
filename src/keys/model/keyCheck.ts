import * as z from 'zod';
import { ClientError } from '../../client/core/errors.ts';
import type { KeyKind } from '../../contract/routes.ts';

/**
 * What the service made of a key. `refused`: 401, or 403 where that has no other meaning. `plan-required` and
 * `forbidden`: the key is valid and its account may not. `not-checkable`: only a request that costs would tell.
 * `no-answer`: the service could not be asked, or failed.
 */
const answers = ['accepted', 'refused', 'plan-required', 'forbidden', 'not-checkable', 'no-answer'] as const;

export const keyCheckSchema = z.object({
	/** Milliseconds since the epoch. */
	at: z.number(),
	answer: z.enum(answers),
	/** The service's own sentence, from which the client took the key: hostile text, for showing only. */
	said: z.string().optional(),
});
export type KeyCheck = z.output<typeof keyCheckSchema>;

const MAXIMUM_SAID = 500;

/** What a failed request tells about the key that went with it. */
export function failedCheck(kind: KeyKind, error: unknown, at: number): KeyCheck {
	const said = ClientError.is(error) ? error.serviceMessage?.slice(0, MAXIMUM_SAID) : undefined;
	return { at, answer: answerOf(kind, error), ...(said ? { said } : {}) };
}

function answerOf(kind: KeyKind, error: unknown): KeyCheck['answer'] {
	if (!ClientError.is(error)) {
		return 'no-answer';
	}
	switch (error.code) {
		case 'unauthorised':
			return 'refused';
		case 'plan-required':
			return 'plan-required';
		case 'forbidden':
			// The task list says it to accounts outside the team (contract: cloud-tasks.md, Errors); chat has no such meaning.
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

/** True for an answer that no request with this key will get past. */
export function isTurnedDown({ answer }: KeyCheck): boolean {
	return answer === 'refused' || answer === 'plan-required' || answer === 'forbidden';
}
