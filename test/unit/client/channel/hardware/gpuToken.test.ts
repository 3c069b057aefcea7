import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import { checkGpuToken } from '../../../../../src/client/channel/hardware/gpuToken.ts';
import { COOLDOWN_MS, MAXIMUM_AGE_MS, MakerKeys } from '../../../../../src/client/channel/hardware/makerKeys.ts';
import type { ReasonCode } from '../../../../../src/client/channel/reason.ts';
import { p384KeyPair } from '../../../../support/contractServer/channelCryptography.ts';
import { FaultServer, sendJson } from '../../../../support/faultServer.ts';
import { type Device, GpuMaker, ISSUER } from '../../../../support/gpuMaker.ts';
import {
	type DetachedFields,
	type DetachedToken,
	detachedToken,
	deviceClaims,
} from '../../../../support/makerTokens.ts';
import type { ManualClock } from '../../../../support/manualClock.ts';
import { testCaller } from '../../testClient.ts';

const maker = new GpuMaker();
const other = p384KeyPair();
const GPUS = [maker.device(), maker.device()] as const;
const SWITCH = maker.device({ chip: 'LS_10' });

describe('the token of the hardware', () => {
	let server: FaultServer;
	let clock: ManualClock;
	let keys: MakerKeys;
	let keySet: unknown;
	let mayAsk: boolean;
	/** The devices whose evidence was verified. */
	let proven: readonly Device[];

	beforeEach(async () => {
		keySet = maker.keySet();
		mayAsk = true;
		proven = GPUS.slice(0, 1);
		server = await FaultServer.start(response => sendJson(response, 200, keySet));
		const caller = testCaller('https://api.example');
		clock = caller.clock as ManualClock;
		keys = new MakerKeys(caller, `${server.origin}/.well-known/jwks.json`);
	});
	afterEach(() => server.stop());

	const authority = () => ({ rootFingerprint: '', issuer: ISSUER, keyAddress: server.origin });
	const check = (value: unknown) =>
		checkGpuToken(value, {
			authority: authority(),
			findKey: id => keys.find(id, () => Promise.resolve(mayAsk), undefined),
			now: clock.now(),
			devices: proven.map(({ chip, serialNumber }) => ({
				id: serialNumber,
				serialNumber,
				isGpu: chip !== SWITCH.chip,
				nonce: Buffer.alloc(32),
			})),
		});

	interface Parts extends Partial<DetachedFields> {
		/** Replaces the claims of each device. */
		device?: Record<string, unknown>;
		/** The devices by name. Without it, there is one GPU, which was proven. */
		devices?: Record<string, Device>;
	}

	function detached({ device, devices = { 'GPU-0': GPUS[0] }, ...parts }: Parts = {}): DetachedToken {
		const { nonce = randomBytes(32), now = clock.now() } = parts;
		const claims = Object.entries(devices).map(([name, own]) => [
			name,
			{ ...deviceClaims(own, nonce, now), ...device },
		]);
		return detachedToken(maker, Object.fromEntries(claims), { ...parts, nonce, now });
	}

	it('holds where the maker signed it and that of every device with a yes, in a list or its text', async () => {
		const nonce = randomBytes(32);
		for (const value of [detached({ nonce }), JSON.stringify(detached({ nonce }))]) {
			const token = await check(value);
			assert.equal(token.finding.verdict, 'pass', token.finding.code);
			assert.deepEqual(token.nonce, nonce);
		}
		assert.deepEqual(
			server.received.map(({ path, headers }) => [path, headers.authorization]),
			[['/.well-known/jwks.json', undefined]],
		);
	});

	it('holds for several GPUs', async () => {
		proven = GPUS.slice(0, 2);
		const { finding } = await check(detached({ devices: { 'GPU-0': GPUS[0], 'GPU-1': GPUS[1] } }));
		assert.equal(finding.verdict, 'pass', finding.code);
		assert.deepEqual([finding.code, finding.values], ['token-yes-many', ['2']]);
	});

	const SECONDS = () => Math.floor(clock.now() / 1000);
	const hmac = (token: string) => {
		const [, claims] = token.split('.');
		const header = Buffer.from(JSON.stringify({ alg: 'HS256', kid: maker.keyId })).toString('base64url');
		const key = maker.tokenKey.publicKey.export({ type: 'spki', format: 'pem' });
		return `${header}.${claims}.${createHmac('sha256', key).update(`${header}.${claims}`).digest('base64url')}`;
	};
	const unsigned = (token: string) => {
		const [, claims] = token.split('.');
		return `${Buffer.from(JSON.stringify({ alg: 'none', kid: maker.keyId })).toString('base64url')}.${claims}.`;
	};
	const asUnknown: Record<string, [() => unknown, ReasonCode]> = {
		nothing: [() => undefined, 'token-none'],
		'a text that is no token': [() => 'head.claims.signature', 'token-form'],
		'a list of another form': [() => [['JWT', 7], {}], 'token-form'],
		'a text that begins as a list': [() => '[x', 'token-form'],
		'an object in a list': [() => [{}], 'token-form'],
		'more devices than a machine has': [
			() => [['JWT', ''], Object.fromEntries(Array.from({ length: 65 }, (_, index) => [`GPU-${index}`, '']))],
			'token-form',
		],
		'one of another issuer': [() => detached({ overall: { iss: 'https://other.example' } }), 'token-self-issued'],
		'one without a signature': [() => withOverall(unsigned), 'token-self-issued'],
		'one signed with HS256 and the public key': [() => withOverall(hmac), 'token-self-issued'],
		'one alone, without those of the devices': [() => detached()[0][1], 'token-without-devices'],
		'one without a key’s id': [() => detached({ overallOptions: { header: { kid: undefined } } }), 'token-without-key'],
		'one with the id of a key that is not there': [
			() => detached({ overallOptions: { header: { kid: 'forged' }, key: other.privateKey } }),
			'token-key-unlisted',
		],
		'one that demands what is not understood': [
			() => detached({ overallOptions: { header: { crit: ['b64'], b64: false } } }),
			'token-form',
		],
		'one that has expired': [() => detached({ overall: { exp: SECONDS() - 61 } }), 'token-expired'],
		'one of a device that has expired': [() => detached({ device: { exp: SECONDS() - 61 } }), 'token-expired'],
		'one without an end': [() => detached({ overall: { exp: undefined } }), 'token-without-time'],
		'one from the future': [() => detached({ overall: { iat: SECONDS() + 120 } }), 'token-too-early'],
		'one that is not valid yet': [() => detached({ overall: { nbf: SECONDS() + 120 } }), 'token-too-early'],
		'one that names no devices in a known way': [
			() => detached({ overall: { submods: { 'GPU-0': 7 } } }),
			'token-form',
		],
		'one without a nonce': [
			() => detached({ overall: { eat_nonce: undefined }, device: { eat_nonce: undefined } }),
			'token-form',
		],
		'one that does not say yes or no': [
			() => detached({ overall: { 'x-nvidia-overall-att-result': undefined } }),
			'token-form',
		],
	};
	for (const [what, [value, code]] of Object.entries(asUnknown)) {
		it(`is unknown as ${what}`, async () => {
			const { finding, nonce } = await check(value());
			assert.equal(finding.verdict, 'unknown', finding.code);
			assert.equal(finding.code, code);
			assert.equal(nonce, undefined);
		});
	}

	it('sends no question about a token that by its own words the maker did not sign', async () => {
		await check(withOverall(hmac));
		await check(detached({ overall: { iss: 'https://other.example' } }));
		assert.equal(server.received.length, 0);
	});

	const asFailed: Record<string, () => unknown> = {
		'with another key’s signature': () => detached({ overallOptions: { key: other.privateKey } }),
		'with a key of its own in the header': () =>
			detached({
				overallOptions: { key: other.privateKey, header: { jwk: other.publicKey.export({ format: 'jwk' }) } },
			}),
		'with an address for keys in the header': () =>
			detached({ overallOptions: { key: other.privateKey, header: { jku: `${server.origin}/mine` } } }),
		'with a device’s signature by another key': () =>
			detached({ deviceOptions: { 'GPU-0': { key: other.privateKey } } }),
		'with claims that were changed': () => {
			const value = detached();
			const [head = '', , signature = ''] = value[0][1].split('.');
			const claims = Buffer.from(JSON.stringify({ iss: ISSUER, 'x-nvidia-overall-att-result': true })).toString(
				'base64url',
			);
			value[0][1] = [head, claims, signature].join('.');
			return value;
		},
		'with a no': () => detached({ overall: { 'x-nvidia-overall-att-result': false } }),
		'with the text true for a yes': () => detached({ overall: { 'x-nvidia-overall-att-result': 'true' } }),
		'with a no that has expired': () =>
			detached({ overall: { 'x-nvidia-overall-att-result': false, exp: SECONDS() - 61 } }),
		'with a no that came alone': () => detached({ overall: { 'x-nvidia-overall-att-result': false } })[0][1],
		'with a device missing': () => {
			const [overall, { 'GPU-1': _, ...devices }] = detached({ devices: { 'GPU-0': GPUS[0], 'GPU-1': GPUS[1] } });
			return [overall, devices];
		},
		'with a device more': () => {
			const [overall, devices] = detached();
			return [overall, { ...devices, 'GPU-1': devices['GPU-0'] }];
		},
		'with two devices swapped': () => {
			const devices = { 'GPU-0': GPUS[0], 'GPU-1': GPUS[1] };
			const [overall, { 'GPU-0': first, 'GPU-1': second }] = detached({ devices });
			return [overall, { 'GPU-0': second, 'GPU-1': first }];
		},
		'with the token of a device of another time': () => [detached()[0], detached()[1]],
		'without any device': () => detached({ devices: {} }),
		'of switches alone': () => {
			proven = [SWITCH];
			return detached({ devices: { 'SWITCH-0': SWITCH } });
		},
		'of a device that was measured otherwise': () => detached({ device: { measres: 'fail' } }),
		'of a device that was not measured': () => detached({ device: { measres: undefined } }),
		'of a device that did not start securely': () => detached({ device: { secboot: false } }),
		'of a device that is open to a debugger': () => detached({ device: { dbgstat: 'enabled' } }),
		'of a device whose report is not signed': () =>
			detached({ device: { 'x-nvidia-gpu-attestation-report-signature-verified': false } }),
		'of a device whose certificate was revoked': () =>
			detached({
				device: {
					'x-nvidia-gpu-attestation-report-cert-chain': {
						'x-nvidia-cert-status': 'valid',
						'x-nvidia-cert-ocsp-status': 'revoked',
					},
				},
			}),
		'of a device that was asked with another nonce': () => detached({ device: { eat_nonce: '00'.repeat(32) } }),
	};
	for (const [what, value] of Object.entries(asFailed)) {
		it(`fails ${what}`, async () => {
			const { finding, nonce } = await check(value());
			assert.equal(finding.verdict, 'fail', finding.code);
			assert.equal(nonce, undefined);
			assert.ok(server.received.every(({ path }) => path === '/.well-known/jwks.json'));
		});
	}

	it('takes clocks that differ by less than a minute', async () => {
		const { finding } = await check(detached({ overall: { iat: SECONDS() + 50, nbf: SECONDS() + 50 } }));
		assert.equal(finding.verdict, 'pass', finding.code);
		assert.equal((await check(detached({ overall: { exp: SECONDS() - 50 } }))).finding.verdict, 'pass');
	});

	describe('is unknown where the maker’s keys', () => {
		it('may not be asked for, and asks nobody', async () => {
			mayAsk = false;
			const { finding } = await check(detached());
			assert.equal(finding.verdict, 'unknown');
			assert.equal(finding.code, 'token-keys-declined');
			assert.equal(server.received.length, 0);
			mayAsk = true;
			assert.equal((await check(detached())).finding.verdict, 'pass');
		});

		for (const [what, set] of Object.entries({
			'are of another kind': { keys: [{ ...maker.keySet().keys[0], crv: 'P-256' }] },
			'are for encryption': { keys: [{ ...maker.keySet().keys[0], use: 'enc' }] },
			'lie off the curve': { keys: [{ ...maker.keySet().keys[0], y: Buffer.alloc(48, 1).toString('base64url') }] },
			'share their id': { keys: [...maker.keySet().keys, ...maker.keySet().keys] },
			'are an empty set': { keys: [] },
		})) {
			it(what, async () => {
				keySet = set;
				const { finding } = await check(detached());
				assert.equal(finding.verdict, 'unknown', finding.code);
				assert.equal(finding.code, 'token-key-unlisted');
			});
		}

		for (const [what, answer] of Object.entries<FaultServer['answer']>({
			'are no set': response => sendJson(response, 200, { keys: 7 }),
			'are not there': response => sendJson(response, 404, {}),
			'are somewhere else': response => void response.writeHead(302, { location: '/elsewhere' }).end(),
			'are too many': response => sendJson(response, 200, { keys: [], more: 'x'.repeat(600 * 1024) }),
			'come over a connection that breaks': response => void response.destroy(),
		})) {
			it(what, async () => {
				server.answer = answer;
				const { finding } = await check(detached());
				assert.equal(finding.verdict, 'unknown', finding.code);
				assert.equal(finding.code, 'token-keys-unreachable');
				assert.ok(server.received.every(({ path }) => path === '/.well-known/jwks.json'));
			});
		}
	});

	it('asks for keys again where one is not known, but not within a minute of the last time', async () => {
		keySet = { keys: [] };
		assert.equal((await check(detached())).finding.verdict, 'unknown');
		keySet = maker.keySet();
		assert.equal((await check(detached())).finding.verdict, 'unknown');
		assert.equal(server.received.length, 1);
		clock.pass(COOLDOWN_MS - 1);
		assert.equal((await check(detached())).finding.verdict, 'unknown');
		clock.pass(1);
		assert.equal((await check(detached())).finding.verdict, 'pass');
		assert.equal((await check(detached())).finding.verdict, 'pass');
		assert.equal(server.received.length, 2);
	});

	it('takes no key for longer than a day that the maker may have withdrawn', async () => {
		assert.equal((await check(detached())).finding.verdict, 'pass');
		keySet = { keys: [] };
		clock.pass(MAXIMUM_AGE_MS - 1);
		assert.equal((await check(detached())).finding.verdict, 'pass');
		clock.pass(1);
		assert.equal((await check(detached())).finding.code, 'token-key-unlisted');
		assert.equal(server.received.length, 2);
		keySet = 'none';
		clock.pass(COOLDOWN_MS);
		assert.equal((await check(detached())).finding.code, 'token-keys-unreachable');
	});

	it('asks once for the keys that several look for at a time, and all of them get the answer', async () => {
		let questions = 0;
		const ask = () => {
			questions++;
			return Promise.resolve(true);
		};
		const found = await Promise.all([1, 2, 3].map(() => keys.find(maker.keyId, ask, undefined)));
		assert.deepEqual(
			found.map(key => typeof key),
			['object', 'object', 'object'],
		);
		assert.deepEqual([questions, server.received.length], [1, 1]);
	});

	it('asks again at once after a look that was aborted, and asks nothing for one that is over before its turn', async () => {
		const { answer } = server;
		const controller = new AbortController();
		server.answer = () => controller.abort();
		const yes = () => Promise.resolve(true);
		const outcomes = [yes, () => assert.fail('asked')].map(ask =>
			assert.rejects(keys.find(maker.keyId, ask, controller.signal), { code: 'aborted' }),
		);
		await Promise.all(outcomes);
		server.answer = answer;
		assert.equal(typeof (await keys.find(maker.keyId, yes, undefined)), 'object');
	});

	function withOverall(change: (token: string) => string): DetachedToken {
		const [[kind, overall], devices] = detached();
		return [[kind, change(overall)], devices];
	}
});
