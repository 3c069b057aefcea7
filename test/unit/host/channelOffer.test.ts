import assert from 'node:assert/strict';
import { Encrypted, type EncryptedDependencies } from '../../../src/channel/encrypted.ts';
import type { ChannelConnection } from '../../../src/channel/model/places.ts';
import { testConnection } from '../client/testClient.ts';

describe('the encrypted channels of a connection', () => {
	const offered = (fields: Record<string, unknown>) => {
		const connection = testConnection('https://api.example', fields);
		const active = async () => ({ connection, label: 'Acme' }) as ChannelConnection;
		return new Encrypted({ active } as EncryptedDependencies).offer();
	};

	it('are offered even if there is one alone', async () => {
		const { label, channels, refusal } = await offered({ encryptUrl: 'https://enc.example' });
		assert.deepEqual(
			{ label, addresses: channels.map(({ address }) => address), refusal },
			{
				label: 'Acme',
				addresses: [{}],
				refusal: undefined,
			},
		);
	});

	it('are refused with a sentence if there are none', async () => {
		const { channels, refusal } = await offered({});
		assert.deepEqual(channels, []);
		assert.match(refusal ?? '', /^Acme has no encrypted channel\. /);
	});
});
