// Why a model server behind the local service did not list its models. It is our own and no part of the service's
// contract.
import * as z from 'zod';
import { defined } from '../base/defined.ts';
import { ClientError, type ClientErrorCode, systemErrorCode } from '../base/errors.ts';

export const upstreamProblemSchema = z.object({
	/** The name of the server's entry. */
	slug: z.string().min(1),
	/** The code of the client's error. */
	code: z.custom<ClientErrorCode>(value => typeof value === 'string'),
	status: z.int().optional(),
	/** The system's code, such as `ECONNREFUSED`. */
	system: z.string().optional(),
});
export type UpstreamProblem = z.output<typeof upstreamProblemSchema>;

export function upstreamProblemOf(slug: string, error: unknown): UpstreamProblem {
	const { code, status } = ClientError.is(error) ? error : new ClientError('bad-response', '');
	const system = systemErrorCode(error instanceof Error ? error.cause : undefined);
	return {
		slug,
		code,
		...defined({ status, system }),
	};
}

/** Says what happened, as a phrase that follows the server's name. */
export function upstreamProblemText({ code, status, system }: UpstreamProblem): string {
	const http = status === undefined ? '' : ` (HTTP ${status})`;
	switch (code) {
		case 'unauthorised':
		case 'forbidden':
			return `refuses its key or wants one${http}`;
		case 'payment-required':
			return `wants to be paid first${http}`;
		case 'rate-limited':
			return `takes no more requests for now${http}`;
		case 'not-found':
			return `has no list of models at its address${http}`;
		case 'offline':
			return unreachableText(system);
		case 'timeout':
			return 'did not answer in time';
		case 'bad-response':
			return `answers with something else than a list of models${http}`;
		default:
			return `failed${http}`;
	}
}

/** Says why there is no connection, by the system's code. */
export function unreachableText(system: string | undefined): string {
	const code = system === undefined ? '' : ` (${system})`;
	switch (system) {
		case 'ENOTFOUND':
		case 'EAI_AGAIN':
			return `cannot be reached: the name of its host is not found${code}`;
		case 'ECONNREFUSED':
			return `cannot be reached: nothing listens at its address${code}`;
		default:
			return `cannot be reached${code}`;
	}
}
