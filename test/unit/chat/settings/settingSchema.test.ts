import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { chatParametersSchema } from '../../../../src/contract/chatRequest.ts';
import { routingPolicySchema } from '../../../../src/contract/provider.ts';

const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const properties: Record<string, Record<string, unknown>> = Object.assign(
	{},
	...manifest.contributes.configuration.map((section: { properties: object }) => section.properties),
);

const WORDS = new Set([
	'$schema',
	'description',
	'markdownDescription',
	'defaultSnippets',
	'scope',
	'order',
	'default',
]);
/** What a schema library writes of numbers and keys that the setting need not repeat. */
const IMPLIED = new Set(['propertyNames', String(Number.MAX_SAFE_INTEGER), String(Number.MIN_SAFE_INTEGER)]);

/** What a value must be, without the words about it. */
function rules(node: unknown): unknown {
	if (Array.isArray(node)) {
		return node.map(rules);
	}
	if (typeof node !== 'object' || node === null) {
		return node;
	}
	const kept = Object.entries(node).filter(
		([name, value]) => !WORDS.has(name) && !IMPLIED.has(name) && !IMPLIED.has(String(value)),
	);
	return Object.fromEntries(kept.map(([name, value]) => [name, rules(value)]));
}

/** A property may be called `description`, so properties are gone through by themselves. */
const fieldsOf = (schema: unknown) => {
	const { properties: fields = {} } = schema as { properties?: Record<string, unknown> };
	return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, rules(field)]));
};

describe('the settings of policy and parameters in package.json', () => {
	for (const [setting, schema] of [
		['errand.chat.routing', routingPolicySchema],
		['errand.chat.parameters', chatParametersSchema],
	] as const) {
		it(`${setting} has the fields, types and ranges of the schema that checks requests, and no others`, () => {
			const json = z.toJSONSchema(schema, { io: 'input' });
			assert.deepEqual(fieldsOf(properties[setting]), fieldsOf(json));
			assert.equal(properties[setting]?.['additionalProperties'], false);
		});
	}

	it('has all eleven fields of the policy, each described', () => {
		const fields = (properties['errand.chat.routing'] as { properties: Record<string, { description?: string }> })
			.properties;
		assert.equal(Object.keys(fields).length, 11);
		for (const [name, { description }] of Object.entries(fields)) {
			assert.ok(description, name);
		}
	});

	it('tells zero data retention that is not asked for from one that is not demanded', () => {
		assert.deepEqual(properties['errand.chat.zeroDataRetention']?.['enum'], ['account', 'on', 'off']);
		assert.equal(properties['errand.chat.zeroDataRetention']?.['default'], 'account');
	});
});
