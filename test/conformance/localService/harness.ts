import { createClient } from '../../../src/client/client.ts';
import type { Client } from '../../../src/client/types.ts';
import { type Connection, connectionSchema } from '../../../src/contract/connection.ts';
import {
	ENTERPRISE_PATH,
	LOCAL_DECISION_MODEL,
	LOCAL_SCM,
	LOCAL_SERVICE,
} from '../../../src/contract/localConnection.ts';
import { searchModelOf } from '../../../src/contract/search.ts';
import { ServiceProcess } from '../../support/serviceProcess.ts';
import { TemporaryRepository } from '../../support/temporaryRepository.ts';
import { addProof } from '../proofs.ts';

/** A service that is under test, and what of it the suite has to know. */
export interface Implementation {
	client: Client;
	/** With the key, unless `headers` has another authorization. */
	fetch(path: string, init?: RequestInit): Promise<Response>;
	/** The same on the enterprise host. */
	fetchEnterprise(path: string, init?: RequestInit): Promise<Response>;
	key: string;
	model: string;
	/** A code-oriented model of the responses endpoint. */
	codeModel: string;
	imageModel: string;
	searchModel: string;
	/** Without a version. */
	decisionModel: string;
	provider: string;
	/** A repository that tasks can run on. */
	repoUrl: string;
	/** Prompts by which this implementation shows a fault or takes its time. */
	prompts: {
		error: string;
		cut: string;
		/** The model calls the first tool of the request. */
		call: string;
		/** It calls two at once. */
		calls: string;
		slowTask: string;
		failingTask: string;
	};
	stop(): Promise<void>;
}

interface Implementer {
	name: string;
	start(): Promise<Implementation>;
}

/** A test that the service does what these requirements demand; `what` names it. */
export type Verifies = (
	ids: string | readonly string[],
	what: string,
	body: (implementation: Implementation) => Promise<void>,
) => void;

/** Runs an area's tests against each implementer, with one service for the area. */
export function conformance(area: string, define: (verifies: Verifies) => void): void {
	for (const { name, start } of implementers) {
		describe(`${area}, ${name}`, function () {
			this.timeout(60_000);
			let implementation: Implementation | undefined;
			before(async () => {
				implementation = await start();
			});
			after(() => implementation?.stop());
			define((ids, what, body) => {
				const list = typeof ids === 'string' ? [ids] : ids;
				addProof(list, { what: `${name}: ${what}` });
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

const implementers: Implementer[] = [{ name: 'the local service', start: startLocalService }];

async function startLocalService(): Promise<Implementation> {
	const service = await ServiceProcess.start();
	const repository = await TemporaryRepository.create();
	const connection: Connection = {
		name: 'local',
		...connectionSchema.parse({
			apiUrl: service.address,
			enterpriseUrl: service.address + ENTERPRISE_PATH,
			cloudUrl: service.address,
			agentUrl: service.address,
			scm: LOCAL_SCM,
			service: LOCAL_SERVICE,
			decisionModel: LOCAL_DECISION_MODEL,
		}),
	};
	return {
		client: createClient({ connection, keys: async () => service.token }),
		fetch: (path, init) => service.fetch(path, init),
		fetchEnterprise: (path, init) => service.fetch(ENTERPRISE_PATH + path, init),
		key: service.token,
		model: 'demo',
		codeModel: 'demo-code',
		imageModel: 'demo-image',
		searchModel: searchModelOf(connection),
		decisionModel: LOCAL_DECISION_MODEL,
		provider: 'demo',
		repoUrl: repository.path,
		prompts: {
			error: '/demo error',
			cut: '/demo cut',
			call: '/demo tools',
			calls: '/demo parallel',
			slowTask: '/demo slow',
			failingTask: '/demo fail',
		},
		async stop() {
			await service.stop();
			await repository.remove();
		},
	};
}
