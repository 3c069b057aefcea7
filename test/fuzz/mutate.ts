// Makes hostile inputs from good ones: changes of bytes and lines, and of the values in JSON.

import { parseJson } from '../../src/base/json.ts';

/** Returns a number from 0 to 1, without 1. */
export type Random = () => number;

/** The bytes of an input as characters of one byte each (`latin1`), on which all changes of bytes work. */
type Bytes = string;

export interface Material {
	/** The inputs to begin with and to take parts from. */
	inputs: readonly Buffer[];
	/** Words that mean something to the reader of the inputs, or that any reader may trip over. */
	words: readonly string[];
	/** In bytes. */
	maximumLength: number;
}

/** Stand in a changed JSON text for what no value can be: too many levels, and a number that parses as infinite. */
const DEEP = '@deep@';
const INFINITE = '@infinite@';
const LEVELS = [50, 300, 12_000];

/** Names of members that every object has, or that mean something to the language. */
const NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'then', 'toJSON', 'length', '', '0'];

/** Values that readers of JSON trip over. */
const VALUES: readonly unknown[] = [
	...[null, true, false, 0, -1, 0.5, 2 ** 53, -(2 ** 63), 1e308, INFINITE, DEEP, '', ' ', '\ud800', '\udc00x'],
	...[[], {}, [[]], [null], [{}], { length: 1 }, { toString: 1 }, { toJSON: 1 }, '0'.repeat(300), 'a\u202eb'],
];

/** Returns an input made from one or two others. */
export function mutate(random: Random, { inputs, words, maximumLength }: Material): Buffer {
	const known = [...words, ...NAMES];
	let bytes: Bytes = pick(random, inputs)?.toString('latin1') ?? '';
	for (let steps = 1 + Math.floor(random() * 4); steps > 0; steps--) {
		const donor = pick(random, inputs)?.toString('latin1') ?? '';
		bytes =
			(random() < 0.6 && withOtherJson(random, bytes, donor, known)) || withOtherBytes(random, bytes, donor, known);
	}
	if (random() < 0.06) {
		bytes = pumped(random, bytes, maximumLength);
	}
	return Buffer.from(bytes.slice(0, maximumLength), 'latin1');
}

export function pick<T>(random: Random, list: readonly T[]): T | undefined {
	return list[Math.floor(random() * list.length)];
}

const bytesOf = (text: string): Bytes => Buffer.from(text).toString('latin1');
const textOf = (bytes: Bytes): string => Buffer.from(bytes, 'latin1').toString();

function withOtherBytes(random: Random, bytes: Bytes, donor: Bytes, words: readonly string[]): Bytes {
	const at = Math.floor(random() * (bytes.length + 1));
	const end = at + Math.ceil(random() ** 3 * (bytes.length - at));
	const [before, part, after] = [bytes.slice(0, at), bytes.slice(at, end), bytes.slice(end)];
	const rest = bytes.slice(at);
	switch (Math.floor(random() * 9)) {
		case 0:
			return before + after;
		case 1:
			return before + part + part + after;
		case 2:
			return before + String.fromCharCode(Math.floor(random() * 256)) + rest.slice(1);
		case 3:
			return before + String.fromCharCode(rest.charCodeAt(0) ^ (1 << Math.floor(random() * 8))) + rest.slice(1);
		case 4:
			return before;
		case 5:
			return before + donor.slice(Math.floor(random() * donor.length));
		case 6:
			return withOtherLines(random, bytes);
		default:
			return before + bytesOf(pick(random, words) ?? '') + (random() < 0.5 ? rest : after);
	}
}

function withOtherLines(random: Random, bytes: Bytes): Bytes {
	const lines = bytes.split('\n');
	const [at, to] = [random, random].map(next => Math.floor(next() * lines.length)) as [number, number];
	const [line = ''] = random() < 0.7 ? lines.splice(at, 1) : [lines[at]];
	if (random() < 0.7) {
		lines.splice(to, 0, line);
	}
	return lines.join('\n');
}

/** Repeats a part until the input is long, which finds what takes more than linear time. */
function pumped(random: Random, bytes: Bytes, maximumLength: number): Bytes {
	const at = Math.floor(random() * bytes.length);
	const part = bytes.slice(at, at + 1 + Math.floor(random() ** 2 * 40));
	const count = Math.floor((maximumLength * random()) / Math.max(1, part.length));
	return bytes.slice(0, at) + part.repeat(count) + (random() < 0.7 ? bytes.slice(at) : '');
}

