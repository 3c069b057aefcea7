// Reports how a model server behind the local service failed, at its list of models or at a request. This is our own
// protocol and no part of the service's contract: refusals carry it beside their message, in `error.upstreams`.
import * as z from 'zod';
import { defined } from '../base/defined.ts';
import { ClientError, type ClientErrorCode, systemErrorCode, type UpstreamProblem } from '../base/errors.ts';

export const upstreamProblemSchema: z.ZodType<UpstreamProblem> = z.object({
	slug: z.string().min(1),
	label: z.string().optional(),
	origin: z.url().optional(),
	hasKey: z.boolean().optional(),
	code: z.custom<ClientErrorCode>(value => typeof value === 'string'),
	status: z.int().optional(),
	system: z.string().optional(),
	isPage: z.boolean().optional(),
	retryAfterMs: z.number().optional(),
	said: z.string().optional(),
});

/** Reads the problems in the body of an error. Anything of another form is left out. */
export function readUpstreamProblems(value: unknown): UpstreamProblem[] | undefined {
	return z.array(upstreamProblemSchema).min(1).safeParse(value).data;
}

/** The server, as its problem names it. */
export type NamedUpstream = Pick<UpstreamProblem, 'slug' | 'label' | 'origin' | 'hasKey'>;

export function upstreamProblemOf(server: NamedUpstream, error: unknown): UpstreamProblem {
	const failure = ClientError.is(error) ? error : new ClientError('bad-response', '');
	const { code, status, retryAfterMs, message } = failure;
	// Only the client can say what is wrong with a reply in another form.
	const said = failure.serviceMessage ?? (code === 'bad-response' && message !== '' ? message : undefined);
	return {
		...server,
		code,
		...defined({
			status,
			retryAfterMs,
			said,
			system: systemErrorCode(failure.cause),
			isPage: failure.isPage || undefined,
		}),
	};
}

/** Returns the problem without the server's own message, which may quote the request. */
export function withoutWords({ said: _, ...problem }: UpstreamProblem): UpstreamProblem {
	return problem;
}
