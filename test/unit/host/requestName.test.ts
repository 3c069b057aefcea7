import assert from 'node:assert/strict';
import { localConnection } from '../../../src/contract/localConnection.ts';
import { requestName } from '../../../src/models/addService.ts';
import type { Offer } from '../../../src/models/services.ts';

describe('the name by which a request reaches the chosen model', () => {
	const offer = (...hosts: string[]): Offer => ({
		...localConnection,
		models: [{ ...localConnection.models[0], id: 'm', kinds: ['chat'] }],
		providers: hosts.map(slug => ({ slug, models: ['m'] })),
		providerPrefixes: hosts.map(slug => ({ prefix: `${slug}-x`, provider: slug })),
		upstreamProblems: [],
	});

	it('is the model’s own, with a prefix where another server has a model of that name', () => {
		assert.equal(requestName(offer('mine', 'errand'), 'mine', 'm'), 'm');
		assert.equal(requestName(offer('mine', 'other'), 'mine', 'm'), 'mine-x/m');
		assert.equal(requestName(offer('other'), 'mine', 'm'), undefined);
		assert.equal(requestName(offer('mine'), 'mine', 'absent'), undefined);
	});
});
