// What the operator of the service says once for all machines: a file, and variables of the environment for everything
// that is secret. Front ends and workers read the same file.
import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { describeError, UserFacingError } from '../base/errors.ts';
import { parseJsonWithComments } from '../base/json.ts';
import { readVariables, type TaskSettings, taskSettingsSchema } from '../contract/agents.ts';
import { connectionSchema } from '../contract/connection.ts';
import type { Alias } from '../contract/modelIdentifier.ts';
import { type UpstreamHandover, upstreamHandoverSchema } from '../contract/upstreams.ts';
import { describeIssue } from '../service/replies.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Tokens go to these, so it is `https:`, or `http:` on loopback. */
const address = connectionSchema.shape.apiUrl;

/** The second part of the paths of the look-ups, where tasks and the agent API have theirs too. */
const TAKEN_SEGMENTS: ReadonlySet<string> = new Set(['tasks', 'v1']);

const sourceSchema = z
	.strictObject({
		/** The path segment of its look-ups, by which users' tokens are kept too. */
		scm: z
			.string()
			.regex(/^[a-z0-9][a-z0-9-]{0,38}$/, 'must be lowercase letters, digits and hyphens')
			.refine(name => !TAKEN_SEGMENTS.has(name), 'is taken'),
		kind: z.enum(['github', 'gitea']),
		/** The base address of its API, such as `https://api.github.com` or `https://git.example.com/api/v1`. */
		api: address,
		/** What the addresses of its repositories begin with. If missing, it is the host of the API. */
		clone: address.optional(),
	})
	.transform(({ clone, ...source }) => ({ ...source, clone: clone ? normal(clone) : cloneAddressOf(source.api) }));
export type Source = z.output<typeof sourceSchema>;

/** As the addresses of repositories come, which are compared with it: the host in lower case, without a usual port. */
const normal = (address: string): string => new URL(address).href.replace(/\/$/, '');

function cloneAddressOf(api: string): string {
	const { origin } = new URL(api);
	return origin === 'https://api.github.com' ? 'https://github.com' : origin;
}

const limitsSchema = z.strictObject({
	/** The tasks of a user that wait or run at a time. */
	tasksAtOnce: z.int().positive().default(10),
	/** The cost of a user's tasks in a calendar month (UTC) in US dollars, after which no further task begins. */
	costAMonth: z.number().positive().optional(),
	requestsAMinute: z.int().positive().default(600),
	/** The requests of a user that one front end answers at a time, streams among them. Each takes memory. */
	requestsAtOnce: z.int().positive().default(100),
	/** The limit for each agent of a task in US dollars. */
	maxCost: z.number().positive().optional(),
});
export type Limits = Omit<z.output<typeof limitsSchema>, 'maxCost'>;

const fileSchema = z.strictObject({
	/** The address under which clients reach the front ends; by default, where each of them listens. */
	address: address.optional(),
	/** Upstreams as in the handover to a local service, with the name of a variable in place of the key. */
	upstreams: z
		.array(
			z.looseObject({
				keyFrom: z.string().min(1).optional(),
				key: z.never('stands in a variable, see keyFrom').optional(),
			}),
		)
		.default([]),
	aliases: connectionSchema.shape.aliases,
	/** The agents beside Errand's own. Variables that they name are taken from the environment of the workers. */
	agents: taskSettingsSchema.shape.agents,
	/** The routing policy for every model call of a task. */
	provider: taskSettingsSchema.shape.provider,
	sources: z
		.array(sourceSchema)
		.default([])
		.refine(list => new Set(list.map(({ scm }) => scm)).size === list.length, 'an scm stands there twice'),
	limits: limitsSchema.prefault({}),
	/** Whether the demo's models and agents are offered. */
	demo: z.boolean().default(false),
	/** Whether tasks may name repositories in folders of the workers' machines. Every user could then read those. */
	allowLocalRepositories: z.boolean().default(false),
});

export interface Configuration
	extends Pick<z.output<typeof fileSchema>, 'address' | 'demo' | 'allowLocalRepositories'> {
	/** The upstreams with their keys, and what applies to the agents of tasks. */
	handover: UpstreamHandover & { tasks: TaskSettings };
	aliases: readonly Alias[];
	sources: readonly Source[];
	limits: Limits;
}

/** @throws UserFacingError that names the file and the field. */
export function readConfiguration(file: string, environment: Environment): Configuration {
	let text: string;
	try {
		text = readFileSync(file, 'utf8');
	} catch (error) {
		throw new UserFacingError(`The configuration ${file} cannot be read (${describeError(error)}). See --config.`);
	}
	try {
		return parseConfiguration(text, environment);
	} catch (error) {
		throw error instanceof UserFacingError ? new UserFacingError(`${file}: ${error.message}`) : error;
	}
}

/** @throws UserFacingError that names the field. */
export function parseConfiguration(text: string, environment: Environment): Configuration {
	const value = parseJsonWithComments(text);
	if (value === undefined) {
		throw new UserFacingError('This is not valid JSON.');
	}
	const { upstreams, agents, provider, limits, sources, aliases, ...rest } = parsed(fileSchema, value);
	const { maxCost, ...perUser } = limits;
	const handover = {
		upstreams: upstreams.map(({ keyFrom, ...upstream }, index) => ({
			...upstream,
			...(keyFrom === undefined ? {} : { key: variable(keyFrom, environment, `upstreams[${index}].keyFrom`) }),
		})),
		findOllama: false,
	};
	const names = agents.flatMap(({ env }) => readVariables(env).names);
	const tasks: TaskSettings = {
		agents,
		variables: Object.fromEntries(names.map(name => [name, environment[name]] as const).filter(isSet)),
		// Nobody could be asked.
		sandbox: 'require',
		ownAccounts: 'forbid',
		allowedAccounts: {},
		...(maxCost === undefined ? {} : { maxCost }),
		...(provider === undefined ? {} : { provider }),
	};
	return {
		...rest,
		handover: { ...parsed(upstreamHandoverSchema, handover), tasks },
		aliases,
		sources,
		limits: perUser,
	};
}

const isSet = (entry: readonly [string, string | undefined]): entry is readonly [string, string] =>
	entry[1] !== undefined;

function variable(name: string, environment: Environment, field: string): string {
	const value = environment[name];
	if (value === undefined || value === '') {
		throw new UserFacingError(`${field}: the variable ${name} is not set in the environment.`);
	}
	return value;
}

function parsed<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
	const result = schema.safeParse(value);
	if (!result.success) {
		throw new UserFacingError(`${describeIssue(result.error).replace(/\.?$/, '.')}`);
	}
	return result.data;
}
