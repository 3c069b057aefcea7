import { Refusal } from './exchange.ts';

export type JsonObject = Record<string, unknown>;

/** Throws a `Refusal` with status 400 that names the field, unless the value conforms to the contract. */
export type Check = (value: unknown, name: string) => void;

export function refuse(message: string): never {
	throw new Refusal(400, message);
}

export function isObject(value: unknown): value is JsonObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const object: Check = (value, name) => {
	if (!isObject(value)) {
		refuse(`${name} must be an object`);
	}
};

export const text: Check = (value, name) => {
	if (typeof value !== 'string') {
		refuse(`${name} must be a string`);
	}
};

export const filledText: Check = (value, name) => {
	if (typeof value !== 'string' || value.trim() === '') {
		refuse(`${name} must be a string that is not empty`);
	}
};

export const flag: Check = (value, name) => {
	if (typeof value !== 'boolean') {
		refuse(`${name} must be a boolean`);
	}
};

export interface Range {
	from?: number;
	above?: number;
	to?: number;
	below?: number;
}

export function number(range: Range = {}): Check {
	return (value, name) => {
		const inRange =
			typeof value === 'number' &&
			Number.isFinite(value) &&
			value >= (range.from ?? -Infinity) &&
			value > (range.above ?? -Infinity) &&
			value <= (range.to ?? Infinity) &&
			value < (range.below ?? Infinity);
		if (!inRange) {
			refuse(`${name} must be a number in ${described(range)}`);
		}
	};
}

export function integer(range: Range = {}): Check {
	const inRange = number(range);
	return (value, name) => {
		inRange(value, name);
		if (!Number.isSafeInteger(value)) {
			refuse(`${name} must be an integer`);
		}
	};
}

export function oneOf(...values: unknown[]): Check {
	return (value, name) => {
		if (!values.includes(value)) {
			refuse(`${name} must be one of ${values.map(allowed => JSON.stringify(allowed)).join(', ')}`);
		}
	};
}

export function list(each: Check, least = 0): Check {
	return (value, name) => {
		if (!Array.isArray(value)) {
			refuse(`${name} must be an array`);
		}
		if (value.length < least) {
			refuse(`${name} must have at least ${least} element(s)`);
		}
		for (const [index, element] of value.entries()) {
			each(element, `${name}[${index}]`);
		}
	};
}

export function map(each: Check, least = 0): Check {
	return (value, name) => {
		if (!isObject(value)) {
			refuse(`${name} must be an object`);
		}
		if (Object.keys(value).length < least) {
			refuse(`${name} must have at least ${least} entry`);
		}
		for (const [key, element] of Object.entries(value)) {
			each(element, `${name}.${key}`);
		}
	};
}

export function either(first: Check, second: Check): Check {
	return (value, name) => {
		try {
			first(value, name);
		} catch {
			second(value, name);
		}
	};
}

/** Checks that a value is an object with these fields and no others, and that those in `required` are present. */
export function shape(checks: Record<string, Check>, required: string[] = []): Check {
	return (value, name) => {
		if (!isObject(value)) {
			refuse(`${name} must be an object`);
		}
		const prefix = name === '' ? '' : `${name}.`;
		for (const [field, element] of Object.entries(value)) {
			const check = Object.hasOwn(checks, field) ? checks[field] : undefined;
			if (check === undefined) {
				refuse(`${prefix}${field} is not a documented field`);
			}
			// JSON has no undefined. A field that a tampering has removed counts as absent.
			if (element !== undefined) {
				check(element, `${prefix}${field}`);
			}
		}
		for (const field of required) {
			if (value[field] === undefined) {
				refuse(`${prefix}${field} is missing`);
			}
		}
	};
}

/** Returns the body after checking that it is an object with these fields and no others. */
export function checkedBody(json: unknown, checks: Record<string, Check>, required: string[]): JsonObject {
	if (!isObject(json)) {
		refuse('The body must be a JSON object');
	}
	shape(checks, required)(json, '');
	return json;
}

/** Returns the query after checking that it holds only these parameters. */
export function checkedQuery(query: Record<string, string>, ...names: string[]): Record<string, string> {
	for (const name of Object.keys(query)) {
		if (!names.includes(name)) {
			refuse(`${name} is not a documented query parameter`);
		}
	}
	return query;
}

/** Returns an integer of the query after checking its range, or `absent` if the query lacks it. */
export function queryInteger(value: string | undefined, name: string, absent: number, range: Range): number {
	if (value === undefined) {
		return absent;
	}
	if (!/^\d{1,15}$/.test(value)) {
		refuse(`${name} must be an integer`);
	}
	integer(range)(Number(value), name);
	return Number(value);
}

function described({ from, above, to, below }: Range): string {
	const start = above !== undefined ? `(${above}` : from !== undefined ? `[${from}` : '(-infinity';
	const end = below !== undefined ? `${below})` : to !== undefined ? `${to}]` : 'infinity)';
	return `${start}, ${end}`;
}
