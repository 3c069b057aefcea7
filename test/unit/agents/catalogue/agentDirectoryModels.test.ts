import assert from 'node:assert/strict';
import { modelsFor } from '../../../../src/agents/catalogue/agentDirectory.ts';
import { systemClock } from '../../../../src/base/async.ts';
import { gatewayDescriptionSchema } from '../../../../src/contract/control.ts';
import { demoProvider } from '../../../../src/service/inference/demo/demoProvider.ts';
import { describeGateway } from '../../../../src/service/inference/gatewayDescription.ts';
import type { ModelOffer, Provider } from '../../../../src/service/inference/provider.ts';

const demo = demoProvider({ clock: systemClock, publish: () => '' });

function provider(slug: string, offers: Partial<ModelOffer>[], isDedicated = false): Provider {
	return {
		slug,
		isDedicated,
		prefixes: [slug],
		offers: () => offers.map(offer => ({ id: 'm', kinds: ['chat'], ...offer })),
		chat: () => assert.fail('nobody is asked'),
	};
}

const describing = (...providers: Provider[]) =>
	gatewayDescriptionSchema.parse(JSON.parse(JSON.stringify(describeGateway([...providers, demo], []))));

describe('modelsFor', () => {
	it('leaves out the demo, and what only makes images or searches', () => {
		assert.deepEqual(modelsFor('chat', describing()), []);
		const one = provider('one', [{ id: 'a' }, { id: 'b', kinds: ['image'] }, { id: 'c', kinds: ['search'] }]);
		assert.deepEqual(modelsFor('chat', describing(one)), ['a']);
	});

	it('offers chat models by the other API too, as the gateway serves both', () => {
		assert.deepEqual(modelsFor('responses', describing(provider('one', [{ id: 'a' }]))), ['a']);
	});

	it('offers models of this machine, and one that is named like a demo model but is real', () => {
		assert.deepEqual(modelsFor('chat', describing(provider('one', [{ id: 'a' }], true))), ['a']);
		assert.deepEqual(modelsFor('chat', describing(provider('one', [{ id: 'demo' }]))), ['demo']);
	});

	it('leaves out a model that takes no tools, without which an agent can do nothing', () => {
		const without = provider('one', [{ id: 'a', parameters: new Set(['stop'] as const) }, { id: 'b' }]);
		assert.deepEqual(modelsFor('chat', describing(without)), ['b']);
	});

	it('leaves out a model the name of which has invisible characters', () => {
		const one = provider('one', [{ id: 'a\u202eb' }, { id: 'a\0' }, { id: 'good' }]);
		assert.deepEqual(modelsFor('chat', describing(one)), ['good']);
	});
});
