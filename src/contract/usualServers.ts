// The programs that usually serve models on a user's own machine, with their addresses.
import { OLLAMA_SLUG } from './upstreams.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** A model server to look for on this machine. */
export interface UsualServer {
	slug: string;
	label: string;
	/** The address at 127.0.0.1, with the API's version. */
	url: string;
	/**
	 * The value of `owned_by` in the program's list of models. It is set if many other programs use the same port, so
	 * that the port alone does not identify the program.
	 */
	ownedBy?: string;
}

/** The listening hosts that 127.0.0.1 reaches. */
const REACHED: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '0.0.0.0', '[::]']);

/** Reads the port from Ollama's own variable if it is not the usual one. */
export function ollamaServer({ OLLAMA_HOST = '' }: Environment): UsualServer {
	const named = URL.parse(`http://${OLLAMA_HOST.replace(/^http:\/\//, '').replace(/^:/, '127.0.0.1:')}`);
	const port = (named && REACHED.has(named.hostname) && named.port) || '11434';
	return { slug: OLLAMA_SLUG, label: 'Ollama', url: urlAt(port) };
}

/** Returns all usual servers. llama.cpp also has a variable for its port. */
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
