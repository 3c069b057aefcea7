import { OLLAMA_SLUG } from '../../../contract/upstreams.ts';

/** A model server that is looked for on this machine. */
export interface KnownServer {
	slug: string;
	label: string;
	/** The address at 127.0.0.1, with the API's version. */
	url: string;
}

const OLLAMA_PORT = '11434';

/** The listening hosts that 127.0.0.1 reaches. */
const REACHED: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '0.0.0.0', '[::]']);

/** The parameter is the environment. Ollama's own variable there names its port if it is not the usual one. */
export function knownServers({ OLLAMA_HOST = '' }: Readonly<Record<string, string | undefined>>): KnownServer[] {
	const named = URL.parse(`http://${OLLAMA_HOST.replace(/^http:\/\//, '').replace(/^:/, '127.0.0.1:')}`);
	const port = (named && REACHED.has(named.hostname) && named.port) || OLLAMA_PORT;
	return [{ slug: OLLAMA_SLUG, label: 'Ollama', url: `http://127.0.0.1:${port}/v1` }];
}
