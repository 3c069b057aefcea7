// Generates JSON that fits a schema, for requests that enforce one.
import { type DemoPiece, piecesOf } from './demoPiece.ts';
import { hashOf } from './hash.ts';

/** A schema has rules that the demo does not support. The message names the rule and its place. */
export class SchemaTooRich extends Error {
	override readonly name = 'SchemaTooRich';
}

type Schema = Record<string, unknown>;

const MAXIMUM_DEPTH = 16;
/** Below this depth optional properties are left out, so that a recursive schema comes to an end. */
const OPTIONAL_DEPTH = 4;
/** The maximum number of tokens in a sample. */
const MAXIMUM_PIECES = 5_000;
const MAXIMUM_LENGTH = 10_000;

/** Rules that cannot be satisfied by filling in the named properties and values. */
const UNKNOWN_RULES = ['pattern', 'not', 'if', 'contains', 'dependentSchemas', 'dependentRequired', 'prefixItems'];

const FORMATS: Record<string, string> = {
	date: '2026-01-01',
	time: '12:00:00Z',
	'date-time': '2026-01-01T12:00:00Z',
	duration: 'P1D',
	email: 'demo@example.com',
	hostname: 'example.com',
	ipv4: '192.0.2.1',
	ipv6: '2001:db8::1',
	uri: 'https://example.com/',
	uuid: '00000000-0000-4000-8000-000000000000',
};

/**
 * Returns pieces of a JSON text that fits `schema`. Texts without a restriction are `filler`; among listed values `key`
 * chooses, always in the same way.
 * @throws SchemaTooRich
 */
export function sampleOf(schema: unknown, filler: string, key: string): DemoPiece[] {
	const sampler = new Sampler(schema, filler, key);
	sampler.write(schema, '', 0, true);
	return sampler.pieces;
}

class Sampler {
	readonly pieces: DemoPiece[] = [];
	private readonly root: unknown;
	private readonly filler: string;
	/** The hash of the key. The key itself may be long and is mixed with every value that can be chosen. */
	private readonly key: number;

	constructor(root: unknown, filler: string, key: string) {
		this.root = root;
		this.filler = filler;
		this.key = hashOf(key);
	}

	/** `isFirst` is false for all entries of a list but the first, so that entries differ if they can. */
	write(value: unknown, place: string, depth: number, isFirst: boolean): void {
		if (depth > MAXIMUM_DEPTH || this.pieces.length > MAXIMUM_PIECES) {
			throw new SchemaTooRich(`${place || 'the schema'} asks for more than the demo writes`);
		}
		if (value === true || value === undefined) {
			this.writeText(this.filler);
			return;
		}
		if (!isSchema(value)) {
			throw new SchemaTooRich(`${place || 'the schema'} is no schema that anything fits`);
		}
		const schema = this.resolve(value, place);
		const rule = UNKNOWN_RULES.find(name => name in schema);
		if (rule !== undefined) {
			throw new SchemaTooRich(`${place || 'the schema'} has "${rule}", which the demo does not follow`);
		}
		if ('const' in schema) {
			this.put(JSON.stringify(schema['const']));
		} else if (Array.isArray(schema['enum'])) {
			this.choose(schema['enum'], isFirst ? place : `${place}+`);
		} else {
			this.writeKind(schema, place, depth);
		}
	}

	private writeKind(schema: Schema, place: string, depth: number): void {
		const alternatives = schema['anyOf'] ?? schema['oneOf'];
		if (Array.isArray(alternatives)) {
			this.write(alternatives[0], place, depth + 1, true);
			return;
		}
		switch (kindOf(schema)) {
			case 'object':
				this.writeObject(schema, place, depth);
				break;
			case 'array':
				this.writeArray(schema, place, depth);
				break;
			case 'number':
				this.put(JSON.stringify(numberOf(schema, place, false)));
				break;
			case 'integer':
				this.put(JSON.stringify(numberOf(schema, place, true)));
				break;
			case 'boolean':
				this.choose([true, false], place);
				break;
			case 'null':
				this.put('null');
				break;
			default:
				this.writeText(textOf(schema, this.filler, place));
		}
	}

	private writeObject(schema: Schema, place: string, depth: number): void {
		const properties = isSchema(schema['properties']) ? schema['properties'] : {};
		const required = Array.isArray(schema['required']) ? schema['required'].map(String) : [];
		const optional = depth < OPTIONAL_DEPTH ? Object.keys(properties) : [];
		const names = [...new Set([...optional, ...required])];
		const minimum = Number(schema['minProperties'] ?? 0);
		if (names.length < minimum) {
			throw new SchemaTooRich(`${place || 'the schema'} wants properties that it does not name`);
		}
		this.put('{');
		for (const [index, name] of names.entries()) {
			this.put(`${index === 0 ? '' : ','}${JSON.stringify(name)}:`);
			const property = Object.hasOwn(properties, name) ? properties[name] : schema['additionalProperties'];
			this.write(property, `${place}/${name}`, depth + 1, true);
		}
		this.put('}');
	}

	private writeArray(schema: Schema, place: string, depth: number): void {
		const minimum = Number(schema['minItems'] ?? 0);
		const count = Math.max(minimum, Math.min(1, Number(schema['maxItems'] ?? 1)));
		if (count > 1 && schema['uniqueItems'] === true) {
			throw new SchemaTooRich(`${place || 'the schema'} has "uniqueItems", which the demo does not follow`);
		}
		this.put('[');
		for (let index = 0; index < count; index++) {
			this.put(index === 0 ? '' : ',');
			this.write(schema['items'], `${place}/${index}`, depth + 1, index === 0);
		}
		this.put(']');
	}

