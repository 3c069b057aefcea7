// The questions of an agent beyond permissions: forms with typed fields and choices. Every part of a form is hostile.
import { defined } from '../../base/defined.ts';
import { isFields } from '../../base/fields.ts';
import { oneLine, plainText } from '../../base/plainText.ts';
import { cutText } from './cutText.ts';
import type { AgentForm, FormField, FormOption, FormRefusal, FormValue } from './events.ts';
import { MAXIMUM_ENTRIES } from './limits.ts';

/** The maximum size of a form. A larger one is refused as a whole, as it could not be shown completely. */
export const MAXIMUM_FIELDS = 20;
const MAXIMUM_FORM = 20_000;
const MAXIMUM_TITLE = 200;
const MAXIMUM_DESCRIPTION = 1_000;
const MAXIMUM_MESSAGE = 4_000;
/** The maximum length of a text that is typed into a field. */
export const MAXIMUM_ANSWER = 10_000;

/**
 * Matches requests for a secret. A false match costs the user a message, as the agent can be told the answer in words;
 * a missed one may cost a key.
 */
const SECRET =
	/pass(?:w(?:or)?d|phrase|code)|secret|credential|bearer|token(?!s)|(?:api|access|private|secret|license|ssh|auth)[\s_-]*keys?|recovery (?:code|phrase)|seed phrase|one[\s_-]*time|\b(?:otp|pin|2fa|mfa|cvc|cvv)\b/i;

/** Reads the parameters of `elicitation/create`. A refused form has the reason, and no fields. */
export function readForm(params: Record<string, unknown>): AgentForm {
	const message = textIn(params['message'], MAXIMUM_MESSAGE) ?? '';
	const refused = (refusal: FormRefusal): AgentForm => ({ message, fields: [], refusal });
	if (params['mode'] === 'url') {
		const address = typeof params['url'] === 'string' ? URL.parse(params['url']) : null;
		return { ...refused('address'), ...(address?.protocol === 'https:' ? { address: address.href } : {}) };
	}
	if (params['mode'] !== 'form') {
		return refused('unreadable');
	}
	const schema = isFields(params['requestedSchema']) ? params['requestedSchema'] : {};
	const required = Array.isArray(schema['required']) ? schema['required'] : [];
	const properties = Object.entries(isFields(schema['properties']) ? schema['properties'] : {});
	const fields = properties
		.slice(0, MAXIMUM_FIELDS)
		.flatMap(([name, property]) => readField(name, property, required.includes(name)) ?? []);
	const about = [message, schema['title'], schema['description']];
	if (fields.some(field => isTyped(field)) && (about.some(asksSecret) || fields.some(field => isSecret(field)))) {
		return refused('secret');
	}
	const form = { message, fields };
	return fields.length < properties.length || JSON.stringify(form).length > MAXIMUM_FORM ? refused('unreadable') : form;
}

/**
 * Returns the answers to a form as the agent receives them, or undefined if one is missing or does not fit. Nothing is
 * sent for which the form has no field.
 */
export function formContent(
	{ fields }: Pick<AgentForm, 'fields'>,
	values: Readonly<Record<string, FormValue>>,
): Record<string, FormValue> | undefined {
	// A field may have the name of a member that every object has.
	const answers = new Map(Object.entries(values));
	const isWhole = fields.every(field => {
		const value = answers.get(field.name);
		return value === undefined ? !field.isRequired : fits(field, value);
	});
	const isAsked = (name: string) => fields.some(field => field.name === name);
	return isWhole ? Object.fromEntries([...answers].filter(([name]) => isAsked(name))) : undefined;
}

function fits({ kind, options = [], minimum, maximum }: FormField, value: FormValue): boolean {
	const isOffered = (one: string) => options.some(option => option.value === one);
	const isWithin = (size: number) => size >= (minimum ?? -Infinity) && size <= (maximum ?? Infinity);
	switch (kind) {
		case 'boolean':
			return typeof value === 'boolean';
		case 'number':
		case 'integer':
			return typeof value === 'number' && isWithin(value) && (kind === 'number' || Number.isSafeInteger(value));
		case 'choice':
			return typeof value === 'string' && isOffered(value);
		case 'choices':
			return Array.isArray(value) && value.every(isOffered) && isWithin(value.length);
		default:
			return typeof value === 'string' && value.length <= MAXIMUM_ANSWER && isWithin([...value].length);
	}
}

