import assert from 'node:assert/strict';
import { localConnection, realModels } from '../../../src/contract/localConnection.ts';

describe('the models that are no demo', () => {
	const models = ['demo', 'real', 'both'].map(id => ({ id }));

	it('are those that a model server offers, also where the demo has one of that name', () => {
		const providers = [
			{ slug: 'mine', models: ['real', 'both'] },
			{ slug: 'demo', models: ['demo', 'both'] },
			{ slug: 'demo-two', models: ['demo'] },
		];
		assert.deepEqual(realModels({ models, providers }), [{ id: 'real' }, { id: 'both' }]);
	});

	it('are none as long as the service has told nothing, or has the demo alone', () => {
		assert.deepEqual(realModels(localConnection), []);
		assert.deepEqual(realModels({ models, providers: [{ slug: 'demo', models: ['demo'] }, { slug: 'mine' }] }), []);
	});
});
