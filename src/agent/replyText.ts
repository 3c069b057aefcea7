// Replies without a call that are not the end of the work.
import { isFields } from '../base/fields.ts';
import { parseJson } from '../base/json.ts';
import type { Tool } from './tools/tool.ts';

/** Matches a last sentence by which models announce the call that they then leave out. */
const ANNOUNCEMENT = new RegExp(
	[
		/(?:^|[.!:\n]\s*)(?:(?:now|next|first|so),? )?(?:I['’]ll|I will|I['’]m going to|I am going to|Let me) (?:(?:now|next|first|then) )?/,
		/(?:add|apply|begin|change|check|create|delete|edit|examine|find|fix|implement|inspect|list|look|make|move|open|read|remove|rename|repair|replace|rewrite|run|search|see|start|test|try|update|use|write)\b/,
		/[^.!?\n]*(?:\.\w[^.!?\n]*)*[.:…]*\s*$/,
	]
		.map(({ source }) => source)
		.join(''),
	'i',
);

/** The number of characters at the end of a text in which an announcement may be. */
const END = 400;

/** Returns whether a text ends with the announcement of a step, such as `I will now change a.ts.` */
export function announcesWork(text: string): boolean {
	return ANNOUNCEMENT.test(text.slice(-END));
}

/** Matches the names of a tool in calls that models write as text: in JSON, and in tags. */
const NAMES =
	/"(?:name|function|tool|recipient_name)"\s*:\s*"(?:functions\.)?(\w+)"|<(?:function=|invoke name=")(\w+)/g;

/** Matches the beginning of its arguments, and of a text that is nothing but a call. */
const ARGUMENTS = /"(?:arguments|args|parameters|input)"\s*:|<parameter[= ]/;
const ONLY_CALL = /^(?:```\w*\s*|<\/?\w+>\s*)*[[{<]/;

/**
 * Returns whether a text reply is a call of one of the tools, as written by models that were not made for calling
 * tools.
 */
export function looksLikeCall(text: string, tools: readonly Tool[]): boolean {
	const isNamed = (named: unknown) => tools.some(({ name }) => name === named);
	const body = text.slice(Math.max(0, text.indexOf('{')), text.lastIndexOf('}') + 1);
	const value = parseJson(body);
	const isObject = isFields(value) && isNamed(value['function'] ?? value['name']);
	const isWritten =
		ONLY_CALL.test(text.trim()) && [...text.matchAll(NAMES)].some(([, json, tag]) => isNamed(json ?? tag));
	return (isObject || isWritten) && ARGUMENTS.test(text);
}