/** Hidden characters are removed, so that two fields cannot look the same and words are what they look like. */
function textIn(value: unknown, maximum: number): string | undefined {
	return typeof value === 'string' && value.trim() !== ''
		? cutText(plainText(value.slice(0, maximum * 2)), maximum)
		: undefined;
}

function readField(name: string, property: unknown, isRequired: boolean): FormField | undefined {
	const kind = isFields(property) ? kindOf(property) : undefined;
	if (kind === undefined || !isFields(property) || name.length > MAXIMUM_TITLE) {
		return undefined;
	}
	const options = kind.startsWith('choice') ? readOptions(property) : undefined;
	if (options && (options.length === 0 || options.length > MAXIMUM_ENTRIES || options.includes(undefined))) {
		return undefined;
	}
	const [least, most] = BOUNDS[kind] ?? [];
	const number = (member = '') => (typeof property[member] === 'number' ? property[member] : undefined);
	const field: FormField = {
		name,
		title: oneLine(textIn(property['title'], MAXIMUM_TITLE) ?? name, MAXIMUM_TITLE),
		kind,
		isRequired,
		...defined({
			description: textIn(property['description'], MAXIMUM_DESCRIPTION),
			options: options as FormOption[] | undefined,
			minimum: number(least),
			maximum: number(most),
		}),
	};
	const value = property['default'] as FormValue | null | undefined;
	return value !== undefined && value !== null && fits(field, value) ? { ...field, value } : field;
}

const TEXTS = ['minLength', 'maxLength'] as const;
const NUMBERS = ['minimum', 'maximum'] as const;
const BOUNDS: Partial<Record<FormField['kind'], readonly [string, string]>> = {
	text: TEXTS,
	email: TEXTS,
	uri: TEXTS,
	date: TEXTS,
	number: NUMBERS,
	integer: NUMBERS,
	choices: ['minItems', 'maxItems'],
};

function kindOf({ type, format, ...others }: Record<string, unknown>): FormField['kind'] | undefined {
	switch (type) {
		case 'string':
			if (Array.isArray(others['enum']) || Array.isArray(others['oneOf'])) {
				return 'choice';
			}
			return format === 'email' || format === 'uri' || format === 'date' ? format : 'text';
		case 'number':
		case 'integer':
		case 'boolean':
			return type;
		case 'array':
			return 'choices';
		default:
			return undefined;
	}
}

/** Choices are plain values, or values with titles; if several may be chosen, they are in `items`. */
function readOptions(property: Record<string, unknown>): (FormOption | undefined)[] {
	const { oneOf, anyOf, enum: values } = isFields(property['items']) ? property['items'] : property;
	const titled = oneOf ?? anyOf;
	const list = Array.isArray(titled) ? titled : Array.isArray(values) ? values : [];
	return list.map(entry => {
		const { const: value, title, description }: Record<string, unknown> = isFields(entry) ? entry : { const: entry };
		return typeof value === 'string'
			? {
					value,
					title: oneLine(textIn(title, MAXIMUM_TITLE) ?? value, MAXIMUM_TITLE),
					...defined({ description: textIn(description, MAXIMUM_DESCRIPTION) }),
				}
			: undefined;
	});
}

function isTyped({ kind }: FormField): boolean {
	return kind !== 'boolean' && !kind.startsWith('choice');
}

function isSecret(field: FormField): boolean {
	return isTyped(field) && [field.name, field.title, field.description].some(asksSecret);
}

/** Accents and invisible characters cannot hide it. Other scripts can, so the typed text is checked as well. */
function asksSecret(words: unknown): boolean {
	return typeof words === 'string' && SECRET.test(words.normalize('NFKD').replace(/[\p{Cf}\p{Cc}\p{M}]/gu, ''));
}
