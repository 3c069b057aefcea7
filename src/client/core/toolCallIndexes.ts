import { ClientError } from '../../base/errors.ts';
import { JsonEnd } from '../../base/json.ts';
import type { ReceivedToolCall } from '../../contract/chatReply.ts';

/** A fragment of a tool call, or a whole call, with the position of the call in the reply: 0, 1, 2 and so on. */
export type IndexedToolCall = ReceivedToolCall & { index: number };

/** Limited, because readers may keep a list by the index. */
const MAXIMUM_TOOL_CALLS = 1024;

/**
 * Distinguishes the tool calls of one reply. Fragments of several calls may be interleaved, and nearly every rule about
 * them is broken by some service: all calls have one index or none, ids are empty, missing or late, and the name is
 * repeated in every fragment. This is the rule for every reader:
 *
 * - An index identifies its call; without an index, an id does. Fragments of one list that have neither, or share an
 *   index, are distinguished by their places in the list. Any other fragment without an index belongs to the last call.
 * - A fragment begins another call instead if its id or its name differs from the call's own, or if it has a name and
 *   the arguments of the call are already complete.
 */
export class ToolCallIndexes {
	private readonly calls: BegunCall[] = [];
	/** The calls by the service's own index. */
	private readonly current = new Map<number, BegunCall>();
	private last: BegunCall | undefined;

	/** Returns the fragments of one chunk. Throws `bad-response` for an impossible index or too many calls. */
	ofFragments(fragments: readonly ReceivedToolCall[]): IndexedToolCall[] {
		const isByPlace = isToldByPlace(fragments);
		return fragments.map((fragment, place) =>
			this.add(fragment, this.callOf(fragment, isByPlace ? place : fragment.index)),
		);
	}

	/** Returns the calls of a reply that came whole, whatever their indexes are. */
	ofWhole(calls: readonly ReceivedToolCall[]): IndexedToolCall[] {
		return calls.map(call => this.add(call, this.begin()));
	}

	private callOf(fragment: ReceivedToolCall, index: number | undefined): BegunCall {
		if (index === undefined) {
			const known = this.calls.find(({ id }) => id !== undefined && id === fragment.id) ?? this.last;
			return known === undefined || known.isOver(fragment) ? this.begin() : known;
		}
		if (!Number.isInteger(index) || index < 0 || index >= MAXIMUM_TOOL_CALLS) {
			throw new ClientError('bad-response', 'a tool call of the reply has an impossible index');
		}
		const known = this.current.get(index);
		const call = known === undefined || known.isOver(fragment) ? this.begin() : known;
		this.current.set(index, call);
		return call;
	}

	private begin(): BegunCall {
		if (this.calls.length >= MAXIMUM_TOOL_CALLS) {
			throw new ClientError('bad-response', `the reply has more than ${MAXIMUM_TOOL_CALLS} tool calls`);
		}
		const call = new BegunCall(this.calls.length);
		this.calls.push(call);
		return call;
	}

	private add(fragment: ReceivedToolCall, call: BegunCall): IndexedToolCall {
		this.last = call;
		const isRepeated = call.isRepeatedBy(fragment);
		const { id } = fragment;
		// The result of a call refers to it by its id, so no two calls may share one.
		const isTaken = Boolean(id) && this.calls.some(other => other !== call && other.id === id);
		const { index } = call;
		const called = isRepeated && fragment.function ? { ...fragment.function, arguments: '' } : fragment.function;
		const indexed = { ...fragment, index, function: called, id: isTaken ? undefined : id };
		call.add(indexed);
		return indexed;
	}
}

/** Of the fragments of one call, at most the first has a name; of several calls, either all have names or none. */
function isToldByPlace(fragments: readonly ReceivedToolCall[]): boolean {
	const indexes = new Set(fragments.map(({ index }) => index));
	const named = fragments.filter(({ function: called }) => called?.name).length;
	return (
		fragments.length > 1 &&
		(indexes.has(undefined) || indexes.size < fragments.length) &&
		fragments.every(({ id }) => !id) &&
		(named === fragments.length || (named === 0 && indexes.size === 1 && indexes.has(undefined)))
	);
}

class BegunCall {
	readonly index: number;
	id: string | undefined;
	private name: string | undefined;
	private readonly pieces: string[] = [];
	private readonly end = new JsonEnd();
	/** The number of pieces that have been searched for the end. */
	private searched = 0;

	constructor(index: number) {
		this.index = index;
	}

	/** Returns whether the fragment begins another call. */
	isOver({ id, function: called }: ReceivedToolCall): boolean {
		if (id && this.id && id !== this.id) {
			return true;
		}
		const { name, arguments: text = '' } = called ?? {};
		if (!name || !this.name) {
			return false;
		}
		return (
			name !== this.name || (/^\s*\{/.test(text) && this.isWhole() && !this.isRepeatedBy({ id, function: called }))
		);
	}

	/** Some services send a call that came in fragments once more as a whole. */
	isRepeatedBy({ id, function: called }: Pick<ReceivedToolCall, 'id' | 'function'>): boolean {
		const text = called?.arguments;
		return Boolean(id && id === this.id && text && called.name) && this.isWhole() && this.pieces.join('') === text;
	}

	add({ id, function: called }: ReceivedToolCall): void {
		this.id ??= id || undefined;
		this.name ??= called?.name || undefined;
		if (called?.arguments) {
			this.pieces.push(called.arguments);
		}
	}

	/** The arguments are searched only when it matters, and each character only once. */
	private isWhole(): boolean {
		for (; this.searched < this.pieces.length; this.searched++) {
			this.end.search(this.pieces[this.searched] ?? '');
		}
		return this.end.isFound;
	}
}
