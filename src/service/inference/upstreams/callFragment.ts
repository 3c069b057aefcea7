import type { IndexedToolCall } from '../../../client/core/toolCallIndexes.ts';
import type { ReplyDelta } from '../provider.ts';

/** Returns a piece of a call's arguments. `index` distinguishes the calls of a reply. */
export function callFragment(
	index: number,
	text: string,
	{ id, name }: { id?: unknown; name?: unknown } = {},
): ReplyDelta {
	const call: IndexedToolCall = {
		index,
		id: typeof id === 'string' ? id : undefined,
		type: 'function',
		function: { name: typeof name === 'string' ? name : undefined, arguments: text },
	};
	return { tool_calls: [call] };
}
