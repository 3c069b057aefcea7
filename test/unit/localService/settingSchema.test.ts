import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { ACCOUNT_SETTINGS, agentSettingSchema, SANDBOX_SETTINGS } from '../../../src/contract/agents.ts';
import { readAgentSettings } from '../../../src/localService/model/taskSettings.ts';

interface JsonSchema {
	properties?: Record<string, JsonSchema>;
	patternProperties?: Record<string, JsonSchema>;
	additionalProperties?: boolean;
	items?: JsonSchema;
	anyOf?: JsonSchema[];
	pattern?: string;
	enum?: unknown[];
	description?: string;
	default?: unknown;
	defaultSnippets?: { body: unknown }[];
}

const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const settingOf = (id: string): JsonSchema =>
	manifest.contributes.configuration
		.map(({ properties }: { properties: Record<string, JsonSchema> }) => properties[id])
		.find((found: JsonSchema | undefined) => found !== undefined);
/** What a value must be, without the words about it and without what the two languages write differently. */
function rules(node: unknown): unknown {
	if (Array.isArray(node)) {
		return node.map(rules);
	}
	if (typeof node !== 'object' || node === null) {
		return node;
	}
	const { $schema, description, enumDescriptions, pattern, patternErrorMessage, maximum, exclusiveMinimum, ...rest } =
		node as Record<string, unknown>;
	return {
		...Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, rules(value)])),
		// A whole number above 0.
		...(exclusiveMinimum === 0 ? { minimum: 1 } : {}),
	};
}

describe('the schema of errand.local.agents in package.json', () => {
	const agents = settingOf('errand.local.agents');

	it('has the fields, types and ranges of the schema that reads it, both ways', () => {
		const { defaultSnippets, ...items } = agents.items ?? {};
		assert.deepEqual(rules(items), rules(z.toJSONSchema(agentSettingSchema, { io: 'input' })));
	});

	it('describes every field', () => {
		for (const [name, { description }] of Object.entries(agents.items?.properties ?? {})) {
			assert.match(description ?? '', /^%settings\.local\.agents\..+%$/, name);
		}
	});

	it('accepts the ids and the names of variables that are read, and marks others', () => {
		const { id, env } = agents.items?.properties ?? {};
		const isRead = (fields: object) => readAgentSettings([{ id: 'a', command: 'b', ...fields }]).agents.length === 1;
		for (const text of ['a', 'my-agent', '-a', 'a-', 'A', 'a_b', '', 'x'.repeat(40), 'x'.repeat(41)]) {
			assert.equal(new RegExp(id?.pattern ?? '', 'u').test(text), isRead({ id: text }), text);
		}
		for (const text of ['KEY', '_a1', '1A', 'KEY=value', 'A B', '']) {
			assert.equal(new RegExp(env?.items?.pattern ?? '', 'u').test(text), isRead({ env: [text] }), text);
		}
	});

	it('proposes entries that are read', () => {
		for (const { body } of agents.defaultSnippets ?? []) {
			const entries = JSON.parse(JSON.stringify(body).replace(/\$\{\d+:([^}]*)\}/g, '$1'));
			assert.deepEqual(readAgentSettings(entries).problems, []);
		}
		assert.ok(agents.defaultSnippets?.length);
		assert.deepEqual(readAgentSettings(agents.default), { agents: [], problems: [] });
	});
});

it('the schema of errand.local.ownAccounts in package.json has the values that the service knows', () => {
	assert.deepEqual(settingOf('errand.local.ownAccounts').enum, [...ACCOUNT_SETTINGS]);
});

it('the schema of errand.local.sandbox in package.json has the values that the service knows', () => {
	assert.deepEqual(settingOf('errand.local.sandbox').enum, [...SANDBOX_SETTINGS]);
});
