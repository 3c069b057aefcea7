// The conversation with the model, in the items of the responses endpoint, and how it is kept within the model's length.
import { randomUUID } from 'node:crypto';
import type { InputItem } from '../contract/responses.ts';
import { callsIn } from './model/model.ts';

/** A cautious guess for code, which has shorter tokens than prose. */
export const CHARACTERS_PER_TOKEN = 3;

/** The number of characters, from its beginning, that a shortened result keeps. */
const KEPT = 200;

/** Estimates the tokens of items. */
export function tokensOf(items: readonly InputItem[]): number {
	return Math.ceil(items.reduce((sum, item) => sum + JSON.stringify(item).length, 0) / CHARACTERS_PER_TOKEN);
}

export interface Shortened {
	items: InputItem[];
	/** How many results were shortened. */
	shortened: number;
	/** This is true if the conversation is short enough now. */
	fits: boolean;
}

/**
 * Shortens the oldest results of tools until the conversation has at most `maximumTokens`. Everything else stays as it
 * is: what the user and the model have said, the calls, and reasoning, which a service may want back byte for byte.
 */
export function shorten(items: readonly InputItem[], maximumTokens: number): Shortened {
	const kept = [...items];
	let excess = tokensOf(kept) - maximumTokens;
	let shortened = 0;
	for (let index = 0; index < kept.length && excess > 0; index++) {
		const item = kept[index];
		if (item?.type === 'function_call_output' && item.output.length > 2 * KEPT) {
			const output = `${item.output.slice(0, KEPT).toWellFormed()}\n[… shortened: ${item.output.length} characters …]`;
			excess -= (item.output.length - output.length) / CHARACTERS_PER_TOKEN;
			kept[index] = { ...item, output };
			shortened++;
		}
	}
	return { items: kept, shortened, fits: excess <= 0 };
}

/**
 * Gives the calls of a reply ids that no other call of the conversation has. Services begin anew with each reply, or use one
 * id twice, and then a result could belong to either call.
 */
export function withOwnIds(reply: readonly InputItem[], earlier: readonly InputItem[]): InputItem[] {
	const taken = new Set(callsIn(earlier).map(call => call.call_id));
	return reply.map(item => {
		if (item.type !== 'function_call') {
			return item;
		}
		const call_id = taken.has(item.call_id) ? `${item.call_id}-${randomUUID().slice(0, 8)}` : item.call_id;
		taken.add(call_id);
		return { ...item, call_id };
	});
}

/**
 * Returns a result for each call that has none, because the prompt was cancelled or the process was ended. Without them
 * no service accepts the conversation.
 */
export function missingResults(items: readonly InputItem[], reason: string): InputItem[] {
	const answered = new Set(items.flatMap(item => (item.type === 'function_call_output' ? [item.call_id] : [])));
	return callsIn(items)
		.filter(({ call_id: id }) => !answered.has(id))
		.map(({ call_id }) => ({ type: 'function_call_output', call_id, output: reason }));
}
