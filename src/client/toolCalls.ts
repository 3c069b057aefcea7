// Assembles the tool calls of a reply, and builds the message that sends them back.
import { defined } from '../base/defined.ts';
import type { ChatMessage, ToolCall } from '../contract/chatRequest.ts';
import type { ChatStreamEvent } from './types.ts';

interface PartialCall {
	id: string | undefined;
	name: string | undefined;
	/** The fragments, which are joined only once because there may be thousands of them. */
	arguments: string[];
}

/** Assembles the fragments of a stream's tool calls. */
export class ToolCallCollector {
	/** By index, in the order in which they began. */
	private readonly calls = new Map<number, PartialCall>();

	/** Adds an event of a chat stream. Events of other types are ignored. */
	add(event: ChatStreamEvent): void {
		if (event.type === 'toolCall') {
			const call = this.calls.get(event.index) ?? { id: undefined, name: undefined, arguments: [] };
			this.calls.set(event.index, call);
			call.id ||= event.id;
			// Some services repeat the name in every fragment.
			call.name ??= event.name;
			call.arguments.push(event.arguments);
		}
	}

	/** The number of calls that have begun. */
	get count(): number {
		return this.calls.size;
	}

	/**
	 * Returns the calls so far, in the order in which they began. After the end of the stream they are complete.
	 *
	 * contract: not shown. A call without a name can neither be run nor answered and is dropped. A call without an id
	 * gets one from its position, because its result has to name it. A call without arguments gets an empty object.
	 */
	collected(): ToolCall[] {
		return [...this.calls.values()].flatMap(({ id, name, arguments: parts }, index) => {
			const text = parts.join('');
			const called = { name: name ?? '', arguments: text.trim() === '' ? '{}' : text };
			return name ? [{ id: id || `call_${index}`, type: 'function' as const, function: called }] : [];
		});
	}
}

/**
 * contract: not shown. Builds the message that sends back the text and calls of an assistant; its content is empty if
 * the assistant said nothing (unspecified.md).
 */
export function assistantMessage(text: string | undefined, toolCalls: readonly ToolCall[]): ChatMessage {
	return {
		role: 'assistant',
		content: text ?? '',
		...defined({ tool_calls: toolCalls.length === 0 ? undefined : [...toolCalls] }),
	};
}
