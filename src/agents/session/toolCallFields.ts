// Reads an agent's reports about a tool call. Both kinds of updates and permission requests have the same form for it.
import { defined } from '../../base/defined.ts';
import { isFields } from '../../base/fields.ts';
import { oneLine } from '../../base/plainText.ts';
import { cutDiff, cutText } from './cutText.ts';
import { TOOL_KINDS, TOOL_STATUSES, type ToolCall, type ToolDiff, type ToolLocation } from './events.ts';
import { MAXIMUM_ENTRIES, MAXIMUM_ID, MAXIMUM_PATH, MAXIMUM_TEXT, MAXIMUM_TITLE } from './limits.ts';
import { oneOf, readList, textOfBlock } from './read.ts';

/** The members of a tool call that were reported. Each replaces the earlier report. */
export type ToolCallFields = { -readonly [K in Exclude<keyof ToolCall, 'id'>]?: ToolCall[K] };

/** An agent's report about one tool call. */
export interface ToolCallUpdate {
	id: string;
	fields: ToolCallFields;
	/** False if it named more paths than are read, or one that cannot be read. */
	complete: boolean;
}

/** Returns undefined for a value without a usable id. Members that do not fit count as missing. */
export function readToolCall(value: unknown): ToolCallUpdate | undefined {
	if (!isFields(value)) {
		return undefined;
	}
	const id = value['toolCallId'];
	if (typeof id !== 'string' || id === '' || id.length > MAXIMUM_ID) {
		return undefined;
	}
	const locations = readList(value['locations'], MAXIMUM_ENTRIES, readLocation);
	const content = readList(value['content'], MAXIMUM_ENTRIES, readContent);
	const texts = content?.entries.filter(entry => typeof entry === 'string' && entry !== '');
	const fields: ToolCallFields = {
		...defined({
			title: typeof value['title'] === 'string' ? oneLine(value['title'], MAXIMUM_TITLE) : undefined,
			kind: oneOf(TOOL_KINDS, value['kind']),
			status: oneOf(TOOL_STATUSES, value['status']),
		}),
		...readInput(value['rawInput']),
		...defined({
			locations: locations?.entries,
			diffs: content?.entries.filter(entry => typeof entry !== 'string'),
			output: texts && cutText(texts.join('\n'), MAXIMUM_TEXT),
		}),
	};
	return { id, fields, complete: locations?.complete !== false && content?.complete !== false };
}

/**
 * Reads the arguments of a call, which replace everything that was reported about them before. Nobody can agree to
 * arguments that are too long to be shown, so those are left out as a whole. Agents report an empty object for a call
 * whose arguments are still to come.
 */
function readInput(value: unknown): Required<Pick<ToolCallFields, 'command' | 'input' | 'isInputCut'>> | undefined {
	if (!isFields(value) || Object.keys(value).length === 0) {
		return undefined;
	}
	const input = JSON.stringify(value);
	return input.length > MAXIMUM_TEXT
		? { command: undefined, input: undefined, isInputCut: true }
		: { command: commandIn(value), input, isInputCut: undefined };
}

/**
 * Words are quoted as a shell needs them. Only a command and its words count as an exact command, not two commands: a
 * model may add one under a name that its agent ignores.
 */
function commandIn({ command, cmd, args }: Record<string, unknown>): string | undefined {
	const [named, further] = [command ?? cmd, args ?? []];
	const words = typeof named === 'string' ? [named] : named;
	const isOne = (command ?? undefined) === undefined || (cmd ?? undefined) === undefined;
	if (!isOne || !isWords(words) || !isWords(further) || words.every(word => word.trim() === '')) {
		return undefined;
	}
	return typeof named === 'string' && further.length === 0 ? named : [...words, ...further].map(quoted).join(' ');
}

function isWords(value: unknown): value is string[] {
	return Array.isArray(value) && value.every(word => typeof word === 'string');
}

function quoted(word: string): string {
	return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

function readLocation(value: unknown): ToolLocation | undefined {
	if (!isFields(value) || !isPath(value['path'])) {
		return undefined;
	}
	const { path, line } = value;
	return typeof line === 'number' && Number.isSafeInteger(line) && line > 0 ? { path, line } : { path };
}

/** Returns a diff or a text, which is empty for content without one, such as an image. */
function readContent(value: unknown): ToolDiff | string | undefined {
	if (!isFields(value)) {
		return undefined;
	}
	if (value['type'] !== 'diff') {
		return cutText(textOfBlock(value['content']) ?? '', MAXIMUM_TEXT);
	}
	const { path, oldText, newText } = value;
	if (!isPath(path) || typeof newText !== 'string') {
		return undefined;
	}
	const sides = { newText, ...defined({ oldText: typeof oldText === 'string' ? oldText : undefined }) };
	return { path, ...cutDiff(sides, MAXIMUM_TEXT) };
}

function isPath(value: unknown): value is string {
	return typeof value === 'string' && value !== '' && value.length <= MAXIMUM_PATH;
}
