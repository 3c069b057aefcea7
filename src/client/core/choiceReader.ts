import type { ReceivedChunk } from './chatEvent.ts';
import { ThinkingSplitter } from './thinking.ts';
import { ToolCallIndexes } from './toolCallIndexes.ts';

type ReceivedChoice = ReceivedChunk['choices'][number];
export type ReceivedMessage = NonNullable<ReceivedChoice['delta']>;

/** What has to be remembered of one choice of a reply from chunk to chunk, so that each reader finds the same in it. */
export class ChoiceReader {
	readonly thinking = new ThinkingSplitter();
	readonly calls = new ToolCallIndexes();
	private hasDelta = false;

	/**
	 * Returns what a chunk adds. Some services send a `message` in place of every `delta`; after deltas it is the whole
	 * once more.
	 */
	messageOf({ delta, message }: ReceivedChoice): ReceivedMessage | null | undefined {
		this.hasDelta ||= saysAnything(delta);
		return message && !this.hasDelta ? message : delta;
	}
}

function saysAnything(delta: ReceivedMessage | null | undefined): boolean {
	return Boolean(delta && (delta.content || delta.reasoning || delta.reasoning_content || hasCalls(delta)));
}

export function hasCalls({ tool_calls: calls }: ReceivedMessage): boolean {
	return Array.isArray(calls) && calls.length > 0;
}
