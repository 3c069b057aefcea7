import assert from 'node:assert/strict';
import { connectionSchema } from '../../../src/contract/connection.ts';
import { dataPolicyText } from '../../../src/contract/dataPolicy.ts';

/** The policy of a connection's provider that the settings describe by this text. */
function described(dataPolicy?: string) {
	const provider = { slug: 'one', ...(dataPolicy === undefined ? {} : { dataPolicy }) };
	const { providers } = connectionSchema.parse({
		apiUrl: 'https://api.example',
		service: 'acme',
		providers: [provider],
	});
	return providers[0]?.dataPolicy;
}

describe('a data policy that the settings describe', () => {
	for (const [text, zeroDataRetention, storesData] of [
		['zero data retention', true, false],
		[' Zero Data Retention. ', true, false],
		['stores no data', false, false],
		['Stores data.', false, true],
	] as const) {
		it(`is understood: “${text}”`, () => {
			assert.deepEqual(described(text), { text: text.trim(), zeroDataRetention, storesData });
		});
	}

	it('leaves open what the provider does where the text says something else', () => {
		assert.deepEqual(described(' kept for 30 days '), { text: 'kept for 30 days' });
	});

	it('is unknown where it is blank or missing', () => {
		assert.equal(described(' '), undefined);
		assert.equal(described(), undefined);
	});
});

describe('dataPolicyText', () => {
	it('repeats what the user wrote', () => {
		assert.equal(dataPolicyText(described('Stores data.')), 'Stores data.');
	});

	it('uses the words that the settings understand for what a service states', () => {
		assert.equal(dataPolicyText({ zeroDataRetention: true }), 'zero data retention');
		assert.equal(dataPolicyText({ zeroDataRetention: true, storesData: false }), 'zero data retention');
		assert.equal(dataPolicyText({ storesData: false }), 'stores no data');
		assert.equal(dataPolicyText({ storesData: true }), 'stores data');
		assert.equal(dataPolicyText({ zeroDataRetention: true, storesData: true }), 'zero data retention, stores data');
	});

	it('says nothing where nothing is known', () => {
		assert.equal(dataPolicyText(undefined), undefined);
		assert.equal(dataPolicyText({ zeroDataRetention: false }), undefined);
	});
});
