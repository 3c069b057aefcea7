// How a window finds, verifies and leases the local service. This is our own protocol and no part of the service's
// contract (ARCHITECTURE.md, “The local service”).
import { createHmac } from 'node:crypto';
import { lstat, readFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { connectionProviderSchema, connectionSchema } from './connection.ts';
import { dataPolicySchema } from './dataPolicy.ts';
import { foundServerSchema } from './foundServers.ts';
import { upstreamProblemSchema } from './upstreamProblem.ts';

export const controlPaths = {
	/** `GET ?nonce=…` without a token answers `{proof}`. */
	proof: '/errand/v1/proof',
	/** `GET` opens a response that stays open, with a comment every 10 s. The service keeps running while one is open. */
	lease: '/errand/v1/lease',
	/** `POST` answers `{stopping: true}` and ends the service. */
	shutdown: '/errand/v1/shutdown',
	/** `POST` takes a `NamedRepositories`, which the look-ups return from then on, and answers `{named: <count>}`. */
	repositories: '/errand/v1/repositories',
	/** `GET` answers the names that requests can use now, as a `GatewayDescription`. */
	description: '/errand/v1/connection',
	/** `POST`: a `FoundAnswer` about one of the description's found servers. Answers `{taken: true}`. */
	foundServers: '/errand/v1/found-servers',
	/** `PUT`, through the control pipe alone: an `UpstreamHandover`. Answers `{taken: true}`. */
	upstreams: '/errand/v1/upstreams',
	/** `GET` answers an `AgentsReport` (agents.ts, like all that follow). */
	agents: '/errand/v1/agents',
	/** `POST`: an `AgentRequest`. Starts the agent in the sandbox and answers an `AgentTrial`. */
	tryAgent: '/errand/v1/agents/try',
	/** `POST`: an `AgentRequest`. Installs the agent, tries it, and answers an `AgentTrial`. */
	installAgent: '/errand/v1/agents/install',
	/** `POST`: a `TaskCheckRequest`. Answers a `TaskCheck`. */
	taskCheck: '/errand/v1/task-check',
	/** `POST`: a `Consent`. Answers `{taken: true}`. `GET` answers the list of those that are kept. */
	consents: '/errand/v1/consents',
	/** `POST`: a `Withdrawal`. Answers `{taken: true}`, also where there is nothing to withdraw. */
	withdrawConsent: '/errand/v1/consents/withdraw',
	/** `POST`: a `PartialWorkRequest`. Answers a `PartialWork`. */
	keepWork: '/errand/v1/kept-work',
	/** `GET` answers what the tasks have used, month by month, as `monthlyUseSchema` says. */
	costs: '/errand/v1/costs',
} as const;

/** The parts of the local connection that only the running service knows, and what it has found on this machine. */
export const gatewayDescriptionSchema = connectionSchema
	.pick({
		models: true,
		providerPrefixes: true,
		aliases: true,
		agents: true,
	})
	.extend({
		providers: z.array(connectionProviderSchema.extend({ dataPolicy: dataPolicySchema.optional() })).default([]),
		foundServers: z.array(foundServerSchema).default([]),
		/** The model servers of the settings whose models are not known, with the reasons. */
		upstreamProblems: z.array(upstreamProblemSchema).default([]),
	});
export type GatewayDescription = z.output<typeof gatewayDescriptionSchema>;

/** Absolute paths of repository folders on this machine. */
export const namedRepositoriesSchema = z.strictObject({ folders: z.array(z.string().min(1)).min(1).max(200) });
export type NamedRepositories = z.output<typeof namedRepositoriesSchema>;

/** The file in the state folder that says where the service is. Only its owner can read it. */
export const DISCOVERY_FILE = 'discovery.json';

export const discoverySchema = z.object({
	/** The address as `http://127.0.0.1:<port>`, without a trailing slash. */
	address: z.string().regex(/^http:\/\/127\.0\.0\.1:\d{1,5}$/),
	token: z.string().min(32),
	/** The socket or named pipe through which secrets are handed over to the service. */
	pipe: z.string().min(1).optional(),
	pid: z.int().positive(),
	version: z.string(),
	/** ISO 8601. */
	startedAt: z.string(),
});
export type Discovery = z.output<typeof discoverySchema>;

/**
 * Reads the discovery file. Returns undefined if it does not exist, cannot be read, or could have been written by
 * others.
 */
export async function readDiscovery(stateFolder: string): Promise<Discovery | undefined> {
	const file = path.join(stateFolder, DISCOVERY_FILE);
	try {
		const status = await lstat(file);
		const isOurs = process.getuid === undefined || (status.uid === process.getuid() && (status.mode & 0o077) === 0);
		if (!status.isFile() || !isOurs) {
			return undefined;
		}
		return discoverySchema.parse(JSON.parse(await readFile(file, 'utf8')));
	} catch {
		return undefined;
	}
}

/**
 * The first line that the service prints, as JSON: either it serves, or another process serves already and this one
 * ends.
 */
export const startLineSchema = z.discriminatedUnion('ready', [
	z.object({ ready: z.literal(true), address: z.string(), pid: z.int().positive() }),
	z.object({ ready: z.literal(false), message: z.string() }),
]);
export type StartLine = z.output<typeof startLineSchema>;

/** 16 to 64 random bytes as base64url without padding. */
export const proofNonceSchema = z.string().regex(/^[\w-]{22,86}$/, 'must be 16 to 64 bytes as base64url');

export const proofReplySchema = z.object({ proof: z.string() });

/**
 * Returns, in hexadecimal, the proof that a service at `address` that knows `token` answers to `nonce`. The address is
 * part of the proof, so that a process at another port cannot relay the nonce to the real service and return its
 * answer.
 */
export function proofOf(token: string, address: string, nonce: string): string {
	return createHmac('sha256', token).update(`errand-proof\n${address}\n${nonce}`).digest('hex');
}

/**
 * Returns the folder where the OS user's local service keeps its data. A relative XDG path is ignored, as its
 * specification demands.
 */
export function stateFolderOf(
	environment: Readonly<Record<string, string | undefined>>,
	platform: NodeJS.Platform,
	homeFolder: string,
): string {
	const chosen = environment['ERRAND_STATE_HOME'];
	if (chosen) {
		return path.resolve(chosen);
	}
	if (platform === 'win32') {
		return path.join(environment['LOCALAPPDATA'] || path.join(homeFolder, 'AppData', 'Local'), 'errand');
	}
	if (platform === 'darwin') {
		return path.join(homeFolder, 'Library', 'Application Support', 'errand');
	}
	const xdg = environment['XDG_STATE_HOME'];
	return path.join(xdg && path.isAbsolute(xdg) ? xdg : path.join(homeFolder, '.local', 'state'), 'errand');
}
