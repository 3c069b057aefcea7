// Fields beyond the contract that clients following public practice send. A field that changes no answer is dropped,
// and one for which the contract has another name is renamed. Everything else is kept, so that the request's schema
// either accepts it or refuses it by name.
import { type Fields, isFields } from '../../base/fields.ts';
import type { Logger } from '../../base/logger.ts';

/** The fields to drop from a request, each if its function accepts the value. */
export type Tolerated = Readonly<Record<string, (value: unknown) => boolean>>;

export const anything = (): boolean => true;
/** Accepts any value of a field that is dropped here because it is honoured elsewhere. */
export const honoured = (): boolean => true;
export const exactly =
	(expected: unknown) =>
	(value: unknown): boolean =>
		value === expected;

/**
 * Receives the path of each field that was dropped and is not honoured, such as `messages.name`. The names come from
 * the tables of tolerated fields, never from the client.
 */
export type NoteField = (place: string) => void;

/** Logs the name of each dropped field once, so that users who miss its effect can find out why. */
export function noteInLog(logger: Logger): NoteField {
	const noted = new Set<string>();
	return field => {
		if (!noted.has(field)) {
			noted.add(field);
			logger.log('info', 'a field of a request is accepted and changes no answer', { field });
		}
	};
}

/**
 * Returns the object without the tolerated fields. Fields that are null are dropped as well, as such clients send null
 * for fields that they do not set. It is a copy only where something was dropped, because a request can have hundreds
 * of thousands of objects. `place` is the path of the object in the request, such as `messages.`.
 */
export function without(tolerated: Tolerated, fields: Fields, place = '', note: NoteField = () => {}): Fields {
	let kept = fields;
	for (const name in fields) {
		const accepts = Object.hasOwn(tolerated, name) ? tolerated[name] : undefined;
		const value = fields[name];
		if (value !== null && accepts?.(value) !== true) {
			continue;
		}
		kept = kept === fields ? { ...fields } : kept;
		delete kept[name];
		if (value !== null && accepts !== honoured) {
			note(place + name);
		}
	}
	return kept;
}

/** Returns the object with `read` applied to one of its fields, or the same object if that changes nothing. */
export function readField(fields: Fields, name: string, read: (inner: Fields) => Fields): Fields {
	const inner = fields[name];
	const kept = isFields(inner) ? read(inner) : inner;
	return kept === inner ? fields : { ...fields, [name]: kept };
}

const isBoolean = (value: unknown): boolean => typeof value === 'boolean';

/** The flag has no effect here: whoever declared the tool checks the arguments of its calls. */
export const TOLERATED_IN_TOOL: Tolerated = { strict: isBoolean };

/**
 * Fields that requests to both endpoints may have. They say how a service is to run, bill, label or find a request, or
 * hint at how much a model should think or say.
 */
export const TOLERATED_HINTS: Tolerated = {
	metadata: anything,
	service_tier: anything,
	prompt_cache_key: anything,
	prompt_cache_retention: anything,
	prompt_cache_options: anything,
	safety_identifier: anything,
	// Usage is always sent.
	stream_options: anything,
};
