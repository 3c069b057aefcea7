import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { importJWK, type JWK } from 'jose';
import { GPU_MAKER } from '../../../../../src/client/channel/hardware/authority.ts';
import { checkGpuEvidence } from '../../../../../src/client/channel/hardware/gpuEvidence.ts';
import { checkGpuToken } from '../../../../../src/client/channel/hardware/gpuToken.ts';
import { FIRMWARE_FIELD, readSpdmReport } from '../../../../../src/client/channel/hardware/spdmReport.ts';
import { readCertificates } from '../../../../../src/crypto/certificate.ts';
import { fingerprint } from '../../../../../src/crypto/digest.ts';
import { GpuMaker, ISSUER } from '../../../../support/gpuMaker.ts';
import { type ClaimsVersion, detachedToken, deviceClaims } from '../../../../support/makerTokens.ts';

type Claims = Record<string, unknown>;

const folder = path.resolve(import.meta.dirname, '../../../../../../shared/testdata/attestation');
const read = (name: string) => readFileSync(path.join(folder, name), 'utf8');
const hex = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString('hex');
const NOW = Date.UTC(2026, 0, 1);

/** They are not part of the project: its own tests make evidence of their own. */
describe('the GPU maker’s published samples', () => {
	before(function () {
		if (!existsSync(folder)) {
			this.skip();
		}
	});

	it('end at the pinned root', async () => {
		const [root] = readCertificates(read('verifier_device_root.pem'));
		assert.ok(root);
		assert.equal(await fingerprint(root.bytes), GPU_MAKER.rootFingerprint);
	});

	it('hold as evidence, in the list and as report and chain', async () => {
		const nonce = '931d8dd0add203ac3d8b4fbde75e115278eefcdceac5b87671a748f32364dfcb';
		const parts = [
			{
				arch: 'HOPPER',
				certificate: Buffer.from(read('hopperCertChain.txt')).toString('base64'),
				evidence: Buffer.from(read('hopperAttestationReport.txt').trim(), 'hex').toString('base64'),
				nonce,
			},
		];
		for (const report of [JSON.stringify(parts), read('hopper_evidence.json')]) {
			const { finding, devices } = await checkGpuEvidence(report, GPU_MAKER, NOW);
			assert.equal(finding.verdict, 'pass', finding.code);
			assert.equal(devices.length, 1);
		}
		const { finding } = await checkGpuEvidence(
			JSON.stringify([{ ...parts[0], nonce: '00'.repeat(32) }]),
			GPU_MAKER,
			NOW,
		);
		assert.equal(finding.verdict, 'fail');
	});

	it('hold for a GPU that the maker has put on hold, because the maker was not asked, which is said', async () => {
		const { finding } = await checkGpuEvidence(read('hopper_evidence_cert_hold.json'), GPU_MAKER, NOW);
		assert.deepEqual([finding.verdict, finding.code], ['pass', 'evidence-genuine']);
	});

	it('hold for a switch beside a GPU, and never for a switch alone', async () => {
		const pieces = ['switch_evidence_ls10.json', 'hopper_evidence.json'].flatMap(name => JSON.parse(read(name)));
		const { finding, devices } = await checkGpuEvidence(JSON.stringify(pieces), GPU_MAKER, NOW);
		assert.deepEqual([finding.verdict, finding.code], ['pass', 'evidence-genuine']);
		assert.deepEqual(
			devices.map(({ isGpu, serialNumber }) => [isGpu, serialNumber]),
			[
				[false, '694931143880983876767046803400974855445978836716'],
				[true, '655333107904478077882826344426270545524203067314'],
			],
		);
		const alone = await checkGpuEvidence(JSON.stringify(pieces.slice(0, 1)), GPU_MAKER, NOW);
		assert.deepEqual([alone.finding.verdict, alone.finding.code], ['fail', 'evidence-switches']);
	});

	it('are read to what the maker’s own parser finds', () => {
		const report = readSpdmReport(Buffer.from(read('hopperAttestationReport.txt').trim(), 'hex'));
		assert.equal(report.signature.length, 96);
		const [leaf] = readCertificates(read('hopperCertChain.txt'));
		assert.equal(hex(report.opaque.get(FIRMWARE_FIELD)), hex(leaf?.firmware));
	});

	describe('of what tokens say', () => {
		const maker = new GpuMaker();
		const claimsIn = (name: string): Claims => JSON.parse(read(name));
		const SETS: { what: string; version: ClaimsVersion; device(): Claims; policy?: string }[] = [
			{
				what: 'a GPU in version 2.0',
				version: '2.0',
				device: () => claimsIn('gpu_detached_claims_remote.json'),
				policy: 'NVGPURemotePolicy_claims_2.0.json',
			},
			{
				what: 'a GPU in version 3.0',
				version: '3.0',
				device: () => claimsIn('hopperClaimsv3_decoded.json')['GPU-0'] as Claims,
				policy: 'policy-remote-v4.json',
			},
			{
				what: 'a switch in version 2.0',
				version: '2.0',
				device: () => claimsIn('switch_detached_claims_remote.json'),
			},
		];

		/** Resolves with the finding on these claims when the stand-in maker signs them now, beside those of a GPU. */
		async function findingOf(claims: Claims, version: ClaimsVersion) {
			const nonce = Buffer.from(String(claims['eat_nonce']), 'hex');
			const gpu = maker.device();
			const isGpu = Object.keys(claims).some(claim => claim.startsWith('x-nvidia-gpu'));
			const { iss: _, iat: __, nbf: ___, exp: ____, ...own } = claims;
			const times = { iat: NOW / 1000, exp: NOW / 1000 + 60 };
			const token = detachedToken(
				maker,
				{ 'GPU-0': deviceClaims(gpu, nonce, NOW, version), [isGpu ? 'GPU-1' : 'SWITCH-0']: { ...own, ...times } },
				{ nonce, now: NOW, version },
			);
			const devices = [
				{ serialNumber: gpu.serialNumber, isGpu: true },
				{ serialNumber: String(claims['ueid']), isGpu },
			];
			const { finding } = await checkGpuToken(token, {
				authority: { ...GPU_MAKER, issuer: ISSUER },
				findKey: () => importJWK(maker.keySet().keys[0] as JWK, 'ES384'),
				now: NOW,
				devices: devices.map(device => ({ ...device, id: device.serialNumber, nonce })),
			});
			return finding;
		}

		for (const { what, version, device, policy } of SETS) {
			it(`are a yes for ${what}`, async () => {
				const finding = await findingOf(device(), version);
				assert.equal(finding.verdict, 'pass', `${finding.code} ${finding.values}`);
			});

			if (policy !== undefined) {
				it(`are no yes for ${what} without any single claim of the maker’s policy, or with another one`, async () => {
					const rules = (claimsIn(policy)['authorization-rules'] as Claims)['detached-claims'] as Claims;
					const claims = device();
					assert.ok(Object.keys(rules).length > 15);
					for (const [claim, rule] of Object.entries(rules)) {
						const fields = typeof rule === 'object' && rule !== null ? Object.keys(rule) : [undefined];
						for (const field of fields) {
							for (const value of [undefined, false]) {
								const changed = field === undefined ? value : { ...(claims[claim] as Claims), [field]: value };
								const { verdict, code, values } = await findingOf({ ...claims, [claim]: changed }, version);
								const isNo = value === false || claim === 'measres';
								assert.equal(verdict, isNo ? 'fail' : 'unknown', `${claim} ${field}: ${code}`);
								assert.equal(values?.[1], field === undefined ? claim : `${claim}.${field}`);
							}
						}
					}
				});
			}
		}

		it('name the devices of the samples by the numbers of their certificates', async () => {
			const claims = claimsIn('hopperClaimsv3_decoded.json')['GPU-0'] as Claims;
			const [leaf] = readCertificates(read('hopperCertChain.txt'));
			assert.equal(String(leaf?.serialNumber), claims['ueid']);
		});
	});

	it('leave a token unknown whose key is no longer listed', async () => {
		const { finding } = await checkGpuToken(JSON.parse(read('hopperClaimsv3_detached_eat.json')), {
			authority: GPU_MAKER,
			findKey: () => Promise.resolve('not-there'),
			now: NOW,
			devices: [],
		});
		assert.equal(finding.verdict, 'unknown');
		assert.equal(finding.code, 'token-key-unlisted');
	});
});
