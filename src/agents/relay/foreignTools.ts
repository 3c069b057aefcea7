// Tools of agents that chat does not have. Free-form ones, which are called with a text instead of JSON arguments, become
// functions with one argument for the model; those of a namespace become functions with a joined name. Calls of them get
// the agent's form again.
import { createHash } from 'node:crypto';
import { defined } from '../../base/defined.ts';
import { type Fields, isFields } from '../../base/fields.ts';
import { parseJson } from '../../base/json.ts';

/** A tool as an agent has declared it. */
export interface ForeignTool {
	name: string;
	namespace?: string;
	isCustom: boolean;
}

const ARGUMENT = 'input';

/** The maximum length of a function's name that services accept. */
const MAXIMUM_NAME = 64;
const DIGEST_LENGTH = 8;

/** Returns the name in a tool or a call, which may be anything, or an empty text. */
export const nameIn = ({ name }: Fields): string => (typeof name === 'string' ? name : '');

/** Returns the name of the function for an agent's tool, which is the same in each request. */
export function functionName(name: unknown, namespace: unknown): unknown {
	if (typeof namespace !== 'string') {
		return name;
	}
	const joined = `${namespace}__${nameIn({ name })}`;
	if (joined.length <= MAXIMUM_NAME) {
		return joined;
	}
	const digest = createHash('sha256').update(joined).digest('hex').slice(0, DIGEST_LENGTH);
	return `${joined.slice(0, MAXIMUM_NAME - DIGEST_LENGTH - 1)}_${digest}`;
}

/** Converts the declaration of a free-form tool. The grammar of its input is added to the description. */
export function customToolAsFunction({ description, format }: Fields): Fields {
	const { syntax, definition } = isFields(format) ? format : {};
	const named = typeof syntax === 'string' ? ` (${syntax})` : '';
	const grammar = typeof definition === 'string' ? [`The input follows this grammar${named}:\n${definition}`] : [];
	return {
		type: 'function',
		description: [...(typeof description === 'string' ? [description] : []), ...grammar].join('\n\n'),
		parameters: {
			type: 'object',
			properties: { [ARGUMENT]: { type: 'string', description: 'The whole input of the tool, as plain text' } },
			required: [ARGUMENT],
			additionalProperties: false,
		},
	};
}

export function customInputAsArguments(input: unknown): string {
	return JSON.stringify({ [ARGUMENT]: typeof input === 'string' ? input : '' });
}

/** Some models ignore the shape of the arguments and write the input itself, or name it differently. */
function argumentsAsCustomInput(text: string): string {
	const called = parseJson(text);
	const texts = isFields(called) ? Object.values(called).filter(value => typeof value === 'string') : [];
	const named = isFields(called) ? called[ARGUMENT] : undefined;
	return typeof named === 'string' ? named : texts.length === 1 ? (texts[0] ?? '') : text;
}

interface ResponseEvent extends Fields {
	type: string;
}

const ARGUMENT_EVENTS: ReadonlySet<string> = new Set([
	'response.function_call_arguments.delta',
	'response.function_call_arguments.done',
]);

/** Converts the events of one response: calls of these tools get the form in which the agent has declared them. */
export class ForeignCalls {
	private readonly tools: ReadonlyMap<string, ForeignTool>;
	/** The ids and the indexes of the items that are free-form calls, as some services leave the ids out. */
	private readonly items = new Set<unknown>();
	private sequence = 0;

	constructor(tools: ReadonlyMap<string, ForeignTool>) {
		this.tools = tools;
	}

	/** Returns the events to send instead. There are fewer of them, so they are renumbered. */
	present(events: readonly ResponseEvent[]): (ResponseEvent & { sequence_number: number })[] {
		return events.flatMap(event => {
			const shown = this.shown(event);
			return shown === undefined ? [] : [{ ...shown, sequence_number: this.sequence++ }];
		});
	}

	private shown(event: ResponseEvent): ResponseEvent | undefined {
		const { type, item, response, item_id, output_index } = event;
		if (isFields(item)) {
			return { ...event, item: this.itemOf(item, output_index) };
		}
		if (isFields(response) && Array.isArray(response['output'])) {
			return { ...event, response: { ...response, output: response['output'].map(output => this.itemOf(output)) } };
		}
		if (!ARGUMENT_EVENTS.has(type) || !(this.items.has(item_id) || this.items.has(output_index))) {
			return event;
		}
		const text = event['arguments'];
		// A fragment of the arguments' JSON is not a fragment of the input.
		return typeof text === 'string'
			? {
					type: 'response.custom_tool_call_input.done',
					...defined({ output_index, item_id }),
					input: argumentsAsCustomInput(text),
				}
			: undefined;
	}

	private itemOf(item: Fields, index?: unknown): Fields {
		const tool = item['type'] === 'function_call' ? this.tools.get(nameIn(item)) : undefined;
		if (tool === undefined) {
			return item;
		}
		const { isCustom, ...declared } = tool;
		if (!isCustom) {
			return { ...item, ...declared };
		}
		const { arguments: text, ...rest }: Fields = { ...item, ...declared };
		for (const place of [item['id'], index]) {
			if (place !== undefined) {
				this.items.add(place);
			}
		}
		const input = typeof text === 'string' && text !== '' ? argumentsAsCustomInput(text) : '';
		return { ...rest, type: 'custom_tool_call', input };
	}
}
