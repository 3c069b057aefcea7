import type { ChatRequest } from '../../contract/chatRequest.ts';

export interface ProviderUsage {
	prompt_tokens: number;
	completion_tokens: number;
	total_tokens: number;
}

export type ProviderEvent =
	| { type: 'text'; text: string }
	| { type: 'finish'; reason: 'stop' | 'length' }
	| { type: 'usage'; usage: ProviderUsage };

/** Something that answers chat requests. One of them is built in; its slug is what `provider` of a request names. */
export interface ChatProvider {
	readonly slug: string;
	readonly models: readonly string[];
	/** Ends with `finish` and `usage`. Throws a ProviderFailure, or the signal's reason when it aborts. */
	stream(request: ChatRequest, signal: AbortSignal): AsyncIterable<ProviderEvent>;
}

/** A provider that fails: told to the client in the stream, or as the status of a reply that has not begun. */
export class ProviderFailure extends Error {
	override readonly name = 'ProviderFailure';
	/** `cut`: the connection ends without a word, as when a service breaks down. */
	readonly code: 'upstream_error' | 'cut';

	constructor(code: 'upstream_error' | 'cut', message: string) {
		super(message);
		this.code = code;
	}
}