	private resolve(schema: Schema, place: string): Schema {
		let current = schema;
		for (let hops = 0; typeof current['$ref'] === 'string'; hops++) {
			const target = hops < MAXIMUM_DEPTH ? pointerTarget(this.root, current['$ref']) : undefined;
			if (!isSchema(target)) {
				throw new SchemaTooRich(
					`${place || 'the schema'} refers to ${JSON.stringify(current['$ref'])}, which is not in it`,
				);
			}
			current = target;
		}
		const all = current['allOf'];
		if (!Array.isArray(all)) {
			return current;
		}
		const [only] = all;
		if (all.length !== 1 || !isSchema(only)) {
			throw new SchemaTooRich(`${place || 'the schema'} has "allOf", which the demo does not follow`);
		}
		const { allOf: _, ...rest } = current;
		return { ...this.resolve(only, place), ...rest };
	}

	/** Chooses the value with the highest weight. The weights are derived from the key and each value. */
	private choose(values: readonly unknown[], place: string): void {
		if (values.length === 0) {
			throw new SchemaTooRich(`${place || 'the schema'} is no schema that anything fits`);
		}
		const texts = values.map(value => JSON.stringify(value));
		const weights = texts.map(text => 1 + (hashOf(`${this.key}\n${place}\n${text}`) % 1000) ** 2);
		const sum = weights.reduce((total, weight) => total + weight, 0);
		const highest = weights.reduce((most, weight) => Math.max(most, weight), 0);
		const chosen = texts[weights.indexOf(highest)] ?? 'null';
		const isText = values.every(value => typeof value === 'string');
		const inner = (text: string) => (isText ? text.slice(1, -1) : text);
		const alternatives = texts.map((text, index) => ({ text: inner(text), probability: (weights[index] ?? 0) / sum }));
		// The value is a piece of its own, without the quotes, as it often is a single token of a model.
		this.put(isText ? '"' : '');
		this.pieces.push({ text: inner(chosen), alternatives });
		this.put(isText ? '"' : '');
	}

	private writeText(text: string): void {
		this.pieces.push(...piecesOf(JSON.stringify(text)));
	}

	private put(text: string): void {
		if (text !== '') {
			this.pieces.push({ text });
		}
	}
}

function isSchema(value: unknown): value is Schema {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Returns the schema's type. If it is a list, the first one except null is taken; if it is missing, other keywords
 * decide.
 */
function kindOf(schema: Schema): unknown {
	const { type } = schema as { type?: unknown };
	if (Array.isArray(type)) {
		return type.find(name => name !== 'null') ?? 'null';
	}
	return type ?? ('properties' in schema ? 'object' : 'items' in schema ? 'array' : 'string');
}

/** Resolves a reference of the form `#`, or `#/…` by the rules of JSON Pointer. Nothing is ever fetched. */
function pointerTarget(root: unknown, reference: string): unknown {
	if (reference !== '#' && !reference.startsWith('#/')) {
		return undefined;
	}
	let target = root;
	for (const part of reference.split('/').slice(1)) {
		const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
		target = isSchema(target) && Object.hasOwn(target, name) ? target[name] : undefined;
	}
	return target;
}

function numberOf(schema: Schema, place: string, isInteger: boolean): number {
	const bound = (name: string) => (typeof schema[name] === 'number' ? (schema[name] as number) : undefined);
	const step = bound('multipleOf') ?? (isInteger ? 1 : undefined);
	const above = bound('exclusiveMinimum');
	const below = bound('exclusiveMaximum');
	const gap = step ?? 0.5;
	const low = Math.max(bound('minimum') ?? -Infinity, above === undefined ? -Infinity : above);
	const high = Math.min(bound('maximum') ?? Infinity, below === undefined ? Infinity : below);
	let value = Math.max(low, Math.min(high, 1));
	value = step === undefined ? value : Math.ceil(value / step) * step;
	if (above !== undefined && value <= above) {
		value = Number.isFinite(high) && step === undefined ? (above + high) / 2 : value + gap;
	}
	if (below !== undefined && value >= below) {
		value = Number.isFinite(low) && step === undefined ? (low + below) / 2 : value - gap;
	}
	const fits =
		value >= low && value <= high && (above === undefined || value > above) && (below === undefined || value < below);
	if (!fits || (isInteger && !Number.isInteger(value))) {
		throw new SchemaTooRich(`${place || 'the schema'} has bounds that leave the demo no number`);
	}
	return value;
}

function textOf(schema: Schema, filler: string, place: string): string {
	const { format, minLength = 0, maxLength = MAXIMUM_LENGTH } = schema as Record<string, unknown>;
	if (typeof format === 'string') {
		const example = Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
		if (example === undefined) {
			throw new SchemaTooRich(
				`${place || 'the schema'} has the format ${JSON.stringify(format)}, which the demo does not know`,
			);
		}
		return example;
	}
	if (
		typeof minLength !== 'number' ||
		typeof maxLength !== 'number' ||
		minLength > Math.min(maxLength, MAXIMUM_LENGTH)
	) {
		throw new SchemaTooRich(`${place || 'the schema'} has bounds that leave the demo no text`);
	}
	return filler.slice(0, maxLength).padEnd(minLength, '.');
}
