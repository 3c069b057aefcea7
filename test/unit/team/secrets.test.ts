import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { UserFacingError } from '../../../src/base/errors.ts';
import { Secrets } from '../../../src/team/secrets.ts';

const newKey = () => randomBytes(32).toString('base64');

describe('the secrets of a service for a team', () => {
	it('open for their owner alone, and never stand in the clear', () => {
		const secrets = new Secrets(newKey());
		const sealed = secrets.seal('token-of-a-host', 'ada/github');
		assert.equal(secrets.open(sealed, 'ada/github'), 'token-of-a-host');
		assert.ok(!sealed.bytes.includes('token-of-a-host'));
		assert.notDeepEqual(secrets.seal('token-of-a-host', 'ada/github').bytes, sealed.bytes);
		assert.throws(() => secrets.open(sealed, 'bob/github'), UserFacingError);
	});

	it('are refused when a single byte of them was changed, or some are missing', () => {
		const secrets = new Secrets(newKey());
		const { keyId, bytes } = secrets.seal('token', 'ada/github');
		for (let index = 0; index < bytes.length; index++) {
			const changed = Buffer.from(bytes);
			changed[index] = (changed[index] ?? 0) ^ 1;
			assert.throws(() => secrets.open({ keyId, bytes: changed }, 'ada/github'), UserFacingError);
			assert.throws(() => secrets.open({ keyId, bytes: bytes.subarray(0, index) }, 'ada/github'), UserFacingError);
		}
	});

	it('open with an old key that stands behind the current one, and without it name the key that is missing', () => {
		const [old, current] = [newKey(), newKey()];
		const sealed = new Secrets(old).seal('token', 'ada/github');
		const both = new Secrets(`${current}, ${old}`);
		assert.equal(both.open(sealed, 'ada/github'), 'token');
		const anew = both.seal('token', 'ada/github');
		assert.equal(anew.keyId, both.current);
		assert.equal(new Secrets(current).open(anew, 'ada/github'), 'token');
		assert.throws(() => new Secrets(current).open(sealed, 'ada/github'), new RegExp(sealed.keyId));
	});

	it('need a key of 32 bytes', () => {
		for (const text of [undefined, '', ' , ', 'c2hvcnQ=', `${newKey()},c2hvcnQ=`]) {
			assert.throws(() => new Secrets(text), /ERRAND_SERVICE_KEYS/);
		}
	});
});
