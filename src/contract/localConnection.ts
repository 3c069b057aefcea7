import type { Connection } from './connection.ts';

/** The built-in connection to Errand's own service on this machine. It needs no key. */
export const LOCAL_CONNECTION_NAME = 'local';

/**
 * Where the local connection's requests are addressed to. Nothing can answer at port 0: the service takes any free port,
 * another one after each restart, so the local transport puts the present address in its place at every request.
 */
export const LOCAL_ORIGIN = 'http://127.0.0.1:0';

/** What the paths of the service's enterprise form begin with: it is one origin, and plays both hosts of the contract. */
export const ENTERPRISE_PATH = '/enterprise';

/** What the paths of the encrypted channel's shared form begin with; those of the other one name provider and model. */
export const ENCRYPTED_PATH = '/encrypted';

/** The slug of the service, and the first part of its search model and of full model paths. */
export const LOCAL_SERVICE = 'errand';

/** The segment of the look-ups' paths: repositories of this machine stand in for those of a source host. */
export const LOCAL_SCM = 'local';

/** Without a version. An alias of this name says which chat model decides. */
export const LOCAL_DECISION_MODEL = `${LOCAL_SERVICE}-decisions`;

/** What is known without asking; the service itself tells of its models, providers, prefixes and aliases (control.ts). */
export const localConnection: Connection = {
	name: LOCAL_CONNECTION_NAME,
	label: 'Local',
	apiUrl: LOCAL_ORIGIN,
	enterpriseUrl: LOCAL_ORIGIN + ENTERPRISE_PATH,
	cloudUrl: LOCAL_ORIGIN,
	orgUrl: LOCAL_ORIGIN,
	encryptUrl: LOCAL_ORIGIN + ENCRYPTED_PATH,
	plan: 'enterprise',
	service: LOCAL_SERVICE,
	scm: LOCAL_SCM,
	decisionModel: LOCAL_DECISION_MODEL,
	// There is no account that could be set to it.
	accountZdr: false,
	models: [{ id: 'demo', label: 'Demo', kinds: ['chat'], openWeights: true, images: true }],
	providers: [{ slug: 'demo', label: 'Demo' }],
	providerPrefixes: [],
	aliases: [],
	agents: [
		{ id: 'demo', label: 'Demo', models: ['demo'] },
		{ id: 'demo-two', label: 'Demo Two', models: ['demo'] },
	],
};
