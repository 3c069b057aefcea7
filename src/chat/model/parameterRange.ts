// What values a parameter takes: read from the schema that checks requests, so that both say the same.
import * as z from 'zod';
import { type ChatParameter, type ChatParameters, chatParametersSchema } from '../../contract/chatRequest.ts';

export const CHAT_PARAMETERS = Object.keys(chatParametersSchema.shape) as ChatParameter[];

export interface ParameterRange {
	kind: 'number' | 'integer' | 'text' | 'texts' | 'object';
	minimum?: number;
	maximum?: number;
	/** The minimum itself is not allowed. */
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
		// Beyond these a whole number is no longer exact; that is no range to speak of.
		...(lowest === undefined || lowest === Number.MIN_SAFE_INTEGER ? {} : { minimum: lowest }),
		...(maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? {} : { maximum }),
		...(exclusiveMinimum === undefined ? {} : { isAbove: true }),
	};
}

/**
 * What was typed as the value of a parameter: a number, a text, JSON, or for texts one that is no JSON. Undefined where
 * the parameter does not take it. `contextLength` is that of the model, which `max_tokens` stays below.
 */
export function readParameter<K extends ChatParameter>(
	parameter: K,
	text: string,
	contextLength?: number,
): ChatParameters[K] | undefined {
	const { kind } = rangeOf(parameter);
	const value = kind === 'text' ? text : (readJson(text) ?? (kind === 'texts' ? [text] : undefined));
	const parsed = chatParametersSchema.shape[parameter].safeParse(value);
	if (!parsed.success || value === undefined || value === null) {
		return undefined;
	}
	const isTooLong = parameter === 'max_tokens' && contextLength !== undefined && Number(value) >= contextLength;
	return isTooLong ? undefined : (parsed.data as ChatParameters[K]);
}

/** Undefined for what is no JSON. */
export function readJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
