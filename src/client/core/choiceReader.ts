import { isAbsent } from '../../contract/lenient.ts';
import type { ReceivedChunk } from './chatEvent.ts';
import { ThinkingSplitter } from './thinking.ts';
import { ToolCallIndexes } from './toolCallIndexes.ts';

type ReceivedChoice = ReceivedChunk['choices'][number];
export type ReceivedMessage = NonNullable<ReceivedChoice['delta']>;

/** The state of one choice of a reply from chunk to chunk, so that every reader reads the same from it. */
export class ChoiceReader {
	readonly thinking = new ThinkingSplitter();
	readonly calls = new ToolCallIndexes();
	private hasDelta = false;

	/**
	 * Returns what a chunk adds. Some services send a `message` in place of every `delta`; after deltas, it repeats the
	 * whole.
	 */
	messageOf({ delta, message, finish_reason: reason }: ReceivedChoice): ReceivedMessage | null | undefined {
		this.hasDelta ||= saysAnything(delta);
		const added = message && !this.hasDelta ? message : delta;
		return added?.content === 'None' && (!isAbsent(reason) || isOtherwiseNone(added))
			? { ...added, content: undefined }
			: added;
	}
}

/** Returns whether `None` stands for absent fields here (contract: inference.md), and hence for the content as well. */
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
