import type * as z from 'zod';
import { ClientError } from '../base/errors.ts';
import { rowsOf } from '../contract/lenient.ts';
import { type Route, routes } from '../contract/routes.ts';
import {
	branchesQuerySchema,
	branchSchema,
	organisationSchema,
	repositoriesQuerySchema,
	repositorySchema,
} from '../contract/sources.ts';
import type { Call, Caller } from './core/caller.ts';
import { readReply } from './core/replyData.ts';
import { checkRequest } from './core/requestCheck.ts';
import type { Client } from './types.ts';

/** 404: the link to the source host is missing or has expired. 403: the integration needs a plan of its own. */
const CODES = { 403: 'plan-required', 404: 'source-link-missing' } as const;

/** For branches, a 404 may also be about the repository itself, which only the message tells. */
const BRANCHES_CODES = {
	...CODES,
	404: (said: string) =>
		/repositor/i.test(said) && !/token|link|connect|credential/i.test(said) ? 'not-found' : 'source-link-missing',
} as const;

/** Look-ups in the linked source-hosting account (contract: cloud-tasks.md). */
export function createSources(caller: Caller): Client['sources'] {
	return {
		organisations: () => lookUp(caller, routes.organisations, organisationSchema, {}),
		repositories: async owner =>
			lookUp(caller, routes.repositories, repositorySchema, checkRequest(repositoriesQuerySchema, { owner })),
		async branches(owner, repo) {
			const query = checkRequest(branchesQuerySchema, { owner, repo });
			return lookUp(caller, routes.branches, branchSchema, query, BRANCHES_CODES);
		},
	};
}

async function lookUp<T extends z.ZodType>(
	caller: Caller,
	route: Route,
	record: T,
	query: Record<string, string>,
	codes: NonNullable<Call['codes']> = CODES,
): Promise<z.output<T>[]> {
	const { scm, name } = caller.connection;
	if (scm === undefined) {
		throw new ClientError('not-supported', `the connection "${name}" has no scm`);
	}
	const reply = await caller.json({
		route,
		values: { scm },
		query,
		codes,
		firstByteMs: caller.limits.lookUpFirstByteMs,
		retry: 'idempotent',
	});
	const rows = readReply(rowsOf(record), reply, 'the reply is no list of records');
	return rows.filter(row => row !== undefined);
}
