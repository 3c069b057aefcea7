// The values that a parameter accepts, read from the schema that validates requests, so that the two cannot disagree.

import * as z from 'zod';
import { defined } from '../../base/defined.ts';
import { parseJson } from '../../base/json.ts';
import { type ChatParameter, type ChatParameters, chatParametersSchema } from '../../contract/chatRequest.ts';

export const CHAT_PARAMETERS = Object.keys(chatParametersSchema.shape) as ChatParameter[];

export interface ParameterRange {
	kind: 'number' | 'integer' | 'text' | 'texts' | 'object';
	minimum?: number;
	maximum?: number;
	/** True if the minimum itself is not allowed. */
	isAbove?: boolean;
}

interface JsonSchema {
	type?: string;
	minimum?: number;
	maximum?: number;
	exclusiveMinimum?: number;
}

export function rangeOf(parameter: ChatParameter): ParameterRange {
	const { properties = {} } = z.toJSONSchema(chatParametersSchema, { io: 'input' }) as {
		properties?: Record<string, JsonSchema>;
	};
	const { type, minimum, maximum, exclusiveMinimum } = properties[parameter] ?? {};
	const lowest = exclusiveMinimum ?? minimum;
	return {
		kind:
			type === 'integer' || type === 'number'
				? type
				: type === 'string'
					? 'text'
					: type === 'array'
						? 'texts'
						: 'object',
		// These bounds only mark where integers stop being exact, so they are not shown as a range.
		...defined({
			minimum: lowest === undefined || lowest === Number.MIN_SAFE_INTEGER ? undefined : lowest,
			maximum: maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum,
			isAbove: exclusiveMinimum === undefined ? undefined : true,
		}),
	};
}

/**
 * Parses the typed value of a parameter: a number, a text or JSON; for a list of texts, anything that is not JSON is a
 * single text. Returns undefined if the parameter does not accept the value. `contextLength` is that of the model;
 * `max_tokens` must be below it.
 */
export function readParameter<K extends ChatParameter>(
	parameter: K,
	text: string,
	contextLength?: number,
): ChatParameters[K] | undefined {
	const { kind } = rangeOf(parameter);
	const value = kind === 'text' ? text : (parseJson(text) ?? (kind === 'texts' ? [text] : undefined));
	const parsed = chatParametersSchema.shape[parameter].safeParse(value);
	if (!parsed.success || value === undefined || value === null) {
		return undefined;
	}
	const isTooLong = parameter === 'max_tokens' && contextLength !== undefined && Number(value) >= contextLength;
	return isTooLong ? undefined : (parsed.data as ChatParameters[K]);
}
