import { readdir, readFile, rename } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { createClient } from '../../../src/client/client.ts';
import { createFetchTransport } from '../../../src/client/core/fetchTransport.ts';
import type { Client } from '../../../src/client/types.ts';
import { type Connection, connectionSchema } from '../../../src/contract/connection.ts';
import {
	ENTERPRISE_PATH,
	LOCAL_DECISION_MODEL,
	LOCAL_SCM,
	LOCAL_SERVICE,
} from '../../../src/contract/localConnection.ts';
import { searchModelOf } from '../../../src/contract/search.ts';
import type { UpstreamHandoverInput } from '../../../src/contract/upstreams.ts';
import type { Tampering } from '../../support/contractServer/contractServer.ts';
import { CODE_STAND_IN, PROMPTS, STAND_IN, startStandIns } from '../../support/modelStandIn.ts';
import { ServiceProcess } from '../../support/serviceProcess.ts';
import { TemporaryRepository } from '../../support/temporaryRepository.ts';
import { UpstreamServer } from '../../support/upstreamServer.ts';
import { addProof } from '../proofs.ts';
import { tamperedFetch } from './tamperedFetch.ts';

/** A service under test, and what the suite has to know about it. */
export interface Implementation {
	client: Client;
	/** Sends a request with the key, unless `headers` has another authorization. */
	fetch(path: string, init?: RequestInit): Promise<Response>;
	/** The same on the enterprise host. */
	fetchEnterprise(path: string, init?: RequestInit): Promise<Response>;
	key: string;
	model: string;
	/** A code-oriented model of the responses endpoint. */
	codeModel: string;
	imageModel: string;
	searchModel: string;
	/** The name of the decision model without a version. */
	decisionModel: string;
	provider: string;
	/** The service's own slug. */
	service: string;
	/** A repository that tasks can run on. */
	repoUrl: string;
	lookUps: LookUps;
	/** A model of two model servers, and which of them is best in what. It is there if the area needs model servers. */
	race: { model: string; cheapest: string; firstToBegin: string; fastest: string };
	/**
	 * A closed model whose server keeps nothing but a cache in memory, and how many tokens that cache saves. It is there if
	 * the area needs model servers.
	 */
	caching: { model: string; provider: string; cachedTokens: number };
	/** Returns all that the service has stored so far, and what it has logged. */
	stored(): Promise<string>;
	/** Prompts by which this implementation shows a fault or takes its time. */
	prompts: {
		error: string;
		/** The model calls the first tool of the request. */
		call: string;
		/** It calls two at once. */
		calls: string;
		slowTask: string;
		failingTask: string;
	};
	/** Returns the same service, as it is seen by a client whose replies are falsified. */
	under(tampering: Tampering): Implementation;
	stop(): Promise<void>;
}

/** What the look-ups find of a repository. */
export interface LookUps {
	owner: string;
	repo: string;
	cloneUrl: string;
	/** Makes its branches impossible to read, and returns what undoes that. */
	breakBranches(): Promise<() => Promise<void>>;
}

/** A service that has started, with what the suite cannot find out from outside. */
export interface RunningService extends Pick<Implementation, 'repoUrl' | 'lookUps' | 'stored' | 'stop'> {
	address: string;
	token: string;
}

/** Starts a service with these model servers. */
type StartService = (upstreams: UpstreamHandoverInput['upstreams']) => Promise<RunningService>;

/** What the tests of an area need of the service. */
interface Needs {
	/** Whether it has model servers of different speed, and one that caches. */
	modelServers?: boolean;
}

interface Implementer {
	name: string;
	start(needs: Needs): Promise<Implementation>;
}

/** A test that the service does what these requirements demand; `what` names it. */
export type Verifies = (
	ids: string | readonly string[],
	what: string,
	body: (implementation: Implementation) => Promise<void>,
) => void;

/** Runs an area's tests against each implementer, with one service for the area. */
export function conformance(area: string, define: (verifies: Verifies) => void, needs: Needs = {}): void {
	for (const implementer of implementers) {
		const { name, start } = implementer;
		describe(`${area}, ${name}`, () => {
			let implementation: Implementation | undefined;
			before(async () => {
				implementation = await start(needs);
			});
			after(() => implementation?.stop());
			define((ids, what, body) => {
				const list = typeof ids === 'string' ? [ids] : ids;
				addProof(list, {
					by: 'service',
					what: `${name}: ${what}`,
					runUnder: tampering => withShared(implementer, needs, service => body(service.under(tampering))),
				});
				it(`${what} (${list.length > 3 ? `${list[0]} and ${list.length - 1} more` : list.join(', ')})`, async () => {
					if (implementation === undefined) {
						throw new Error('The service did not start.');
					}
					await body(implementation);
				});
			});
		});
	}
}

/** Services that proofs under faults have started, by their name and what they have, and which of them are free. */
const shared = new Map<string, { all: Promise<Implementation>[]; free: Promise<Implementation>[] }>();

/** Runs a proof with a service that no other proof uses meanwhile. */
async function withShared(
	{ name, start }: Implementer,
	needs: Needs,
	body: (implementation: Implementation) => Promise<void>,
): Promise<void> {
	const key = `${name} ${JSON.stringify(needs)}`;
	const services = shared.get(key) ?? { all: [], free: [] };
	shared.set(key, services);
	let service = services.free.pop();
	if (service === undefined) {
		service = start(needs);
		services.all.push(service);
	}
	try {
		await body(await service);
	} finally {
		await stopTasks(await service);
		services.free.push(service);
	}
}

