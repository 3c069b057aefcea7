// Tool calls of a reply, put together, and the message that sends them back.
import type { ReceivedToolCall } from '../contract/chatReply.ts';
import type { ChatMessage, ToolCall } from '../contract/chatRequest.ts';
import type { ChatStreamEvent } from './types.ts';

type ToolCallEvent = Extract<ChatStreamEvent, { type: 'toolCall' }>;

/** A call of which so much has come. */
interface PartialCall {
	id: string | undefined;
	name: string | undefined;
	/** Fragments; joined once, as there may be thousands. */
	arguments: string[];
}

/**
 * Puts the fragments of a stream's tool calls together. Fragments of several calls may be mixed; some services use one
 * index for all, so an id that differs from the call's own begins another one.
 */
export class ToolCallCollector {
	private readonly calls: PartialCall[] = [];
	private readonly current = new Map<number, PartialCall>();

	/** Takes an event of a chat stream; those of other types change nothing. */
	add(event: ChatStreamEvent): void {
		if (event.type === 'toolCall') {
			const call = this.callOf(event);
			call.id ??= event.id;
			// Some services repeat the name in every fragment.
			call.name ??= event.name;
			call.arguments.push(event.arguments);
		}
	}

	/** The calls so far, in the order in which they began; of a whole stream, the complete ones. */
	collected(): ToolCall[] {
		return complete(this.calls.map(({ id, name, arguments: parts }) => ({ id, name, arguments: parts.join('') })));
	}

	private callOf({ index, id }: ToolCallEvent): PartialCall {
		const known = this.current.get(index);
		if (known && (id === undefined || known.id === undefined || known.id === id)) {
			return known;
		}
		const call: PartialCall = { id, name: undefined, arguments: [] };
		this.current.set(index, call);
		this.calls.push(call);
		return call;
	}
}

/** The tool calls of a whole reply's message. */
export function readToolCalls(received: readonly ReceivedToolCall[]): ToolCall[] {
	return complete(
		received.map(({ id, function: called }) => ({ id, name: called?.name, arguments: called?.arguments })),
	);
}

/** contract: not shown. What an assistant said and called, to be sent back; its content is empty where it said nothing (unspecified.md). */
export function assistantMessage(text: string | undefined, toolCalls: readonly ToolCall[]): ChatMessage {
	return {
		role: 'assistant',
		content: text ?? '',
		...(toolCalls.length === 0 ? {} : { tool_calls: [...toolCalls] }),
	};
}

/**
 * contract: not shown. A call without a name can neither be run nor answered and is left out; one without an id gets its
 * position for one, as its result has to name it; one without arguments has an empty object of them.
 */
function complete(
	calls: readonly { id: string | undefined; name: string | undefined; arguments: string | undefined }[],
): ToolCall[] {
	return calls.flatMap(({ id, name, arguments: text = '' }, index) =>
		name
			? [
					{
						id: id || `call_${index}`,
						type: 'function' as const,
						function: { name, arguments: text.trim() === '' ? '{}' : text },
					},
				]
			: [],
	);
}
