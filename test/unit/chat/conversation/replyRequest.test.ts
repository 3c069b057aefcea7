import assert from 'node:assert/strict';
import { modeModelsOf, refusedModesOf } from '../../../../src/chat/conversation/replyRequest.ts';
import { type Connection, connectionSchema } from '../../../../src/contract/connection.ts';

const connection = (name: string, models: Connection['models'] = []): Connection => ({
	name,
	...connectionSchema.parse({ apiUrl: 'https://api.example', service: 'acme', models }),
});

describe('the models for search and images', () => {
	it('have a search model wherever the contract names it, listed or not', () => {
		assert.deepEqual(modeModelsOf(connection('acme')), { search: 'acme-search' });
		assert.deepEqual(modeModelsOf(connection('acme', [{ id: 'painter', kinds: ['image'] }])), {
			search: 'acme-search',
			image: 'painter',
		});
		assert.deepEqual(refusedModesOf(connection('acme')), []);
	});

	it('are only those that the local service lists, because its list is its own', () => {
		assert.deepEqual(modeModelsOf(connection('local')), {});
		assert.deepEqual(refusedModesOf(connection('local')), ['search', 'image']);
		const listed = connection('local', [{ id: 'acme-search', kinds: ['search'] }]);
		assert.deepEqual(modeModelsOf(listed), { search: 'acme-search' });
		assert.deepEqual(refusedModesOf(listed), ['image']);
	});
});
