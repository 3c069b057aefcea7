import type { IndexedToolCall } from '../../../client/core/toolCallIndexes.ts';
import type { ReplyChunk, ReplyDelta } from '../provider.ts';
import type { ServerSeal } from '../serverSeal.ts';

/** Decodes the replies of an API that gives one choice, in named parts. Each API has a decoder that extends this one. */
export abstract class PartDecoder {
	isEnded = false;
	protected readonly seal: ServerSeal;
	private readonly requested: string;
	/** The server's more exact name of the model, which is sent with the first chunk. */
	private model: string | undefined;

	/** `requested` is the model's name in the request. */
	constructor(requested: string, seal: ServerSeal) {
		this.requested = requested;
		this.seal = seal;
	}

	protected nameModel(model: unknown): void {
		this.model = typeof model === 'string' && model !== this.requested ? model : undefined;
	}

	/** Adds a chunk with a piece of text. Anything that is no text, or an empty one, adds none and returns false. */
	protected say(field: 'content' | 'reasoning_content', text: unknown, into: ReplyChunk[]): boolean {
		const isText = typeof text === 'string' && text !== '';
		if (isText) {
			this.push({ [field]: text }, into);
		}
		return isText;
	}

	/** Adds a piece of a call's arguments. `index` distinguishes the calls of a reply. */
	protected call(
		index: number,
		text: string,
		into: ReplyChunk[],
		{ id, name }: { id?: unknown; name?: unknown } = {},
	): void {
		const call: IndexedToolCall = {
			index,
			id: typeof id === 'string' ? id : undefined,
			type: 'function',
			function: { name: typeof name === 'string' ? name : undefined, arguments: text },
		};
		this.push({ tool_calls: [call] }, into);
	}

	protected push(delta: ReplyDelta, into: ReplyChunk[]): void {
		const choices = [{ index: 0, delta, finish_reason: null }];
		into.push(this.model === undefined ? { choices } : { choices, model: this.model });
		this.model = undefined;
	}
}
