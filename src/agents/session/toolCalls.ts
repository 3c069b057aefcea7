import { isDeepStrictEqual } from 'node:util';
import { defined } from '../../base/defined.ts';
import type { AgentEvent, ToolCall } from './events.ts';
import type { ToolCallUpdate } from './toolCallFields.ts';

/** The number of remembered calls, and the length of all their texts together. */
const MAXIMUM_CALLS = 10_000;
const MAXIMUM_LENGTH = 16 * 1024 * 1024;

/**
 * The tool calls of a session. An agent may report one in any number of updates of either kind, in any order: the first
 * creates it, and each replaces the parts that it reports. If there are too many, the oldest are forgotten.
 */
export class ToolCalls {
	/** The calls by id, in the order in which they were created. */
	private readonly calls = new Map<string, ToolCall>();
	/** The total length of all texts. */
	private length = 0;

	/** Remembers the report. Returns the event for it, or undefined if nothing has changed. */
	tell(update: ToolCallUpdate): AgentEvent | undefined {
		const before = this.calls.get(update.id);
		const call = this.merged(update);
		const changed = membersOf(update).filter(member => !isDeepStrictEqual(before?.[member], call[member]));
		if (before !== undefined && changed.length === 0) {
			return undefined;
		}
		this.calls.set(call.id, call);
		this.length += lengthOf(call) - (before === undefined ? 0 : lengthOf(before));
		this.forget();
		return { type: 'tool', call, isNew: before === undefined, changed };
	}

	/** Returns the call merged with the report, without remembering it. */
	merged({ id, fields }: ToolCallUpdate): ToolCall {
		const before = this.calls.get(id) ?? NEW_CALL;
		return { ...defined({ ...before, ...fields }), id };
	}

	private forget(): void {
		for (const [id, call] of this.calls) {
			if (this.calls.size <= MAXIMUM_CALLS && this.length <= MAXIMUM_LENGTH) {
				return;
			}
			this.calls.delete(id);
			this.length -= lengthOf(call);
		}
	}
}

const NEW_CALL: Omit<ToolCall, 'id'> = {
	title: '',
	kind: 'other',
	status: 'pending',
	locations: [],
	diffs: [],
	output: '',
};

function membersOf({ fields }: ToolCallUpdate): (keyof typeof fields)[] {
	return Object.keys(fields) as (keyof typeof fields)[];
}

function lengthOf({ id, title, command = '', input = '', locations, diffs, output }: ToolCall): number {
	return [
		id,
		title,
		command,
		input,
		output,
		...locations.map(location => location.path),
		...diffs.flatMap(diff => [diff.path, diff.oldText ?? '', diff.newText]),
	].reduce((sum, text) => sum + text.length, 0);
}
