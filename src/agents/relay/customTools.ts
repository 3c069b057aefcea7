// Free-form tools, which are called with a text instead of JSON arguments. Chat has no such tools, so they become
// functions with one argument for the model, and calls of them become free-form again for the agent.
import { defined } from '../../base/defined.ts';
import { type Fields, isFields } from '../../base/fields.ts';
import { parseJson } from '../../base/json.ts';

const ARGUMENT = 'input';

/** Converts the declaration of a free-form tool. The grammar of its input is added to the description. */
export function customToolAsFunction({ name, description, format }: Fields): Fields {
	const { syntax, definition } = isFields(format) ? format : {};
	const grammar =
		typeof definition === 'string' ? [`The input follows this grammar (${String(syntax)}):\n${definition}`] : [];
	return {
		type: 'function',
		name,
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

/** An event of a response. */
interface ResponseEvent extends Fields {
	type: string;
}

const ARGUMENT_EVENTS: ReadonlySet<string> = new Set([
	'response.function_call_arguments.delta',
	'response.function_call_arguments.done',
]);

/** Converts the events of one response: calls of the named tools become free-form. */
export class CustomCalls {
	private readonly names: ReadonlySet<string>;
	/** The ids and the indexes of the items that are such calls, as some services leave the ids out. */
	private readonly items = new Set<unknown>();
	private sequence = 0;

	constructor(names: ReadonlySet<string>) {
		this.names = names;
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
		const { arguments: text, ...rest } = item;
		if (item['type'] !== 'function_call' || !this.names.has(String(item['name']))) {
			return item;
		}
		for (const place of [item['id'], index]) {
			if (place !== undefined) {
				this.items.add(place);
			}
		}
		const input = typeof text === 'string' && text !== '' ? argumentsAsCustomInput(text) : '';
		return { ...rest, type: 'custom_tool_call', input };
	}
}
