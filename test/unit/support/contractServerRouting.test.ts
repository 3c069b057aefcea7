import assert from 'node:assert/strict';
import type { HostName } from '../../support/contractServer/contractServer.ts';
import { aliases, models, openModel, providerPrefixes, service } from '../../support/contractServer/fixtures.ts';
import { Asker, refused } from './askContractServer.ts';

describe('contract server: routing', () => {
	const at = new Asker();

	const served = async (fields: object, host: HostName = 'public', path?: string) => {
		const { status, json } = await at.chat(fields, host, path);
		return status === 200 ? json.provider : status;
	};

	const cases: [object, string | number][] = [
		[{ sort: 'price' }, 'meshrun'],
		[{ sort: 'price', allow_fallbacks: false }, 404],
		[{ sort: 'throughput' }, service],
		[{ sort: 'latency' }, 'swiftcore'],
		[{ sort: { by: 'price' } }, 'gridserve'],
		[{ order: ['aurelia', 'openhub'] }, 'openhub'],
		[{ order: ['seeker-platform'] }, 'gridserve'],
		[{ order: ['seeker-platform'], allow_fallbacks: false }, 404],
		[{ only: ['swiftcore', 'meshrun'] }, 'meshrun'],
		[{ only: ['aurelia'] }, 404],
		[{ ignore: ['gridserve'] }, 'openhub'],
		[{ data_collection: 'deny', sort: 'latency' }, service],
		[{ quantizations: ['int4'] }, 'meshrun'],
		[{ quantizations: ['int3'] }, 404],
		[{ zdr: true }, 'openhub'],
		[{ preferred_min_throughput: 200, sort: 'price' }, service],
		[{ preferred_max_latency: 0.3 }, 'swiftcore'],
		[{ preferred_max_latency: { p50: 1 } }, 'gridserve'],
	];
	for (const [provider, expected] of cases) {
		it(`serves ${JSON.stringify(provider)} by ${expected}`, async () => {
			assert.equal(await served({ provider }), expected);
		});
	}

	it('uses only providers that support every parameter where that is required', async () => {
		const provider = { only: ['meshrun', 'swiftcore'], require_parameters: true };
		assert.equal(await served({ provider, top_a: 0.5 }), 'swiftcore');
		assert.equal(await served({ provider }), 'meshrun');
	});

	const wrong: [string, unknown][] = [
		['sort', 'speed'],
		['order', 'openhub'],
		['only', ['nobody']],
		['ignore', [1]],
		['allow_fallbacks', 'no'],
		['require_parameters', 1],
		['data_collection', 'never'],
		['quantizations', 'int4'],
		['preferred_min_throughput', 'fast'],
		['preferred_max_latency', []],
		['zdr', 'yes'],
		['max_price', 1],
	];
	for (const [field, value] of wrong) {
		it(`refuses provider.${field} ${JSON.stringify(value)}`, () =>
			refused(at.chat({ provider: { [field]: value } }), 400, `provider.${field}`));
	}

	it('knows each prefix on the enterprise host at its one path, before plain and full names', async () => {
		for (const { prefix, provider } of providerPrefixes) {
			const model = models.find(
				({ hostings, kinds }) =>
					kinds.includes('chat') && hostings.some(one => one.provider === provider && !one.isDown),
			);
			assert.equal(await served({ model: `${prefix}/${model?.id}` }, 'enterprise'), provider);
			assert.equal(
				await served({ model: `${prefix}/${service}ai/${model?.vendor}/${model?.id}` }, 'enterprise'),
				provider,
			);
		}
		assert.equal(await served({ model: `openhub/${openModel.id}` }), 404);
		assert.equal(await served({ model: `openhub/${openModel.id}` }, 'enterprise', '/v1/chat/completions'), 404);
		assert.equal(await served({ model: `aurelia/${openModel.id}` }, 'enterprise'), 'gridserve');
	});

	it('knows aliases on the enterprise host only; the request wins over their preference', async () => {
		const model = aliases[1]?.name;
		assert.equal(await served({ model }), 404);
		assert.equal(await served({ model }, 'enterprise'), 'cumulus');
		assert.equal(await served({ model, provider: { order: ['stratus'] } }, 'enterprise'), 'stratus');
	});

	it('refuses closed models on dedicated capacity', async () => {
		assert.equal(await served({ model: `${service}/${openModel.id}` }), service);
		await refused(at.chat({ model: `${service}/sonata-large` }), 400, 'closed');
		await refused(at.chat({ model: 'sonata-large', provider: { only: [service] } }), 400, 'closed');
		assert.equal(await served({ model: 'sonata-large', provider: { order: [service] } }), 'aurelia');
	});

	it('applies zero data retention where the account says so', async () => {
		const provider = { zdr: false, sort: 'price' };
		assert.equal(await served({ provider }), 'meshrun');
		at.server.account.zeroDataRetention = true;
		assert.equal(await served({ provider }), 'openhub');
	});

	it('goes on to the alternate models', async () => {
		assert.equal(await served({ provider: { only: ['lumiere'] }, models: ['sonata-large', 'petit-8b'] }), 'lumiere');
	});
});
