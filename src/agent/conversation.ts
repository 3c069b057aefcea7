// The conversation with the model, in the items of the responses endpoint.
import { randomUUID } from 'node:crypto';
import { parseJson } from '../base/json.ts';
import type { InputItem } from '../contract/responses.ts';
import { callsIn, textIn } from './model/model.ts';
import { readLoosely } from './tools/coerce.ts';

/** The maximum characters of a call's arguments. */
export const MAXIMUM_ARGUMENTS = 1_000_000;

/** A cautious estimate for code, which has shorter tokens than prose. */
export const CHARACTERS_PER_TOKEN = 3;

/** A cautious estimate for an image. */
const IMAGE_TOKENS = 2_000;

/** The number of characters that a shortened result keeps of its beginning. */
const KEPT = 200;

/** The marks around a message that is not from the user. */
const NOTE = '<note from="the program that runs you">\n';
const NOTE_END = '\n</note>';

/** Returns a message for the model that is neither the user's nor its own. */
export function noteItem(text: string): InputItem {
	return { type: 'message', role: 'user', content: [{ type: 'input_text', text: NOTE + text + NOTE_END }] };
}

/** Returns the text of a note, or undefined for any other item. */
export function noteIn(item: InputItem): string | undefined {
	const text = item.type === 'message' && item.role === 'user' ? textIn([item]) : '';
	return text.startsWith(NOTE) ? text.slice(NOTE.length, -NOTE_END.length) : undefined;
}

/** Returns whether a message of the user or a result has this text. */
export function hasText(items: readonly InputItem[], text: string): boolean {
	return items.some(item => (item.type === 'function_call_output' ? item.output : textIn([item])).includes(text));
}

/** Estimates the tokens of items. */
export function tokensOf(items: readonly InputItem[]): number {
	return Math.ceil(items.reduce((sum, item) => sum + lengthOf(item), 0) / CHARACTERS_PER_TOKEN);
}

function lengthOf(item: InputItem): number {
	return imageIn(item) === undefined ? JSON.stringify(item).length : IMAGE_TOKENS * CHARACTERS_PER_TOKEN;
}

/** The beginning of a result, or a message of the user, that is an image: its `data:` URL. No other begins like this. */
const IMAGE = 'data:image/';

/** Returns the `data:` URL of an image that is the result of a call or of the user, or undefined for any other item. */
export function imageIn(item: InputItem): string | undefined {
	const text = item.type === 'function_call_output' ? item.output : isOfUser(item) ? textIn([item]) : '';
	return text.startsWith(IMAGE) ? text : undefined;
}

const isOfUser = (item: InputItem): boolean => 'role' in item && item.role === 'user';

/** Returns a message of the user, and behind it an item for each image, which is given as its `data:` URL. */
export function promptItems(text: string, images: readonly string[]): InputItem[] {
	return [asText(text), ...images].map(part => ({
		type: 'message',
		role: 'user',
		content: [{ type: 'input_text', text: part }],
	}));
}

/** Returns a text as a result or a message that is no image. Some services refuse what no text of people contains. */
export function asText(text: string): string {
	const plain = text.replaceAll('\0', '\ufffd').toWellFormed();
	return plain.startsWith(IMAGE) ? ` ${plain}` : plain;
}

/**
 * Shortens the results of tools, the oldest first, until the conversation has at most `maximum` tokens or only results
 * within the newest `newest` tokens are left. Everything else is unchanged: the texts of the user and the model, the
 * calls, and reasoning, which a service may require back byte for byte. Also returns how many were shortened.
 */
