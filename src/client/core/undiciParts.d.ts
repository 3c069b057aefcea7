// The one part of undici that is used, by its own path: undici's main module installs a dispatcher for the whole
// process when none is there, and every other user of `fetch` in that process would get it.
declare module 'undici/lib/dispatcher/env-http-proxy-agent.js' {
	import type { EnvHttpProxyAgent } from 'undici';

	const agent: typeof EnvHttpProxyAgent;
	export = agent;
}
