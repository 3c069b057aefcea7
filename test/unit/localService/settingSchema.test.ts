import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { upstreamSettingSchema } from '../../../src/contract/upstreams.ts';
import { readUpstreamSettings } from '../../../src/localService/model/upstreamSettings.ts';

interface JsonSchema {
	properties?: Record<string, JsonSchema>;
	patternProperties?: Record<string, JsonSchema>;
	additionalProperties?: boolean;
	items?: JsonSchema;
	anyOf?: JsonSchema[];
	pattern?: string;
	description?: string;
	default?: unknown;
	defaultSnippets?: { body: unknown }[];
}

const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const setting: JsonSchema = manifest.contributes.configuration
	.map(({ properties }: { properties: Record<string, JsonSchema> }) => properties['errand.local.upstreams'])
	.find((found: JsonSchema | undefined) => found !== undefined);
const [[namePattern, upstream]] = Object.entries(setting.patternProperties ?? {}) as [[string, JsonSchema]];

/** What a value must be, without the words about it and without what the two languages write differently. */
function rules(node: unknown): unknown {
	if (Array.isArray(node)) {
		return node.map(rules);
	}
	if (typeof node !== 'object' || node === null) {
		return node;
	}
	const { $schema, description, pattern, patternErrorMessage, maximum, exclusiveMinimum, ...rest } = node as Record<
		string,
		unknown
	>;
	return {
		...Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, rules(value)])),
		// A whole number above 0.
		...(exclusiveMinimum === 0 ? { minimum: 1 } : {}),
	};
}

function* within(node: JsonSchema): Generator<JsonSchema> {
	yield node;
	for (const inner of [
		...Object.values(node.properties ?? {}),
		...(node.anyOf ?? []),
		...(node.items ? [node.items] : []),
	]) {
		yield* within(inner);
	}
}

describe('the schema of errand.local.upstreams in package.json', () => {
	it('has the fields, types and ranges of the schema that reads it, both ways', () => {
		assert.deepEqual(rules(upstream), rules(z.toJSONSchema(upstreamSettingSchema, { io: 'input' })));
		assert.deepEqual(setting.properties?.['ollama']?.anyOf?.[1], upstream);
	});

	it('describes every field', () => {
		for (const { properties = {} } of within(upstream)) {
			for (const [name, { description }] of Object.entries(properties)) {
				assert.match(description ?? '', /^%settings\.local\.upstreams\..+%$/, name);
			}
		}
	});

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
		const body = JSON.stringify(setting.defaultSnippets?.[0]?.body).replace(/\$\{\d+:([^}]*)\}/g, '$1');
		assert.deepEqual(readUpstreamSettings(JSON.parse(body)).problems, []);
		assert.deepEqual(readUpstreamSettings(setting.default), { upstreams: [], problems: [], findOllama: true });
	});
});
