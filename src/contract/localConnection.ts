import type { Connection } from './connection.ts';

/** The built-in connection to Errand's own service on this machine, which needs no key. */
export const LOCAL_CONNECTION_NAME = 'local';

/**
 * The address in the local connection's requests. Nothing can answer at port 0: the service takes any free port, a new
 * one after each restart, so the local transport substitutes the present address at every request.
 */
export const LOCAL_ORIGIN = 'http://127.0.0.1:0';

/**
 * The path prefix of the service's enterprise form. The local service has one origin, which serves both hosts of the
 * contract.
 */
export const ENTERPRISE_PATH = '/enterprise';

/** The path prefix of the encrypted channel's shared form. The paths of the other form name provider and model. */
export const ENCRYPTED_PATH = '/encrypted';

/** The slug of the service, and the first part of its search model and of full model paths. */
export const LOCAL_SERVICE = 'errand';

/** The name in place of a model for an agent with an account of its own, as only that account knows its models. */
export const OWN_ACCOUNT = 'own account';

/** The slugs of the built-in providers, which serve as demonstrations and are not models. */
export const DEMO_SLUGS: ReadonlySet<string> = new Set(['demo', 'demo-two']);

/** Returns the models of the local service that a model server offers, without those that only the demo has. */
export function realModels<Model extends { id: string }>(offer: {
	models: readonly Model[];
	providers: readonly { slug: string; models?: readonly string[] | undefined }[];
}): Model[] {
	const real = new Set(offer.providers.flatMap(({ slug, models = [] }) => (DEMO_SLUGS.has(slug) ? [] : models)));
	return offer.models.filter(({ id }) => real.has(id));
}

/** The path segment of the look-ups: repositories on this machine stand in for those of a source host. */
export const LOCAL_SCM = 'local';

/** The decision model without a version. An alias of this name selects the chat model that makes decisions. */
export const LOCAL_DECISION_MODEL = `${LOCAL_SERVICE}-decisions`;

/**
 * The parts of the connection that are known in advance; the service itself reports its models, providers, prefixes,
 * aliases and agents (control.ts). The models and agents here stand in for the reported ones until then.
 */
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
	// There is no account with such a setting.
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