export function shorten(
	items: readonly InputItem[],
	{ maximum, newest }: { maximum: number; newest: number },
): { items: InputItem[]; shortened: number } {
	const kept = [...items];
	const end = items.length - newestOf(items, newest);
	let excess = tokensOf(kept) - maximum;
	let shortened = 0;
	for (let index = 0; index < end && excess > 0; index++) {
		const item = kept[index];
		if (item?.type === 'function_call_output' && (imageIn(item) !== undefined || item.output.length > 2 * KEPT)) {
			const output =
				imageIn(item) === undefined
					? `${item.output.slice(0, KEPT).toWellFormed()}\n[… shortened: ${item.output.length} characters. Make this call again if you need them …]`
					: '[… an image, no longer shown. Make this call again if you need it …]';
			const shorter = { ...item, output };
			excess -= (lengthOf(item) - lengthOf(shorter)) / CHARACTERS_PER_TOKEN;
			kept[index] = shorter;
			shortened++;
		}
	}
	return { items: kept, shortened };
}

/** Returns how many of the last items fit into `tokens` together. */
function newestOf(items: readonly InputItem[], tokens: number): number {
	let left = tokens;
	const first = items.findLastIndex(item => {
		left -= tokensOf([item]);
		return left < 0;
	});
	return items.length - first - 1;
}

/**
 * Returns the later part of a conversation from near its middle, beginning with a reply of the model or a message of
 * the user. Undefined if there is none: calls and their results belong together.
 */
export function laterHalf(items: readonly InputItem[]): InputItem[] | undefined {
	const middle = Math.max(1, Math.floor(items.length / 2));
	const start = items.findIndex(
		(item, index) =>
			index >= middle &&
			item.type !== 'function_call_output' &&
			(items[index - 1]?.type === 'function_call_output' || isOfUser(item)),
	);
	return start < 0 ? undefined : items.slice(start);
}

/**
 * Gives the calls of a reply ids that no other call of the conversation has. Services restart them with each reply, or
 * use one id twice, and a result could then belong to either call.
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

/** Matches text around the name of a tool that models repeat from the templates in which they are told of tools. */
const AROUND_NAME = /^(?:functions|default_api|tools)[.:]|<\|.*$/gs;

/** Returns a call as it can only be meant: with the name of one of the `tools`, and with readable arguments. */
export function asMeant(item: InputItem, tools: readonly { name: string }[]): InputItem {
	if (item.type !== 'function_call' || item.arguments.length > MAXIMUM_ARGUMENTS) {
		return item;
	}
	const bare = item.name.replace(AROUND_NAME, '').toLowerCase();
	const named =
		tools.find(({ name }) => name === item.name) ?? tools.find(({ name }) => name.toLowerCase() === bare) ?? item;
	const mended = parseJson(item.arguments) === undefined ? readLoosely(item.arguments) : undefined;
	return { ...item, name: named.name, ...(mended !== undefined && { arguments: JSON.stringify(mended) }) };
}

/** Matches what services do not accept in the name of a tool, and the maximum length of one. */
const NOT_IN_NAMES = /[^\w-]/g;
const MAXIMUM_NAME = 64;

/**
 * Returns an item in the form in which it is sent back. Services refuse a conversation with unreadable arguments, or
 * with a name that no tool can have.
 */
export function asSentBack(item: InputItem): InputItem {
	if (item.type !== 'function_call') {
		return item;
	}
	const isUnreadable = item.arguments.length > MAXIMUM_ARGUMENTS || parseJson(item.arguments) === undefined;
	const name = item.name.replace(NOT_IN_NAMES, '_').slice(0, MAXIMUM_NAME);
	return { ...item, name, ...(isUnreadable && { arguments: '{}' }) };
}

/**
 * Returns a result for each call without one, because the prompt was cancelled or the process was ended. Without them,
 * no service accepts the conversation.
 */
export function missingResults(items: readonly InputItem[], reason: string): InputItem[] {
	const answered = new Set(items.flatMap(item => (item.type === 'function_call_output' ? [item.call_id] : [])));
	return callsIn(items)
		.filter(({ call_id: id }) => !answered.has(id))
		.map(({ call_id }) => ({ type: 'function_call_output', call_id, output: reason }));
}