/** Changes a value of the input, or of one of its lines, that is JSON. Returns undefined if there is none. */
function withOtherJson(random: Random, bytes: Bytes, donor: Bytes, words: readonly string[]): Bytes | undefined {
	const given = jsonIn(random, bytes);
	if (given === undefined) {
		return undefined;
	}
	const root = { value: given.value };
	const places = placesIn(root);
	const place = pick(random, places.length > 1 && random() < 0.95 ? places.slice(1) : places);
	const taken = pick(random, placesIn({ value: jsonIn(random, donor)?.value }));
	if (place !== undefined) {
		change(random, place, taken && own(taken.holder, taken.key), words);
	}
	const text = (JSON.stringify(root.value) ?? '')
		.replaceAll(`"${INFINITE}"`, '1e999')
		.replaceAll(`"${DEEP}"`, () => nested(random));
	return given.before + bytesOf(text) + given.after;
}

function nested(random: Random): string {
	const levels = pick(random, LEVELS) ?? 0;
	const [open, close] = random() < 0.5 ? ['[', ']'] : ['{"a":', '}'];
	return `${open.repeat(levels)}1${close.repeat(levels)}`;
}

/** A value with what stands before and behind it. */
function jsonIn(random: Random, bytes: Bytes): { before: Bytes; value: unknown; after: Bytes } | undefined {
	const whole = parsed(bytes);
	if (whole !== undefined) {
		return { before: '', value: whole, after: '' };
	}
	const lines = bytes.split('\n');
	const first = Math.floor(random() * lines.length);
	for (let tried = 0; tried < Math.min(lines.length, 20); tried++) {
		const at = (first + tried) % lines.length;
		const line = lines[at] ?? '';
		const start = line.search(/[[{]/);
		const value = start < 0 ? undefined : parsed(line.slice(start));
		if (value !== undefined) {
			const before = [...lines.slice(0, at), line.slice(0, start)].join('\n');
			return { before, value, after: ['', ...lines.slice(at + 1)].join('\n') };
		}
	}
	return undefined;
}

const parsed = (bytes: Bytes): unknown => parseJson(textOf(bytes));

type Holder = Record<string, unknown>;

interface Place {
	holder: Holder;
	key: string;
}

const MAXIMUM_PLACES = 2_000;

/** Returns the places of all values, the outermost first. */
function placesIn(root: Holder): Place[] {
	const places: Place[] = [{ holder: root, key: 'value' }];
	for (let at = 0; at < places.length && places.length < MAXIMUM_PLACES; at++) {
		const { holder, key } = places[at] as Place;
		const value = own(holder, key);
		if (typeof value === 'object' && value !== null) {
			places.push(...Object.keys(value).map(name => ({ holder: value as Holder, key: name })));
		}
	}
	return places;
}

const own = (holder: Holder, key: string): unknown => Object.getOwnPropertyDescriptor(holder, key)?.value;

/** Sets a member of any name, even `__proto__`, as the parser of JSON does. */
function set(holder: Holder, key: string, value: unknown): void {
	if (!Array.isArray(holder) || key !== 'length') {
		Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });
	}
}

function change(random: Random, { holder, key }: Place, taken: unknown, words: readonly string[]): void {
	const value = own(holder, key);
	const copy = () => structuredClone(value);
	switch (Math.floor(random() * 9)) {
		case 0:
			if (Array.isArray(holder)) {
				holder.splice(Number(key), 1);
			} else {
				delete holder[key];
			}
			return;
		case 1:
			if (Array.isArray(holder)) {
				holder.splice(Number(key), 0, copy());
			} else {
				set(holder, pick(random, [...NAMES, ...Object.keys(holder), ...words]) ?? '', copy());
			}
			return;
		case 2:
			set(holder, key, random() < 0.5 ? [copy()] : { [pick(random, words) ?? '']: copy() });
			return;
		case 3:
			set(holder, key, structuredClone(taken));
			return;
		case 4:
			if (typeof value === 'string') {
				set(holder, key, textOf(withOtherBytes(random, bytesOf(value), bytesOf(JSON.stringify(taken) ?? ''), words)));
				return;
			}
			if (typeof value === 'number') {
				set(holder, key, pick(random, [value + 1, -value, value / 3, value * 1e9, String(value)]));
				return;
			}
			break;
		case 5:
			set(holder, key, pick(random, words) ?? '');
			return;
	}
	set(holder, key, structuredClone(pick(random, VALUES)));
}
