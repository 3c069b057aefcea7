import assert from 'node:assert/strict';
import {
	branchesQuerySchema,
	branchSchema,
	organisationSchema,
	repositoriesQuerySchema,
	repositorySchema,
} from '../../../src/contract/sources.ts';

const plain = (value: unknown) => JSON.parse(JSON.stringify(value));

describe('the records of a source host', () => {
	for (const [what, schema, documented, name] of [
		[
			'repository',
			repositorySchema,
			{
				name: 'widgets',
				full_name: 'acme/widgets',
				description: 'Widgets',
				private: true,
				clone_url: 'https://host.example/acme/widgets.git',
				updated_at: '2026-11-21T10:00:00Z',
				language: 'TypeScript',
			},
			'name',
		],
		['branch', branchSchema, { name: 'main', protected: true, isDefault: true }, 'name'],
		[
			'organisation',
			organisationSchema,
			{ login: 'acme', name: 'Acme', avatar_url: 'https://host.example/acme.png' },
			'login',
		],
	] as const) {
		it(`reads every documented field of a ${what}, and keeps others`, () => {
			assert.deepEqual(plain(schema.parse({ ...documented, extra: 1 })), { ...documented, extra: 1 });
		});

		it(`demands nothing of a ${what} but its ${name}`, () => {
			for (const absent of [null, 'None', {}, undefined]) {
				const value = Object.fromEntries(Object.keys(documented).map(key => [key, key === name ? 'a' : absent]));
				assert.deepEqual(plain(schema.parse(value)), { [name]: 'a' });
			}
			for (const value of [{}, { [name]: '' }, { [name]: 7 }, 'main', null]) {
				assert.ok(!schema.safeParse(value).success);
			}
		});
	}
});

describe('the queries of a source host', () => {
	it('demand an owner, and a repository for its branches', () => {
		assert.ok(repositoriesQuerySchema.safeParse({ owner: 'acme' }).success);
		assert.ok(branchesQuerySchema.safeParse({ owner: 'acme', repo: 'widgets' }).success);
		for (const owner of ['', ' ', undefined, 7]) {
			assert.ok(!repositoriesQuerySchema.safeParse({ owner }).success);
			assert.ok(!branchesQuerySchema.safeParse({ owner: 'acme', repo: owner }).success);
		}
	});
});
