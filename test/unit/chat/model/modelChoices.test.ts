import assert from 'node:assert/strict';
import { alternatesOf, atHand, modelChoices, toKeep, withRecent } from '../../../../src/chat/model/modelChoices.ts';
import { type Connection, connectionSchema } from '../../../../src/contract/connection.ts';

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

const rows = (recent: string[] = [], found: { id: string }[] = [], current = '') =>
	modelChoices(connection, {
		recent,
		current,
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
		assert.equal(rows([], [{ id: 'large' }, { id: 'painter' }, { id: 'new' }]).at(-1), 'found new');
		assert.equal(rows([], [{ id: 'large' }, { id: 'painter' }]).length, 4);
	});

	it('begins with the chosen model, once, if no list has it', () => {
		assert.deepEqual(rows(['gone', 'large'], [], 'gone').slice(0, 2), ['unlisted gone', 'recent large']);
		assert.equal(rows(['large'], [], 'large')[0], 'recent large');
		assert.deepEqual(rows(['large'], [], 'a/large').slice(0, 2), ['recent a/large', 'recent large']);
		assert.equal(rows([], [{ id: 'new' }], 'new')[0], 'models large');
	});

	it('has ten at hand, each once, and the chosen one besides', () => {
		const names = ['a', ...Array.from({ length: 20 }, (_, index) => `m${index}`), 'a'];
		const choices = names.map(name => ({ group: 'models' as const, name }));
		const first = atHand(choices, 'm3').map(({ name }) => name);
		assert.deepEqual(first, names.slice(0, 10));
		assert.deepEqual(
			atHand(choices, 'm19').map(({ name }) => name),
			[...first, 'm19'],
		);
	});

	it('keeps of a service’s list what is shown, and of an endless one a part', () => {
		const listed = { id: 'a', name: 'A', context_length: 5, pricing: { prompt: '1' } };
		assert.deepEqual(toKeep([listed]), [{ id: 'a', name: 'A', context_length: 5 }]);
		assert.equal(toKeep(Array.from({ length: 20_000 }, () => listed)).length, 1000);
	});

	it('has no model as an alternate of itself', () => {
		assert.deepEqual(alternatesOf('a', ['a', 'b']), ['b']);
		assert.equal(alternatesOf('a', ['a']), undefined);
	});

	it('keeps the last four, each once', () => {
		assert.deepEqual(withRecent(['a', 'b', 'c', 'd'], 'c'), ['c', 'a', 'b', 'd']);
		assert.deepEqual(withRecent(['a', 'b', 'c', 'd'], 'e'), ['e', 'a', 'b', 'c']);
	});
});
