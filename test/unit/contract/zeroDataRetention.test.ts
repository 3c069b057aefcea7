import assert from 'node:assert/strict';
import { connectionSchema } from '../../../src/contract/connection.ts';
import { localConnection } from '../../../src/contract/localConnection.ts';
import { zeroDataRetentionOf } from '../../../src/contract/zeroDataRetention.ts';

const connectionOf = (accountZdr?: boolean) => ({
	name: 'test',
	...connectionSchema.parse({
		apiUrl: 'https://api.example',
		service: 'acme',
		...(accountZdr === undefined ? {} : { accountZdr }),
		models: [{ id: 'large' }, { id: 'coder', codeOriented: true }],
		aliases: [
			{ name: 'ours', model: 'coder' },
			{ name: 'discreet', model: 'large', provider: { zdr: true } },
		],
	}),
});

describe('zeroDataRetentionOf', () => {
	for (const [account, zdr, model, inForce, because] of [
		[undefined, undefined, 'large', 'as-account-is-set', 'account'],
		[undefined, false, 'large', 'as-account-is-set', 'account'],
		[undefined, true, 'large', 'yes', 'request'],
		[true, undefined, 'large', 'yes', 'account'],
		[true, false, 'large', 'yes', 'account'],
		[true, true, 'large', 'yes', 'request'],
		[false, undefined, 'large', 'no', 'account'],
		[false, false, 'large', 'no', 'account'],
		[false, true, 'large', 'yes', 'request'],
		[false, false, 'coder', 'yes', 'code-oriented-model'],
		[undefined, undefined, 'ours', 'yes', 'code-oriented-model'],
		[false, undefined, 'unknown', 'no', 'account'],
		[false, undefined, 'discreet', 'yes', 'alias'],
		[false, true, 'discreet', 'yes', 'request'],
		[false, false, 'discreet', 'no', 'account'],
	] as const) {
		it(`says ${inForce} (${because}) for account ${account}, zdr ${zdr}, ${model}`, () => {
			const request = { model, ...(zdr === undefined ? {} : { provider: { zdr } }) };
			assert.deepEqual(zeroDataRetentionOf(connectionOf(account), request, 'responses'), { inForce, because });
		});
	}
});

describe('zero data retention of a code-oriented model', () => {
	it('is not claimed for chat completions, of which the rule does not speak', () => {
		for (const [account, zdr, expected] of [
			[undefined, undefined, { inForce: 'as-account-is-set', because: 'account' }],
			[false, false, { inForce: 'no', because: 'account' }],
			[false, true, { inForce: 'yes', because: 'request' }],
		] as const) {
			const request = { model: 'coder', ...(zdr === undefined ? {} : { provider: { zdr } }) };
			assert.deepEqual(zeroDataRetentionOf(connectionOf(account), request, 'chat'), expected);
		}
	});
});

describe('zero data retention of a request with alternates', () => {
	it('is by the code-oriented model only where no other may serve', () => {
		const request = { model: 'coder', models: ['large'] };
		assert.equal(zeroDataRetentionOf(connectionOf(), request, 'responses').inForce, 'as-account-is-set');
		assert.equal(zeroDataRetentionOf(connectionOf(), { ...request, models: ['ours'] }, 'responses').inForce, 'yes');
	});
});

describe('zero data retention on the local connection', () => {
	it('never hangs on how an account is set, since there is none', () => {
		const of = (zdr?: boolean) =>
			zeroDataRetentionOf(
				localConnection,
				{ model: 'demo', ...(zdr === undefined ? {} : { provider: { zdr } }) },
				'chat',
			);
		assert.deepEqual([of().inForce, of(false).inForce, of(true).inForce], ['no', 'no', 'yes']);
	});
});
