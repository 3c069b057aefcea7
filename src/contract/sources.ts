// Look-ups of the linked source-hosting account: organisations, repositories, branches (contract: cloud-tasks.md).
import * as z from 'zod';
import { lenient } from './lenient.ts';

/** Only the name of a record is required, and unknown fields are kept. */
export const organisationSchema = z.looseObject({
	login: z.string().min(1),
	name: lenient(z.string()),
	avatar_url: lenient(z.string()),
});
export type Organisation = z.output<typeof organisationSchema>;

export const repositorySchema = z.looseObject({
	name: z.string().min(1),
	/** The name as `owner/repo-name`. */
	full_name: lenient(z.string()),
	description: lenient(z.string()),
	private: lenient(z.boolean()),
	/** An HTTPS address. */
	clone_url: lenient(z.string()),
	/** The time in ISO 8601. */
	updated_at: lenient(z.string()),
	language: lenient(z.string()),
});
export type Repository = z.output<typeof repositorySchema>;

export const branchSchema = z.looseObject({
	name: z.string().min(1),
	/** True if the branch is protected from force pushes and deletion. */
	protected: lenient(z.boolean()),
	isDefault: lenient(z.boolean()),
});
export type Branch = z.output<typeof branchSchema>;

const name = z.string().refine(text => text.trim() !== '', 'must not be empty');

export const repositoriesQuerySchema = z.strictObject({ owner: name });
export const branchesQuerySchema = z.strictObject({ owner: name, repo: name });
