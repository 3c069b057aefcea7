import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { MANIFEST_FILE, manifestText, type Schema, settingSchemas } from '../../../scripts/settingSchemas.ts';
import { connectionSchema } from '../../../src/contract/connection.ts';
import { readUpstreamSettings } from '../../../src/models/model/upstreamSettings.ts';

const strings: Record<string, string> = JSON.parse(readFileSync('package.nls.json', 'utf8'));
const schemas = settingSchemas();
const { 'errand.connections': connections = {}, 'errand.local.upstreams': upstreams = {} } = schemas;

/** Every schema inside a schema, with the path of its field. */
function* within(node: Schema, path: string): Generator<[string, Schema]> {
	yield [path, node];
	const inner = { ...node.properties, ...node.patternProperties };
	for (const [name, property] of Object.entries(inner)) {
		yield* within(property, `${path}.${name}`);
	}
	for (const choice of [node.items, node.additionalProperties, ...(node.anyOf ?? [])]) {
		if (typeof choice === 'object') {
			yield* within(choice, `${path}[]`);
		}
	}
}

const nodes = Object.entries(schemas).flatMap(([setting, schema]) => [...within(schema, setting)]);

/** A snippet's body as it is when every placeholder keeps what it proposes. */
function filled(body: unknown): unknown {
	const text = JSON.stringify(body)
		.replace(/\$\{\d+\|([^,|]*)[^}]*\|\}/g, '$1')
		.replace(/\$\{\d+:([^}]*)\}/g, '$1');
	assert.doesNotMatch(text, /\$/);
	return JSON.parse(text);
}

describe('the schemas of the settings that hold objects, in package.json', () => {
	it('are those that the code makes: `node scripts/settingSchemas.ts` writes them', () => {
		assert.equal(readFileSync(MANIFEST_FILE, 'utf8'), manifestText());
	});

	it('have a text for every field, and for every choice of some', () => {
		let count = 0;
		for (const [path, node] of nodes) {
			const texts = [...Object.values(node.properties ?? {}).map(({ description }) => description)];
			for (const text of [...texts, ...(node.enumDescriptions ?? [])]) {
				assert.ok(text !== undefined && strings[text.slice(1, -1)], `${path}: ${text}`);
				count++;
			}
		}
		assert.ok(count > 100, `${count}`);
		const described = nodes.filter(([, { enumDescriptions }]) => enumDescriptions !== undefined);
		assert.deepEqual(
			described.map(([path]) => path.split('.').at(-1)),
			['files', 'plan', 'kinds[]'],
		);
	});

	it('mark a field that is not known, at every depth but in a format, which is sent as it is', () => {
		const open = nodes.filter(([, node]) => node.properties && node.additionalProperties !== false);
		assert.deepEqual(
			open.map(([path]) => path),
			['errand.chat.parameters.response_format'],
		);
	});

	it('have the ranges of the numbers, and not those of the language', () => {
		const { properties: parameters = {} } = schemas['errand.chat.parameters'] ?? {};
		const rangeOf = (name: string) => {
			const { type, minimum, exclusiveMinimum, maximum } = parameters[name] ?? {};
			return [type, minimum, exclusiveMinimum, maximum];
		};
		assert.deepEqual(rangeOf('temperature'), ['number', 0, undefined, 2]);
		assert.deepEqual(rangeOf('top_p'), ['number', undefined, 0, 1]);
		assert.deepEqual(rangeOf('max_tokens'), ['integer', 1, undefined, undefined]);
		assert.deepEqual(rangeOf('seed'), ['integer', undefined, undefined, undefined]);
	});
});

describe('the schema of errand.connections in package.json', () => {
	const schema = connections.additionalProperties as Schema;

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

	it('completes the data policies that are understood', () => {
		const { providers } = schema.properties ?? {};
		const policies = providers?.items?.properties?.['dataPolicy']?.['examples'];
		for (const dataPolicy of policies as string[]) {
			const { providers: [read] = [] } = connectionSchema.parse({
				apiUrl: 'https://api.example',
				service: 'acme',
				providers: [{ slug: 'one', dataPolicy }],
			});
			assert.equal(read?.dataPolicy?.storesData, dataPolicy === 'stores data', dataPolicy);
		}
	});

	it('offers a whole connection, a model, a provider, an alias and an agent that fit as they are', () => {
		const parts = connectionSchema.shape;
		const offers: [Schema | undefined, z.ZodType][] = [
			[schema, connectionSchema],
			[connections, z.record(z.string(), connectionSchema)],
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

describe('the schema of errand.local.upstreams in package.json', () => {
	const [[namePattern, upstream]] = Object.entries(upstreams.patternProperties ?? {}) as [[string, Schema]];

	it('accepts the names and the addresses that are read, and marks others', () => {
		const name = new RegExp(namePattern, 'u');
		const url = new RegExp(upstream.properties?.['url']?.pattern ?? '', 'u');
		for (const slug of ['studio', 'a', 'far-away.2', 'Studio', 'a/b', 'a-', '', 'x'.repeat(65)]) {
			const isRead = readUpstreamSettings({ [slug]: { url: 'https://example.com' } }).upstreams.length === 1;
			assert.equal(name.test(slug), isRead, slug);
		}
		for (const address of [
			'https://example.com',
			'http://10.0.0.1:80/v1',
			'ftp://x',
			'https://a:b@c',
			'https://a?b',
			'',
		]) {
			const isRead = readUpstreamSettings({ one: { url: address } }).upstreams.length === 1;
			assert.equal(url.test(address), isRead, address);
		}
	});

	it('proposes an entry that is read', () => {
		const body = JSON.stringify(upstreams.defaultSnippets?.[0]?.body).replace(/\$\{\d+:([^}]*)\}/g, '$1');
		assert.deepEqual(readUpstreamSettings(JSON.parse(body)).problems, []);
		assert.deepEqual(readUpstreamSettings(upstreams.default), { upstreams: [], problems: [], findOllama: true });
	});
});
