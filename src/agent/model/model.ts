import type { InputItem } from '../../contract/responses.ts';
import { TurnFailure } from '../failures.ts';
import type { Tool } from '../tools/tool.ts';

/** The maximum characters of the events of one reply. A longer one is assumed to be endless. */
const MAXIMUM_REPLY = 64 * 1024 * 1024;

export type FunctionCall = Extract<InputItem, { type: 'function_call' }>;

export interface ModelRequest {
	instructions: string;
	/** The whole conversation so far. */
	items: readonly InputItem[];
	tools: readonly Tool[];
	signal: AbortSignal;
	onText(text: string): Promise<void>;
	onThought(text: string): Promise<void>;
}

export interface ModelReply {
	/** The items that the reply adds to the conversation, in order. Reasoning is unchanged. */
	items: InputItem[];
	/** Undefined if the service does not count. */
	usage: { inputTokens: number; outputTokens: number } | undefined;
	/** True if the reply was cut off at the model’s limit. */
	isCut: boolean;
}

/** A model behind one of the two endpoints. Both use the items of the responses endpoint. */
export interface Model {
	readonly name: string;
	/** Rejects with a ClientError, or with a TurnFailure. */
	reply(request: ModelRequest): Promise<ModelReply>;
}

/** Passes on the events of a reply. Throws a TurnFailure if they exceed the size of any real reply. */
export async function* untilTooLong<Event>(events: AsyncIterable<Event>, name: string): AsyncGenerator<Event> {
	let length = 0;
	for await (const event of events) {
		length += JSON.stringify(event).length;
		if (length > MAXIMUM_REPLY) {
			throw new TurnFailure(`The reply of ${name} did not end and was broken off. Try again, or choose another model.`);
		}
		yield event;
	}
}

export function callsIn(items: readonly InputItem[]): FunctionCall[] {
	return items.filter(item => item.type === 'function_call');
}

export function textIn(items: readonly InputItem[]): string {
	return items
		.flatMap(item => {
			if (item.type !== undefined && item.type !== 'message') {
				return [];
			}
			return typeof item.content === 'string' ? [item.content] : item.content.map(part => part.text);
		})
		.join('');
}
