import { isAbsent } from '../../contract/lenient.ts';
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
	messageOf({ delta, message, finish_reason: reason }: ReceivedChoice): ReceivedMessage | null | undefined {
		this.hasDelta ||= saysAnything(delta);
		const added = message && !this.hasDelta ? message : delta;
		return added?.content === 'None' && (!isAbsent(reason) || isOtherwiseNone(added))
			? { ...added, content: undefined }
			: added;
	}
}

/** Returns whether the literal text `None` stands for every other field (contract: inference.md), and so for the content. */
function isOtherwiseNone({ content: _, ...others }: ReceivedMessage): boolean {
	const values = Object.values(others);
	return values.every(isAbsent) && values.includes('None');
}

function saysAnything(delta: ReceivedMessage | null | undefined): boolean {
	return Boolean(delta && (delta.content || delta.reasoning || delta.reasoning_content || hasCalls(delta)));
}

export function hasCalls({ tool_calls: calls }: ReceivedMessage): boolean {
	return Array.isArray(calls) && calls.length > 0;
}
