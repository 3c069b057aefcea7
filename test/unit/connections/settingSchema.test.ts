import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { connectionSchema } from '../../../src/contract/connection.ts';

/** The parts of JSON schema that the setting uses. */
interface JsonSchema {
	type?: string;
	properties?: Record<string, JsonSchema>;
	required?: string[];
	additionalProperties?: boolean | JsonSchema;
	items?: JsonSchema;
	anyOf?: JsonSchema[];
	pattern?: string;
	patternErrorMessage?: string;
	description?: string;
	enumDescriptions?: string[];
	enum?: string[];
	minimum?: number;
	exclusiveMinimum?: number;
	default?: unknown;
	defaultSnippets?: { label: string; body: unknown }[];
}

const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const strings: Record<string, string> = JSON.parse(readFileSync('package.nls.json', 'utf8'));
const setting: JsonSchema = manifest.contributes.configuration.find(
	({ properties }: { properties: object }) => 'errand.connections' in properties,
).properties['errand.connections'];
const schema = setting.additionalProperties as JsonSchema;

/** Every schema inside a schema, with the path of its field. */
function* within(node: JsonSchema, path = ''): Generator<[string, JsonSchema]> {
	yield [path, node];
	for (const [name, property] of Object.entries(node.properties ?? {})) {
		yield* within(property, path === '' ? name : `${path}.${name}`);
	}
	if (node.items) {
		yield* within(node.items, `${path}[]`);
	}
	for (const choice of node.anyOf ?? []) {
		yield* within(choice, path);
	}
	if (typeof node.additionalProperties === 'object') {
		yield* within(node.additionalProperties, `${path}.*`);
	}
}

const ANNOTATIONS = ['description', 'enumDescriptions', 'pattern', 'patternErrorMessage', 'defaultSnippets'];

/** What a value must be, without the words about it and without what the two languages write differently. */
function rules(node: unknown): unknown {
	if (Array.isArray(node)) {
		return node.map(rules);
	}
	if (typeof node !== 'object' || node === null) {
		return node;
	}
	const { $schema, propertyNames, maximum, exclusiveMinimum, ...rest } = node as Record<string, unknown>;
	const kept = Object.entries(rest).filter(
		([name, value]) =>
			!(ANNOTATIONS.includes(name) && typeof value !== 'object') &&
			!['enumDescriptions', 'defaultSnippets'].includes(name) &&
			// An absent list is an empty one, which tells the author of settings nothing.
			!(name === 'default' && Array.isArray(value) && value.length === 0) &&
			// Only the local service knows, so it is no setting.
			name !== 'isLoading' &&
			// The parser drops what it does not know; the editor says that it will.
			!(name === 'additionalProperties' && value === false),
	);
	return {
		...Object.fromEntries(kept.map(([name, value]) => [name, rules(value)])),
		// A whole number above 0.
		...(exclusiveMinimum === 0 ? { minimum: 1 } : {}),
	};
}

/** A snippet's body as it is when every placeholder keeps what it proposes. */
function filled(body: unknown): unknown {
	const text = JSON.stringify(body)
		.replace(/\$\{\d+\|([^,|]*)[^}]*\|\}/g, '$1')
		.replace(/\$\{\d+:([^}]*)\}/g, '$1');
	assert.doesNotMatch(text, /\$/);
	return JSON.parse(text);
}

describe('the schema of errand.connections in package.json', () => {
	it('has the fields, types, enums, ranges and required ones of the schema that reads it, both ways', () => {
		assert.deepEqual(rules(schema), rules(z.toJSONSchema(connectionSchema, { io: 'input' })));
	});

	it('describes every field and every choice', () => {
		for (const [path, node] of within(schema)) {
			for (const [name, property] of Object.entries(node.properties ?? {})) {
				assert.match(property.description ?? '', /^%settings\.connections\..+%$/, `${path}.${name}`);
			}
			if (node.enum && path !== 'aliases[].provider.sort' && path !== 'aliases[].provider.data_collection') {
				assert.equal(node.enumDescriptions?.length, node.enum.length, path);
			}
		}
	});

	it('marks a field that it does not know, at every depth', () => {
		for (const [path, node] of within(schema)) {
			if (node.properties) {
				assert.equal(node.additionalProperties, false, path);
			}
		}
	});

	it('accepts the addresses that a connection accepts, and no others', () => {
		const fields = Object.entries(schema.properties ?? {}).filter(([name]) => name.endsWith('Url'));
		const patterns = new Set(fields.map(([, { pattern }]) => pattern));
		assert.equal(fields.length, 7);
		assert.equal(patterns.size, 1);
		assert.equal(new Set(fields.map(([, { patternErrorMessage }]) => patternErrorMessage)).size, 1);
		const pattern = new RegExp([...patterns][0] ?? '(?!)', 'u');
		const accepted = [
			...['https://api.example', 'https://api.example/', 'https://api.example:8443/v2/@team', 'https://10.0.0.1'],
			...[
				'http://localhost',
				'http://localhost:8080/',
				'http://127.0.0.1:1',
				'http://[::1]:2/v1',
				'http://127.0.0.2:3',
			],
		];
		const refused = [
			...['', 'api.example', 'http://api.example', 'http://127.0.0.1.example', 'http://localhost.example'],
			...['http://a.localhost:3', 'http://localhost.', 'http://0.0.0.0', 'http://127.example'],
			...['https://user:password@api.example', 'http://localhost@api.example', 'http://localhost:1@api.example'],
			...[
				'https://api.example?key=1',
				'https://api.example#part',
				'ftp://localhost',
				'javascript:alert(1)',
				'https://',
			],
			...['http://api.example/.localhost', 'http://api.example:80.localhost', 'http://api.example\\.localhost'],
		];
		for (const [addresses, outcome] of [
			[accepted, true],
			[refused, false],
		] as const) {
			for (const apiUrl of addresses) {
				assert.equal(pattern.test(apiUrl), outcome, apiUrl);
				assert.equal(connectionSchema.safeParse({ apiUrl, service: 'acme' }).success, outcome, apiUrl);
			}
		}
	});

	it('offers a whole connection, a model, a provider, an alias and an agent that fit as they are', () => {
		const parts = connectionSchema.shape;
		const offers: [JsonSchema | undefined, z.ZodType][] = [
			[schema, connectionSchema],
			[setting, z.record(z.string(), connectionSchema)],
		];
		for (const list of ['models', 'providers', 'providerPrefixes', 'aliases', 'agents'] as const) {
			offers.push([schema.properties?.[list]?.items, parts[list].unwrap().element]);
		}
		for (const [node, reader] of offers) {
			const [snippet] = node?.defaultSnippets ?? [];
			assert.ok(snippet && strings[snippet.label.slice(1, -1)]);
			const body = filled(snippet.body);
			// Strict, so that a field that is only dropped is found too.
			assert.deepEqual(dropDefaults(reader.parse(body), body), body);
		}
	});
});

/** What was read, without the fields that only the reader filled in. */
function dropDefaults(read: unknown, written: unknown): unknown {
	if (Array.isArray(read) && Array.isArray(written)) {
		return read.map((entry, index) => dropDefaults(entry, written[index]));
	}
	if (typeof read !== 'object' || read === null || typeof written !== 'object' || written === null) {
		return read;
	}
	return Object.fromEntries(
		Object.keys(written).map(name => [
			name,
			dropDefaults((read as Record<string, unknown>)[name], (written as Record<string, unknown>)[name]),
		]),
	);
}
