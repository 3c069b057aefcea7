// The programs that serve models on a user's own machine, and where each of them listens.
import { OLLAMA_SLUG } from './upstreams.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** A model server that is looked for on this machine. */
export interface UsualServer {
	slug: string;
	label: string;
	/** The address at 127.0.0.1, with the API's version. */
	url: string;
	/**
	 * What the program says in `owned_by` of its models. It is set where the port is one that many other programs use, too, so
	 * that the port alone does not tell which one listens.
	 */
	ownedBy?: string;
}

/** The listening hosts that 127.0.0.1 reaches. */
const REACHED: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '0.0.0.0', '[::]']);

/** Ollama's own variable names its port if it is not the usual one. */
export function ollamaServer({ OLLAMA_HOST = '' }: Environment): UsualServer {
	const named = URL.parse(`http://${OLLAMA_HOST.replace(/^http:\/\//, '').replace(/^:/, '127.0.0.1:')}`);
	const port = (named && REACHED.has(named.hostname) && named.port) || '11434';
	return { slug: OLLAMA_SLUG, label: 'Ollama', url: urlAt(port) };
}

/** All of them. llama.cpp has a variable for its port as well. */
export function usualServers(environment: Environment): UsualServer[] {
	const { LLAMA_ARG_PORT = '' } = environment;
	const llamaPort = /^\d{1,5}$/.test(LLAMA_ARG_PORT) && Number(LLAMA_ARG_PORT) <= 65_535 ? LLAMA_ARG_PORT : '8080';
	return [
		ollamaServer(environment),
		{ slug: 'lmstudio', label: 'LM Studio', url: urlAt('1234') },
		{ slug: 'llamacpp', label: 'llama.cpp', url: urlAt(llamaPort), ownedBy: 'llamacpp' },
		{ slug: 'vllm', label: 'vLLM', url: urlAt('8000'), ownedBy: 'vllm' },
	];
}

function urlAt(port: string): string {
	return `http://127.0.0.1:${port}/v1`;
}