/** A proof that has failed leaves its tasks behind, which would work to their end and keep others waiting. */
async function stopTasks({ client }: Implementation): Promise<void> {
	const { tasks } = await client.tasks.list({ status: 'active', limit: 100 });
	await Promise.all(tasks.map(({ id }) => client.tasks.stop(id)));
}

/** Stops the services that proofs under faults have started. */
export async function stopShared(): Promise<void> {
	const all = [...shared.values()].flatMap(services => services.all);
	shared.clear();
	await Promise.all(all.map(async implementation => (await implementation).stop()));
}

const PIECES = Array.from({ length: 6 }, (_, index) => `word ${index} `);

const implementers: Implementer[] = [
	{ name: 'the local service', start: needs => startImplementation(needs, startLocalService) },
];

/** Makes the suite test another service instead. The files of the suite have to be loaded after that. */
export function useService(name: string, start: StartService): void {
	implementers.splice(0, implementers.length, { name, start: needs => startImplementation(needs, start) });
}

/** The tokens that the upstream with a cache in memory tells of. */
const CACHED_TOKENS = 11;

/** One is quick to begin and slow to go on, the other the other way round. The third one caches. */
async function startUpstreams() {
	const early = await UpstreamServer.start({ pauseMs: 80, pieces: PIECES });
	const swift = await UpstreamServer.start({ firstMs: 500, pauseMs: 3, pieces: PIECES });
	const usage = {
		...{ prompt_tokens: 12, completion_tokens: 1, total_tokens: 13 },
		prompt_tokens_details: { cached_tokens: CACHED_TOKENS },
	};
	const caching = await UpstreamServer.start({
		chunks: [{ choices: [{ index: 0, delta: { content: 'Cached.' }, finish_reason: 'stop' }] }, { choices: [], usage }],
		isForgetful: true,
	});
	const prices = (input: number) => ({ prices: { input, output: input } });
	const zdr = { zeroDataRetention: true, storesData: false };
	return {
		upstreams: [
			{ slug: 'early', url: early.url, models: [{ id: 'racer' }], ...prices(2) },
			{ slug: 'swift', url: swift.url, models: [{ id: 'racer' }], ...prices(3) },
			{ slug: 'caching', url: caching.url, models: [{ id: 'keeper', openWeights: false }], dataPolicy: zdr },
		],
		async stop() {
			await Promise.all([early, swift, caching].map(upstream => upstream.stop()));
		},
	};
}

async function startImplementation({ modelServers = false }: Needs, start: StartService): Promise<Implementation> {
	const servers = [await startStandIns(), ...(modelServers ? [await startUpstreams()] : [])];
	const service = await start(servers.flatMap(server => server.upstreams));
	const { address, token, repoUrl, lookUps, stored } = service;
	const connection: Connection = {
		name: 'local',
		...connectionSchema.parse({
			apiUrl: address,
			enterpriseUrl: address + ENTERPRISE_PATH,
			cloudUrl: address,
			agentUrl: address,
			scm: LOCAL_SCM,
			service: LOCAL_SERVICE,
			decisionModel: LOCAL_DECISION_MODEL,
		}),
	};
	const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
	const ask = (target: string, init: RequestInit = {}) =>
		fetch(address + target, { ...init, headers: { ...headers, ...(init.headers as Record<string, string>) } });
	const implementation: Implementation = {
		client: createClient({ connection, keys: async () => token }),
		fetch: ask,
		fetchEnterprise: (path, init) => ask(ENTERPRISE_PATH + path, init),
		key: token,
		model: STAND_IN,
		codeModel: CODE_STAND_IN,
		imageModel: 'demo-image',
		searchModel: searchModelOf(connection),
		decisionModel: LOCAL_DECISION_MODEL,
		provider: 'first',
		service: LOCAL_SERVICE,
		repoUrl,
		lookUps,
		race: { model: 'racer', cheapest: 'early', firstToBegin: 'early', fastest: 'swift' },
		caching: { model: 'keeper', provider: 'caching', cachedTokens: CACHED_TOKENS },
		prompts: { ...PROMPTS, slowTask: '/demo slow', failingTask: '/demo fail' },
		stored,
		under(tampering) {
			const tampered = tamperedFetch(ask, tampering);
			const direct = tamperedFetch((target, init) => fetch(target, init), tampering);
			const transport = createFetchTransport((target, init) => direct(target, init));
			return {
				...implementation,
				client: createClient({ connection, keys: async () => token, transport }),
				fetch: tampered,
				fetchEnterprise: (target, init) => tampered(ENTERPRISE_PATH + target, init),
			};
		},
		async stop() {
			await service.stop();
			await Promise.all(servers.map(server => server.stop()));
		},
	};
	return implementation;
}

async function startLocalService(upstreams: UpstreamHandoverInput['upstreams']): Promise<RunningService> {
	const service = await ServiceProcess.start({ handover: { upstreams } });
	const repository = await TemporaryRepository.create();
	const { address, token } = service;
	return {
		address,
		token,
		repoUrl: repository.path,
		lookUps: {
			owner: path.basename(path.dirname(repository.path)),
			repo: path.basename(repository.path),
			cloneUrl: pathToFileURL(repository.path).href,
			async breakBranches() {
				const references = path.join(repository.path, '.git', 'refs');
				// Without it git calls the folder no repository, while its files are there.
				await rename(references, `${references}-away`);
				return () => rename(`${references}-away`, references);
			},
		},
		async stored() {
			const files = await readdir(service.stateFolder, { recursive: true, withFileTypes: true });
			const texts = files
				.filter(file => file.isFile())
				.map(file => readFile(path.join(file.parentPath, file.name), 'latin1'));
			return (await Promise.all(texts)).join('\n');
		},
		async stop() {
			await service.stop();
			await repository.remove();
		},
	};
}
