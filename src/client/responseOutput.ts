import { ClientError } from '../base/errors.ts';
import type { InputItem, OutputItem, ResponseEvent } from '../contract/responses.ts';

/** Every item costs memory, and no real response has this many. */
const MAXIMUM_ITEMS = 1024;

/** The limit for the characters of one call's arguments, which a single event with all of them may also have. */
const MAXIMUM_ARGUMENTS = 4 * 1024 * 1024;

interface Entry {
	id: string | undefined;
	item: OutputItem | undefined;
	/** The arguments of a function call: its fragments so far, or the whole text once that has come. */
	arguments: string;
	isDone: boolean;
}

/**
 * Assembles the output of one response from its events. The fragments of a call's arguments are joined; the whole text
 * after them takes precedence, as does a finished item over its parts and the completed response over everything.
 */
export class ResponseOutput {
	private readonly entries = new Map<number, Entry>();
	private completed: OutputItem[] = [];
	private last = -1;

	/** Throws `bad-response` for a response that exceeds the limits. */
	add(event: ResponseEvent): void {
		switch (event.type) {
			case 'response.output_item.added':
				this.put(event.output_index, event.item, false);
				break;
			case 'response.output_item.done':
				this.put(event.output_index, event.item, true);
				break;
			case 'response.function_call_arguments.delta': {
				const entry = this.entryAt(event.output_index, event.item_id);
				if (!entry.isDone) {
					setArguments(entry, entry.arguments + (event.delta ?? ''));
				}
				break;
			}
			case 'response.function_call_arguments.done':
				setArguments(this.entryAt(event.output_index, event.item_id), event.arguments);
				break;
			case 'response.completed':
				this.completed = event.response?.output ?? [];
				break;
		}
	}

	/** Returns the items in order. An unfinished call has its arguments so far. */
	items(): OutputItem[] {
		if (this.completed.length > 0) {
			return this.completed;
		}
		const entries = [...this.entries].sort(([one], [other]) => one - other);
		return entries.flatMap(([, entry]) => itemOf(entry) ?? []);
	}

	private put(index: number | undefined, item: OutputItem | undefined, isDone: boolean): void {
		if (item === undefined) {
			return;
		}
		const id = idOf(item);
		const isNew = !isDone && index === undefined && this.indexOf(id) === undefined;
		const entry = this.entryAt(isNew ? this.last + 1 : index, id);
		entry.item = item;
		entry.isDone ||= isDone;
		if (isDone && item.type === 'function_call') {
			setArguments(entry, item.arguments);
		}
	}

	/** An event without an index or a known item belongs to the last item. */
	private entryAt(index: number | undefined, id: string | undefined): Entry {
		const known = index ?? this.indexOf(id) ?? Math.max(0, this.last);
		let entry = this.entries.get(known);
		if (entry === undefined) {
			if (this.entries.size >= MAXIMUM_ITEMS) {
				throw new ClientError('bad-response', `the response has more than ${MAXIMUM_ITEMS} items`);
			}
			entry = { id, item: undefined, arguments: '', isDone: false };
			this.entries.set(known, entry);
		}
		entry.id ??= id;
		this.last = known;
		return entry;
	}

	private indexOf(id: string | undefined): number | undefined {
		if (id === undefined) {
			return undefined;
		}
		for (const [index, entry] of this.entries) {
			if (entry.id === id) {
				return index;
			}
		}
		return undefined;
	}
}

/** An empty or missing whole text keeps the fragments. */
function setArguments(entry: Entry, text: string | undefined): void {
	if ((text?.length ?? 0) > MAXIMUM_ARGUMENTS) {
		throw new ClientError('bad-response', `the arguments of a call have more than ${MAXIMUM_ARGUMENTS} characters`);
	}
	entry.arguments = text || entry.arguments;
}

function itemOf(entry: Entry): OutputItem | undefined {
	const { id, item, arguments: fragments } = entry;
	if (item?.type === 'function_call') {
		return { ...item, arguments: fragments || item.arguments };
	}
	if (item !== undefined || fragments === '') {
		return item;
	}
	return {
		type: 'function_call',
		id,
		name: undefined,
		call_id: undefined,
		arguments: fragments,
		status: undefined,
	};
}

function idOf(item: OutputItem): string | undefined {
	const id: unknown = item.type === 'other' ? item.received['id'] : item['id'];
	return typeof id === 'string' ? id : undefined;
}

/**
 * Converts the output of a response into items of the next request's input: messages and calls with the fields of input
 * items, and reasoning as received. Other items have no place in the input.
 */
export function inputItemsOf(output: readonly OutputItem[]): InputItem[] {
	return output.flatMap((item): InputItem[] => {
		switch (item.type) {
			case 'message': {
				const content = item.content.flatMap(({ type, text }) =>
					type === 'output_text' && text !== undefined ? [{ type, text } as const] : [],
				);
				return content.length > 0 ? [{ type: 'message', role: 'assistant', content }] : [];
			}
			case 'function_call': {
				const { name, call_id, arguments: given } = item;
				if (!name || !call_id) {
					throw new ClientError('bad-response', 'a function call of the response has no name or no call_id');
				}
				return [{ type: 'function_call', name, call_id, arguments: given || '{}' }];
			}
			case 'reasoning':
				return [item];
			default:
				return [];
		}
	});
}
