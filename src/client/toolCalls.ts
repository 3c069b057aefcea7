// Assembles the tool calls of a reply, and builds the message that sends them back.
import type { ReceivedToolCall } from '../contract/chatReply.ts';
import type { ChatMessage, ToolCall } from '../contract/chatRequest.ts';
import type { ChatStreamEvent } from './types.ts';

type ToolCallEvent = Extract<ChatStreamEvent, { type: 'toolCall' }>;

/** A call that has arrived in part. */
interface PartialCall {
	id: string | undefined;
	name: string | undefined;
	/** Fragments are joined only once, because there may be thousands of them. */
	arguments: string[];
}

/**
 * Assembles the fragments of a stream's tool calls. Fragments of several calls may be interleaved. Some services use
 * one index for all calls, so an id that differs from the call's own begins another call.
 */
export class ToolCallCollector {
	private readonly calls: PartialCall[] = [];
	private readonly current = new Map<number, PartialCall>();

	/** Adds an event of a chat stream. Events of other types are ignored. */
	add(event: ChatStreamEvent): void {
		if (event.type === 'toolCall') {
			const call = this.callOf(event);
			call.id ??= event.id;
			// Some services repeat the name in every fragment.
			call.name ??= event.name;
			call.arguments.push(event.arguments);
		}
	}

	/** Returns the calls so far, in the order in which they began. After the end of the stream they are complete. */
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

/** Reads the tool calls of a whole reply's message. */
export function readToolCalls(received: readonly ReceivedToolCall[]): ToolCall[] {
	return complete(
		received.map(({ id, function: called }) => ({ id, name: called?.name, arguments: called?.arguments })),
	);
}

/**
 * contract: not shown. Builds the message that sends back what an assistant said and called; its content is empty where
 * it said nothing (unspecified.md).
 */
export function assistantMessage(text: string | undefined, toolCalls: readonly ToolCall[]): ChatMessage {
	return {
		role: 'assistant',
		content: text ?? '',
		...(toolCalls.length === 0 ? {} : { tool_calls: [...toolCalls] }),
	};
}

/**
 * contract: not shown. A call without a name can neither be run nor answered and is dropped. A call without an id gets
 * one from its position, because its result has to name it. A call without arguments gets an empty object.
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
