import assert from 'node:assert/strict';
import { modelChoices, prefixesFor, withRecent } from '../../../../../src/chat/policy/model/modelChoices.ts';
import { type Connection, connectionSchema } from '../../../../../src/contract/connection.ts';

const connection: Connection = {
	...connectionSchema.parse({
		apiUrl: 'https://api.example',
		service: 'acme',
		models: [
			{ id: 'large' },
			{ id: 'coder', codeOriented: true },
			{ id: 'painter', kinds: ['image'] },
			{ id: 'small', kinds: ['chat', 'encrypted'] },
		],
		providers: [
			{ slug: 'a', models: ['large'] },
			{ slug: 'b', models: ['small'] },
			{ slug: 'c', models: ['large', 'small'] },
		],
		providerPrefixes: [
			{ prefix: 'a', provider: 'a' },
			{ prefix: 'bee', provider: 'b' },
		],
		aliases: [{ name: 'fast', model: 'small' }],
	}),
	name: 'acme',
};

const rows = (recent: string[] = [], found: { id: string }[] = []) =>
	modelChoices(connection, {
		recent,
		found: found.map(({ id }) => ({ id, name: undefined, context_length: undefined })),
	}).map(({ group, name }) => `${group} ${name}`);

describe('the list of models', () => {
	it('has the models for chat, those made for code apart, and the aliases', () => {
		assert.deepEqual(rows(), ['models large', 'models small', 'code coder', 'aliases fast']);
	});

	it('begins with what was used of late, in any form of a name', () => {
		assert.deepEqual(rows(['a/large', 'fast']).slice(0, 2), ['recent a/large', 'recent fast']);
	});

	it('adds what the service lists and the connection does not, whatever that can do', () => {
		assert.deepEqual(rows([], [{ id: 'large' }, { id: 'painter' }, { id: 'new' }]).at(-1), 'found new');
		assert.equal(rows([], [{ id: 'large' }, { id: 'painter' }]).length, 4);
	});

	it('keeps the last four, each once', () => {
		assert.deepEqual(withRecent(['a', 'b', 'c', 'd'], 'c'), ['c', 'a', 'b', 'd']);
		assert.deepEqual(withRecent(['a', 'b', 'c', 'd'], 'e'), ['e', 'a', 'b', 'c']);
	});

	it('offers the prefixes of those who may host a model, where they have one', () => {
		assert.deepEqual(
			prefixesFor(connection, 'small').map(({ prefix }) => prefix),
			['bee'],
		);
		assert.deepEqual(
			prefixesFor(connection, 'large').map(({ prefix }) => prefix),
			['a'],
		);
	});
});
