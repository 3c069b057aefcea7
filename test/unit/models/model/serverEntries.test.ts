import assert from 'node:assert/strict';
import { upstreamSettingSchema } from '../../../../src/contract/upstreams.ts';
import { MODEL_SERVICES } from '../../../../src/models/model/modelServices.ts';
import { freeSlug, mergedEntry, serverAddresses, slugOfAddress } from '../../../../src/models/model/serverEntries.ts';
import { readUpstreamSettings } from '../../../../src/models/model/upstreamSettings.ts';

describe('the entry of a model server', () => {
	it('keeps what it says beyond its address', () => {
		const prices = { input: 1, output: 2 };
		const url = 'https://c.example/v1';
		assert.deepEqual(mergedEntry({ url: 'https://b.example', prices }, { url }), { url, prices });
		assert.deepEqual(mergedEntry({}, { url }), { url });
	});

	it('keeps the models and the name that it has, and gets a further model beside them', () => {
		const url = 'https://a.example/v1';
		const own = { url, label: 'Mine', models: [{ id: 'one', prices: { input: 1, output: 2 } }, 'two'] };
		const models = [...own.models, 'three'];
		assert.deepEqual(mergedEntry(own, { url, label: 'Other', models: ['three'] }), { ...own, models });
		assert.deepEqual(mergedEntry(own, { url, models: ['one'] }), own);
		assert.deepEqual(mergedEntry({}, { url, label: 'Mine', models: ['one'] }), { url, label: 'Mine', models: ['one'] });
	});

	it('keeps what its server lists beside a model that the server does not list', () => {
		const url = 'https://a.example/v1';
		const models = ['*', 'one'];
		assert.deepEqual(mergedEntry({ url }, { url, models }), { url, models });
		assert.deepEqual(mergedEntry({ url, models: ['two'] }, { url, models }), { url, models: ['two', 'one'] });
	});

	it('has a name of its own, which the setting accepts', () => {
		assert.equal(freeSlug('groq', {}), 'groq');
		assert.equal(freeSlug('groq', { groq: {}, 'groq-2': {} }), 'groq-3');
		for (const taken of ['demo', 'errand', 'Not A Slug', '']) {
			assert.equal(freeSlug(taken, {}), 'server');
		}
		assert.equal(freeSlug('toString', {}), 'server');
	});

	it('is named after its host', () => {
		assert.equal(slugOfAddress('https://api.deepinfra.com/v1'), 'deepinfra');
		assert.equal(slugOfAddress('https://gpu-box:8000/v1'), 'gpu-box');
		for (const url of [
			'http://127.0.0.1:1234',
			'http://[::1]:1',
			'http://localhost:1',
			'https://192.168.0.1/v1',
			'https://demo.example',
		]) {
			assert.equal(slugOfAddress(url), 'server', url);
		}
	});
});

describe('the well-known services', () => {
	it('have entries that the setting accepts, names of their own, and encrypted addresses', () => {
		const entries = Object.fromEntries(MODEL_SERVICES.map(({ slug, label, url }) => [slug, { url, label }]));
		assert.equal(Object.keys(entries).length, MODEL_SERVICES.length);
		assert.deepEqual(readUpstreamSettings(entries).problems, []);
		for (const { url, keyPage } of MODEL_SERVICES) {
			assert.match(keyPage, /^https:/);
			assert.ok(url.startsWith('https:'));
			assert.equal(upstreamSettingSchema.parse({ url }).url, url);
		}
	});

	it('stand in the order of their names', () => {
		const labels = MODEL_SERVICES.map(({ label }) => label.toLowerCase());
		assert.deepEqual(labels, [...labels].sort());
	});
});

describe('where a server may list its models', () => {
	it('is where the address says, and below its version where it names none', () => {
		assert.deepEqual(serverAddresses('https://a.example/v1'), ['https://a.example/v1']);
		assert.deepEqual(serverAddresses('https://a.example/x/v1beta'), ['https://a.example/x/v1beta']);
		assert.deepEqual(serverAddresses('https://a.example'), ['https://a.example/v1', 'https://a.example/api/v1']);
		assert.deepEqual(serverAddresses('https://a.example/openai'), [
			'https://a.example/openai',
			'https://a.example/openai/v1',
		]);
	});
});
