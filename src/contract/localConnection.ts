import type { Connection } from './connection.ts';

/** The built-in connection to Errand's own service on this machine. It needs no key. */
export const LOCAL_CONNECTION_NAME = 'local';

/**
 * Where the local connection's requests are addressed to. Nothing answers there: the service takes any free port,
 * another one after each restart, so the local transport puts the present address in its place at every request.
 */
export const LOCAL_ORIGIN = 'http://errand.localhost';

export const localConnection: Connection = {
	name: LOCAL_CONNECTION_NAME,
	label: 'Local',
	apiUrl: LOCAL_ORIGIN,
	cloudUrl: LOCAL_ORIGIN,
	plan: 'public',
	service: 'errand',
	models: [{ id: 'demo', label: 'Demo', kinds: ['chat'], openWeights: true }],
	providers: [{ slug: 'demo', label: 'Demo' }],
	providerPrefixes: [],
	aliases: [],
	agents: [{ id: 'demo', label: 'Demo', models: [] }],
};
