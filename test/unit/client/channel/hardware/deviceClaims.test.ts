import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { importJWK, type JWK } from 'jose';
import { checkGpuToken } from '../../../../../src/client/channel/hardware/gpuToken.ts';
import { p384KeyPair } from '../../../../support/contractServer/channelCryptography.ts';
import { type Device, GpuMaker, ISSUER } from '../../../../support/gpuMaker.ts';
import {
	type ClaimsVersion,
	type DetachedFields,
	type DetachedToken,
	detachedToken,
	deviceClaims,
} from '../../../../support/makerTokens.ts';

type Claims = Record<string, unknown>;

const maker = new GpuMaker();
const [FIRST, SECOND, THIRD] = [maker.device(), maker.device(), maker.device({ chip: 'GB100' })] as const;
const SWITCH = maker.device({ chip: 'LS_10' });
const NOW = Date.UTC(2026, 0, 1);
const nonce = randomBytes(32);
const HOLD = "THE CERTIFICATE HCC RIM L4 Signer IS REVOKED WITH THE STATUS AS 'CERTIFICATE_HOLD'.";

describe('what the token of the hardware says of devices', () => {
	/** Held against the evidence of devices. */
	async function check(token: DetachedToken, proven: readonly Device[]) {
		const authority = { rootFingerprint: '', issuer: ISSUER, keyAddress: `${ISSUER}/keys` };
		const { finding, nonce: signed } = await checkGpuToken(token, {
			authority,
			findKey: async id => (id === maker.keyId ? importJWK(maker.keySet().keys[0] as JWK, 'ES384') : 'not-there'),
			now: NOW,
			devices: proven.map(({ chip, serialNumber }) => ({
				id: serialNumber,
				serialNumber,
				isGpu: chip !== SWITCH.chip,
				nonce,
			})),
		});
		assert.equal(signed !== undefined, finding.verdict === 'pass', finding.code);
		return finding;
	}
	const token = (claims: Record<string, Claims>, fields: Partial<DetachedFields> = {}) =>
		detachedToken(maker, claims, { nonce, now: NOW, ...fields });
	const claimsOf = (device: Device, changes: Claims = {}, version?: ClaimsVersion): Claims => ({
		...deviceClaims(device, nonce, NOW, version),
		...changes,
	});
	const PAIR = { 'GPU-0': claimsOf(FIRST), 'GPU-1': claimsOf(SECOND) };
	const UNLISTED = { header: { kid: 'unlisted' } };
	/** Checks the token of one GPU for which there is evidence. */
	const checkOne = (changes: Claims, fields: Partial<DetachedFields> = {}) =>
		check(token({ 'GPU-0': claimsOf(FIRST, changes, fields.version) }, fields), [FIRST]);

	for (const version of ['2.0', '3.0'] as const) {
		describe(`in version ${version}`, () => {
			const devices = { 'GPU-0': FIRST, 'GPU-1': THIRD, 'SWITCH-0': SWITCH };
			const proven = Object.values(devices);
			const all = Object.fromEntries(
				Object.entries(devices).map(([name, device]) => [name, claimsOf(device, {}, version)]),
			);

			it('is a yes for GPUs with switches beside them, in whatever order the evidence came', async () => {
				for (const order of [proven, [...proven].reverse()]) {
					const finding = await check(token(all, { version }), order);
					assert.equal(finding.verdict, 'pass', finding.code);
					assert.deepEqual([finding.code, finding.values], ['token-yes-many', ['2']]);
				}
			});

			for (const [name, count] of [
				['GPU-1', { '2.0': 22, '3.0': 28 }],
				['SWITCH-0', { '2.0': 16, '3.0': 20 }],
			] as const) {
				const own = claimsOf(devices[name], {}, version);
				/** The path of each claim that may not be missing. */
				const required = Object.entries(own).flatMap(([claim, value]) => {
					if (value === true || ['measres', 'dbgstat', 'hwmodel', 'ueid', 'eat_nonce'].includes(claim)) {
						return [[claim]];
					}
					const isChain = typeof value === 'object' && value !== null;
					return isChain ? ['x-nvidia-cert-status', 'x-nvidia-cert-ocsp-status'].map(field => [claim, field]) : [];
				});
				/** Returns the finding for a device with another value at a path, beside a GPU of which all is well. */
				function findingWith([claim = '', field]: readonly string[], value: unknown) {
					const changed = field === undefined ? value : { ...(own[claim] as object), [field]: value };
					const claims = { 'GPU-0': all['GPU-0'] ?? {}, [name]: { ...own, [claim]: changed } };
					return check(token(claims, { version }), [FIRST, devices[name]]);
				}

				it(`is no yes without any single one of the claims of ${name}`, async () => {
					assert.equal(required.length, count[version]);
					for (const path of required) {
						const [claim = ''] = path;
						for (const nothing of [undefined, null]) {
							const finding = await findingWith(path, nothing);
							if (['measres', 'eat_nonce'].includes(claim)) {
								assert.equal(finding.verdict, 'fail', claim);
							} else {
								assert.deepEqual([finding.verdict, finding.code], ['unknown', 'token-device-silent'], claim);
								assert.deepEqual(finding.values, [name, path.join('.')]);
							}
						}
					}
				});

				it(`fails where any single one of the claims of ${name} is not as it should be`, async () => {
					for (const path of required) {
						const [claim = ''] = path;
						for (const value of [false, 'true', 1, 'revoked', {}]) {
							const finding = await findingWith(path, value);
							const what = `${path.join('.')}: ${JSON.stringify(value)}`;
							assert.notEqual(finding.verdict, 'pass', what);
							if (!['hwmodel', 'ueid', 'eat_nonce'].includes(claim)) {
								assert.deepEqual([finding.verdict, finding.code], ['fail', 'token-device-no'], what);
								assert.deepEqual(finding.values, [name, path.join('.')]);
							}
						}
					}
				});

				it(`is no yes where the certificates of ${name} are no list of their states`, async () => {
					for (const [claim = ''] of required.filter(([, field]) => field !== undefined)) {
						for (const value of [false, true, 'revoked', 'good', [], {}, undefined, null]) {
							const finding = await findingWith([claim], value);
							assert.notEqual(finding.verdict, 'pass', `${claim}: ${JSON.stringify(value)}`);
						}
					}
				});
			}

			it('is no yes by the claims of the other version', async () => {
				const other = claimsOf(FIRST, {}, version === '2.0' ? '3.0' : '2.0');
				const finding = await check(token({ 'GPU-0': other }, { version }), [FIRST]);
				assert.deepEqual([finding.verdict, finding.code], ['unknown', 'token-device-silent']);
			});

			for (const claim of [
				'x-nvidia-gpu-attestation-report-cert-chain-validated',
				'x-nvidia-gpu-driver-rim-cert-validated',
				'x-nvidia-gpu-vbios-rim-version-match',
				'x-nvidia-switch-bios-rim-cert-validated',
			]) {
				it(`fails with a no in ${claim}, whichever version and kind has that claim`, async () => {
					const finding = await checkOne({ [claim]: false }, { version });
					assert.deepEqual([finding.verdict, finding.code], ['fail', 'token-device-no']);
					assert.deepEqual(finding.values, ['GPU-0', claim]);
				});
			}
		});
	}

	for (const [claim, value] of [
		['x-nvidia-attestation-warning', HOLD],
		['x-nvidia-error-details', { code: 4010, message: 'NONCE_NOT_MATCHING' }],
		['x-nvidia-mismatch-measurement-records', [{ index: 9 }]],
		['x-nvidia-mismatch-indexes', [9]],
	] as const) {
		it(`fails with anything in ${claim}, and says what, of a device or of all`, async () => {
			const ofDevice = await checkOne({ [claim]: value });
			assert.deepEqual([ofDevice.verdict, ofDevice.code], ['fail', 'token-device-no']);
			assert.deepEqual(ofDevice.values, ['GPU-0', claim]);
			const ofAll = await checkOne({}, { overall: { [claim]: value } });
			assert.deepEqual([ofAll.verdict, ofAll.code], ['fail', 'token-no']);
			for (const { input } of [ofDevice, ofAll]) {
				assert.equal(input, `${claim}: ${JSON.stringify(value)}`);
			}
		});

		it(`takes nothing in ${claim} for nothing`, async () => {
			for (const nothing of [undefined, null, '', []]) {
				const finding = await checkOne({ [claim]: nothing }, { overall: { [claim]: nothing } });
				assert.equal(finding.verdict, 'pass', finding.code);
			}
		});
	}

	it('is unknown in a version that is not known, and says which', async () => {
		for (const version of ['4.0', '2', 2, null, undefined]) {
			const finding = await checkOne({}, { overall: { 'x-nvidia-ver': version } });
			assert.deepEqual([finding.verdict, finding.code], ['unknown', 'token-version']);
			assert.equal(finding.input, `x-nvidia-ver: ${JSON.stringify(version)}`);
		}
	});

	describe('fails', () => {
		const cases: Record<string, () => ReturnType<typeof check>> = {
			'with a no in a version that is not known': () =>
				checkOne({ secboot: false }, { overall: { 'x-nvidia-ver': '4.0' } }),
			'with a no that has expired': () => checkOne({ measres: 'fail', exp: NOW / 1000 - 61 }),
			'with a no of one device where another one leaves something out': () => {
				const silent = claimsOf(FIRST, { secboot: undefined });
				return check(token({ 'GPU-0': silent, 'GPU-1': claimsOf(SECOND, { secboot: false }) }), [FIRST, SECOND]);
			},
			'where somebody else signed for one device and the key for another one is not there': () => {
				const deviceOptions = { 'GPU-0': UNLISTED, 'GPU-1': { key: p384KeyPair().privateKey } };
				return check(token(PAIR, { deviceOptions }), [FIRST, SECOND]);
			},
			'with a switch under the name of a GPU': () => check(token({ 'GPU-0': claimsOf(SWITCH) }), [SWITCH]),
			'with the model of a switch under the name of a GPU': () => checkOne({ hwmodel: 'LS_10 A01 FSP BROM' }),
			'with a GPU under the name of a switch': () =>
				check(token({ 'GPU-0': claimsOf(FIRST), 'SWITCH-0': claimsOf(SECOND) }), [FIRST, SECOND]),
			'with a GPU under a name of no kind': () =>
				check(token({ 'GPU-0': claimsOf(FIRST), 'X-0': claimsOf(SECOND) }), [FIRST, SECOND]),
		};
		for (const [what, run] of Object.entries(cases)) {
			it(what, async () => {
				const { verdict, code } = await run();
				assert.equal(verdict, 'fail', code);
			});
		}
	});

	describe('fails as about other hardware than the evidence', () => {
		const cases: Record<string, [DetachedToken, readonly Device[]]> = {
			'where it is another GPU': [token({ 'GPU-0': claimsOf(SECOND) }), [FIRST]],
			'where one of several is another GPU': [token(PAIR), [FIRST, THIRD]],
			'where it is more GPUs': [token(PAIR), [FIRST]],
			'where it is fewer GPUs': [token({ 'GPU-0': claimsOf(FIRST) }), [FIRST, SECOND]],
			'where it is one GPU twice': [token({ ...PAIR, 'GPU-1': claimsOf(FIRST) }), [FIRST, SECOND]],
			'where it is one GPU more, without a number': [
				token({ ...PAIR, 'GPU-1': claimsOf(SECOND, { ueid: undefined }) }),
				[FIRST],
			],
			'where a switch is more': [token({ 'GPU-0': claimsOf(FIRST), 'SWITCH-0': claimsOf(SWITCH) }), [FIRST]],
			'where a switch is missing': [token({ 'GPU-0': claimsOf(FIRST) }), [FIRST, SWITCH]],
			'where a GPU has the number of a switch': [
				token({
					'GPU-0': claimsOf(FIRST, { ueid: SWITCH.serialNumber }),
					'SWITCH-0': claimsOf(SWITCH, { ueid: FIRST.serialNumber }),
				}),
				[FIRST, SWITCH],
			],
			'where its number is spelled otherwise': [
				token({ 'GPU-0': claimsOf(FIRST, { ueid: `0${FIRST.serialNumber}` }) }),
				[FIRST],
			],
		};
		for (const [what, [value, proven]] of Object.entries(cases)) {
			it(what, async () => {
				const { verdict, code } = await check(value, proven);
				assert.deepEqual([verdict, code], ['fail', 'token-other-hardware']);
			});
		}
	});

	describe('is unknown', () => {
		const cases: Record<string, [code: string, () => ReturnType<typeof check>]> = {
			'where no evidence came with it': ['token-untied', () => check(token({ 'GPU-0': claimsOf(FIRST) }), [])],
			'with a number that is no text': ['token-device-silent', () => checkOne({ ueid: Number(FIRST.serialNumber) })],
			'with a model that is not known': ['token-device-kind', () => checkOne({ hwmodel: 'QX100 A01 GSP BROM' })],
			'with a model that only begins as a GPU’s': ['token-device-kind', () => checkOne({ hwmodel: 'GH100X-LS_10' })],
			'where the key for one of its devices is not there': [
				'token-key-unlisted',
				() => check(token(PAIR, { deviceOptions: { 'GPU-0': UNLISTED } }), [FIRST, SECOND]),
			],
		};
		for (const [what, [expected, run]] of Object.entries(cases)) {
			it(what, async () => {
				const { verdict, code } = await run();
				assert.deepEqual([verdict, code], ['unknown', expected]);
			});
		}
	});
});
