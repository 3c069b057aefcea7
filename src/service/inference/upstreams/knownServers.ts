import { OLLAMA_SLUG } from '../../../contract/upstreams.ts';

/** A model server that is looked for on this machine. */
export interface KnownServer {
	slug: string;
	label: string;
	/** Of 127.0.0.1, with its version. */
	url: string;
}

const OLLAMA_PORT = '11434';

/** Where a server listens that is reached at 127.0.0.1. */
const REACHED: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '0.0.0.0', '[::]']);

/** `environment`: Ollama's own variable says at which port of this machine it listens, where that is another than usual. */
export function knownServers({ OLLAMA_HOST = '' }: Readonly<Record<string, string | undefined>>): KnownServer[] {
	const named = URL.parse(`http://${OLLAMA_HOST.replace(/^http:\/\//, '').replace(/^:/, '127.0.0.1:')}`);
	const port = (named && REACHED.has(named.hostname) && named.port) || OLLAMA_PORT;
	return [{ slug: OLLAMA_SLUG, label: 'Ollama', url: `http://127.0.0.1:${port}/v1` }];
}
