// The way in which a window finds, verifies and leases the local service. This is our own protocol and no part of the
// service's contract (ARCHITECTURE.md, “The local service”).
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
	/** `POST` takes paths of `namedRepositoriesSchema`, which the look-ups return from then on, and answers `{named: <count>}`. */
	repositories: '/errand/v1/repositories',
	/** `GET` answers the names that requests can use now, as a `GatewayDescription`. */
	description: '/errand/v1/connection',
	/** `POST` takes a `FoundAnswer` about one of the description's found servers, and answers `{taken: true}`. */
	foundServers: '/errand/v1/found-servers',
	/** `PUT` takes an `UpstreamHandover`, through the control pipe only, and answers `{taken: true}`. */
	upstreams: '/errand/v1/upstreams',
	/** `GET` answers an `AgentsReport` (in agents.ts, like all of the following). */
	agents: '/errand/v1/agents',
	/** `POST` takes an `AgentRequest`, starts the agent in the sandbox and answers an `AgentTrial`. */
	tryAgent: '/errand/v1/agents/try',
	/** `POST` takes an `AgentRequest`, installs the agent, tries it, and answers an `AgentTrial`. */
	installAgent: '/errand/v1/agents/install',
	/** `POST` takes a `TaskCheckRequest` and answers a `TaskCheck`. */
	taskCheck: '/errand/v1/task-check',
	/** `POST` takes a `Consent` and answers `{taken: true}`. `GET` answers the list of stored consents. */
	consents: '/errand/v1/consents',
	/** `POST` takes a `Withdrawal` and answers `{taken: true}`, even if there is nothing to withdraw. */
	withdrawConsent: '/errand/v1/consents/withdraw',
	/** `POST` takes a `TaskWithServers` (in mcpServers.ts) and answers like the contract's route for a new task. */
	tasks: '/errand/v1/tasks',
	/** `POST` takes a `PartialWorkRequest` and answers a `PartialWork`. */
	keepWork: '/errand/v1/kept-work',
	/** `GET` answers the use by tasks, month by month, in the form of `monthlyUseSchema`. */
	costs: '/errand/v1/costs',
} as const;

/** The parts of the local connection that only the running service knows, and its findings on this machine. */
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
		/** The model servers of the settings whose models are unknown, with the reasons. */
		upstreamProblems: z.array(upstreamProblemSchema).default([]),
	});
export type GatewayDescription = z.output<typeof gatewayDescriptionSchema>;

/** Absolute paths of repository folders on this machine. */
export const namedRepositoriesSchema = z.strictObject({ folders: z.array(z.string().min(1)).min(1).max(200) });

/** The file in the state folder with the address of the service. Only its owner can read it. */
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
 * The first line that the service prints, as JSON: either it serves, or it ends because another process already serves.
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
 * Returns, in hexadecimal, the answer to `nonce` of a service at `address` that knows `token`. The address is part of
 * the proof, so that a process at another port cannot relay the nonce to the real service and return its answer.
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
