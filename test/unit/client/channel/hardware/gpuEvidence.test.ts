import assert from 'node:assert/strict';
import { randomBytes, X509Certificate } from 'node:crypto';
import { checkGpuEvidence } from '../../../../../src/client/channel/hardware/gpuEvidence.ts';
import { p384KeyPair } from '../../../../support/contractServer/channelCryptography.ts';
import { der, identifier, integer, sequence } from '../../../../support/derWriter.ts';
import {
	type CertificateFields,
	type Device,
	deviceName,
	type Evidence,
	extension,
	GpuMaker,
	ISSUER,
	pemOf,
} from '../../../../support/gpuMaker.ts';

const maker = new GpuMaker();
const impostor = new GpuMaker();
const gpu = maker.device();
const authority = { rootFingerprint: maker.rootFingerprint, issuer: ISSUER, keyAddress: `${ISSUER}/keys` };
const NOW = Date.UTC(2026, 0, 1);

const check = (entries: unknown, now = NOW) => checkGpuEvidence(JSON.stringify(entries), authority, now);
const base64 = (text: string | Uint8Array) => Buffer.from(text).toString('base64');
const withChain = (chain: readonly Uint8Array[]): Partial<Evidence> => ({ certificate: base64(pemOf(chain)) });
const changed = (index: number, fields: Partial<CertificateFields>): Device =>
	maker.device({ change: (own, place) => (place === index ? { ...own, ...fields } : own) });

/** A device with the name of another chip on some of its own certificates, which are at these places of the chain. */
function renamed(chip: string, other: string, ...places: (0 | 1)[]): Device {
	const texts = [`${other} A01 GSP FMC LF`, `${other} A01 GSP BROM`];
	const names = texts.map((text, place) => (places.some(own => own === place) ? deviceName(text) : undefined));
	return maker.device({
		chip,
		change: (own, index) => ({
			...own,
			subject: names[index] ?? own.subject,
			issuer: names[index + 1] ?? own.issuer,
		}),
	});
}

describe('the evidence of a GPU', () => {
	it('is made of certificates that another implementation takes too', () => {
		const chain = gpu.chain.map(bytes => new X509Certificate(bytes));
		for (const [index, certificate] of chain.entries()) {
			const issuer = chain[index + 1] ?? certificate;
			assert.ok(certificate.checkIssued(issuer));
			assert.ok(certificate.verify(issuer.publicKey));
		}
		assert.equal(String(BigInt(`0x${chain[0]?.serialNumber}`)), gpu.serialNumber);
	});

	it('is genuine where the chain ends at the maker’s root and the device signed the report', async () => {
		const nonce = randomBytes(32);
		const { finding, devices } = await check([maker.evidence(gpu, { nonce })]);
		assert.equal(finding.verdict, 'pass', finding.code);
		assert.equal(finding.code, 'evidence-genuine');
		assert.deepEqual(
			devices.map(({ isGpu, nonce }) => [isGpu, Buffer.from(nonce).toString('hex')]),
			[[true, nonce.toString('hex')]],
		);
	});

	it('tells a device by the key that it was made with, whatever its report', async () => {
		const idOf = async (device: Device) => (await check([maker.evidence(device)])).devices[0]?.id;
		assert.equal(await idOf(gpu), await idOf(gpu));
		assert.notEqual(await idOf(gpu), await idOf(maker.device()));
	});

	it('may be of several GPUs, and of switches beside them', async () => {
		const devices = [gpu, maker.device({ chip: 'GB100' }), maker.device({ chip: 'LS_10' })];
		const { finding, devices: found } = await check(devices.map(device => maker.evidence(device)));
		assert.equal(finding.verdict, 'pass', finding.code);
		assert.deepEqual([finding.code, finding.values], ['evidence-genuine-many', ['2']]);
		assert.deepEqual(
			found.map(({ isGpu, serialNumber }) => [isGpu, serialNumber]),
			devices.map(({ chip, serialNumber }) => [chip !== 'LS_10', serialNumber]),
		);
	});

	for (const [what, ending] of [
		['NUL bytes', '\0'.repeat(5)],
		['blank lines', '\n\r\n \t'],
		['both', ' \0\n\0\0\r\n'],
	] as const) {
		it(`may have ${what} after its last certificate`, async () => {
			const { finding } = await check([maker.evidence(gpu, { ending })]);
			assert.equal(finding.verdict, 'pass', finding.code);
		});
	}

	it('is of switches only where it is, and says so', async () => {
		const { finding, devices } = await check([maker.evidence(maker.device({ chip: 'LS_10' }))]);
		assert.deepEqual([finding.verdict, finding.code], ['fail', 'evidence-switches']);
		assert.deepEqual(devices, []);
	});

	it('is unknown where the report is no evidence at all', async () => {
		for (const report of ['x', '{}', '[]', '[7]', 'null', '[{"arch":"HOPPER"}]', '{"hardware":"none"}']) {
			const { finding, devices } = await checkGpuEvidence(report, authority, NOW);
			assert.equal(finding.verdict, 'unknown', report);
			assert.deepEqual(devices, []);
		}
	});

	describe('is refused', () => {
		const genuine = maker.evidence(gpu);
		const raw = Buffer.from(genuine.evidence, 'base64');
		const resigned = (change: (bytes: Buffer) => Buffer) => maker.evidence(gpu, { change });
		const patched = (offset: number, ...bytes: number[]) =>
			resigned(report => {
				report.set(bytes, offset);
				return report;
			});
		const RESPONSE = 37;
		const OPAQUE_LENGTH = RESPONSE + 8 + 3 * 55 + 32;
		const cases: Record<string, () => unknown[]> = {
			'from a maker of another root': () => [impostor.evidence(impostor.device())],
			'of a switch alone': () => [maker.evidence(maker.device({ chip: 'LS_10' }))],
			'of a switch that calls itself a GPU': () => [maker.evidence(renamed('LS_10', 'GH100', 0), { arch: 'HOPPER' })],
			'of a switch whose boot ROM calls itself a GPU too': () => [
				maker.evidence(renamed('LS_10', 'GH100', 0, 1), { arch: 'HOPPER' }),
			],
			'of a GPU that calls itself another one': () => [maker.evidence(renamed('GH100', 'GH200', 0, 1))],
			'of a GPU whose boot ROM calls itself another one': () => [maker.evidence(renamed('GH100', 'GH200', 1))],
			'of a device of no known kind': () => [maker.evidence(maker.device({ chip: 'QX100' }))],
			'of a device whose name only begins as a GPU’s': () => [maker.evidence(maker.device({ chip: 'GH100-LS_10' }))],
			'of a device without a name': () => [maker.evidence(changed(0, { subject: sequence() }))],
			'of a device of another architecture': () => [maker.evidence(gpu, { arch: 'BLACKWELL' })],
			'of a switch that is said to be a GPU': () => [
				genuine,
				maker.evidence(maker.device({ chip: 'LS_10' }), { arch: 'HOPPER' }),
			],
			'with a device twice': () => [genuine, maker.evidence(gpu)],
			'with one bad piece among good ones': () => [
				genuine,
				{ ...maker.evidence(maker.device()), nonce: '00'.repeat(32) },
			],
			'with too many pieces': () => Array.from({ length: 65 }, () => genuine),
			'that is no object': () => [genuine, 7],
			'without a nonce': () => [{ ...genuine, nonce: undefined }],
			'with another nonce than the report': () => [{ ...genuine, nonce: randomBytes(32).toString('hex') }],
			'with a nonce of 31 bytes': () => [{ ...genuine, nonce: genuine.nonce.slice(2) }],
			'without an architecture': () => [{ ...genuine, arch: 7 }],
			'without certificates': () => [{ ...genuine, certificate: base64('') }],
			'with certificates that are no base64': () => [{ ...genuine, certificate: '*' }],
			'with text among the certificates': () => [{ ...genuine, certificate: base64(`a\n${pemOf(gpu.chain)}`) }],
			'with text after the certificates': () => [{ ...genuine, certificate: base64(`${pemOf(gpu.chain)}a`) }],
			'with text after NUL bytes': () => [maker.evidence(gpu, { ending: '\0\0a' })],
			'with a certificate after NUL bytes': () => [
				maker.evidence(gpu, { ending: `\0\n${pemOf([maker.rootCertificate])}` }),
			],
			'with NUL bytes between the certificates': () => [
				{ ...genuine, certificate: base64(gpu.chain.map(bytes => pemOf([bytes])).join('\0')) },
			],
			'with NUL bytes before the certificates': () => [{ ...genuine, certificate: base64(`\0${pemOf(gpu.chain)}`) }],
			'with NUL bytes in a certificate': () => [
				{ ...genuine, certificate: base64(pemOf(gpu.chain).replace('\n', '\n\0')) },
			],
			'with NUL bytes alone for certificates': () => [{ ...genuine, certificate: base64('\0\0') }],
			'with other control characters after the certificates': () => [maker.evidence(gpu, { ending: '\x01' })],
			'without the root': () => [{ ...genuine, ...withChain(gpu.chain.slice(0, -1)) }],
			'with the leaf alone': () => [{ ...genuine, ...withChain(gpu.chain.slice(0, 1)) }],
			'with the root alone': () => [{ ...genuine, ...withChain(gpu.chain.slice(-1)) }],
			'with the chain out of order': () => {
				const [leaf, boot, provisioner, ...rest] = gpu.chain as [Buffer, Buffer, Buffer];
				return [{ ...genuine, ...withChain([leaf, provisioner, boot, ...rest]) }];
			},
			'with a certificate left out': () => [{ ...genuine, ...withChain(gpu.chain.filter((_, index) => index !== 1)) }],
			'with the root twice': () => [{ ...genuine, ...withChain([...gpu.chain, maker.rootCertificate]) }],
			'with the chain of another device': () => [{ ...genuine, ...withChain(maker.device().chain) }],
			'with a foreign root of the same name': () => {
				const chain = [...gpu.chain.slice(0, -1), impostor.rootCertificate];
				return [{ ...genuine, ...withChain(chain) }];
			},
			'with a chain that a foreign root of the same name began': () => {
				const device = impostor.device();
				const chain = [...device.chain.slice(0, -1), maker.rootCertificate];
				return [{ ...impostor.evidence(device), ...withChain(chain) }];
			},
			'with an authority that may not issue': () => [maker.evidence(changed(1, { usage: 0x80 }))],
			'with an authority that is none': () => [maker.evidence(changed(1, { isAuthority: false, usage: 0x04 }))],
			'with an authority that may have nobody under it': () => [maker.evidence(changed(2, { pathLength: 0 }))],
			'with a leaf that is an authority': () => [maker.evidence(changed(0, { isAuthority: true, usage: 0x80 }))],
			'with a leaf that may not sign': () => [maker.evidence(changed(0, { usage: 0x04 }))],
			'with a certificate that has expired': () => [maker.evidence(changed(1, { notAfter: '20251231235959Z' }))],
			'with a certificate that is not valid yet': () => [maker.evidence(changed(0, { notBefore: '20260101000001Z' }))],
			'with a time that is none': () => [maker.evidence(changed(0, { notAfter: '20260231000000Z' }))],
			'with a certificate by another key': () => [maker.evidence(changed(0, { signer: p384KeyPair().privateKey }))],
			'with a certificate signed with SHA-256': () => [
				maker.evidence(changed(0, { hash: 'sha256', algorithm: sequence(identifier('2a8648ce3d040302')) })),
			],
			'with a certificate that says SHA-384 and means SHA-256': () => [maker.evidence(changed(0, { hash: 'sha256' }))],
			'with a serial number that is negative': () => [maker.evidence(changed(0, { serial: Buffer.of(0x80, 1) }))],
			'with a serial number in another spelling': () => [maker.evidence(changed(0, { serial: Buffer.of(0, 1) }))],
			'with a serial number of nothing': () => [maker.evidence(changed(0, { serial: Buffer.of(0) }))],
			'without a serial number': () => [maker.evidence(changed(1, { serial: Buffer.of() }))],
			'with a certificate of version 1': () => [maker.evidence(changed(0, { version: der(0xa0, integer(0)) }))],
			'with a critical extension that is not known': () => [
				maker.evidence(changed(0, { extensions: [extension('551d1e', sequence(), true)] })),
			],
			'with an extension twice': () => [
				maker.evidence(changed(0, { extensions: [extension('551d0f', sequence(), false)] })),
			],
			'with a byte after a certificate': () => [
				{
					...genuine,
					...withChain(gpu.chain.map((bytes, index) => (index ? bytes : Buffer.concat([bytes, Buffer.of(0)])))),
				},
			],
			'with a length in its long form where the short one would do': () => [
				{ ...genuine, ...withChain([lengthened(gpu.chain[0] ?? Buffer.of()), ...gpu.chain.slice(1)]) },
			],
			'with a report that another key signed': () => [maker.evidence(gpu, { signer: p384KeyPair().privateKey })],
			'with a report signed with SHA-256': () => [maker.evidence(gpu, { hash: 'sha256' })],
			'with a report of other firmware': () => [maker.evidence(gpu, { firmware: randomBytes(48) })],
			'with a report that is cut short': () => [{ ...genuine, evidence: base64(raw.subarray(0, -1)) }],
			'with a byte after the report': () => [{ ...genuine, evidence: base64(Buffer.concat([raw, Buffer.of(0)])) }],
			'with an empty report': () => [{ ...genuine, evidence: '' }],
			'with a report that is too long': () => [{ ...genuine, evidence: base64(Buffer.alloc(65 * 1024)) }],
			'with a request of another version': () => [patched(0, 0x12)],
			'with a request of something else': () => [patched(1, 0xe1)],
			'with a request for no signature': () => [patched(2, 0)],
			'with a request for some measurements': () => [patched(3, 1)],
			'of another slot': () => [patched(36, 1)],
			'with a response of an error': () => [patched(RESPONSE + 1, 0x7f)],
			'with more measurements announced than are there': () => [patched(RESPONSE + 4, 4)],
			'with fewer measurements announced than are there': () => [patched(RESPONSE + 4, 2)],
			'with measurements out of order': () => [patched(RESPONSE + 8, 2)],
			'with a measurement of another kind': () => [patched(RESPONSE + 9, 2)],
			'with a measurement longer than its block': () => [patched(RESPONSE + 13, 49)],
			'with a record longer than the report': () => [patched(RESPONSE + 5, 0xff, 0xff, 0xff)],
			'with opaque data longer than the report': () => [patched(OPAQUE_LENGTH, 0xff, 0xff)],
			'with an opaque field twice': () => [patched(OPAQUE_LENGTH + 2, 20)],
		};
		for (const [what, entries] of Object.entries(cases)) {
			it(what, async () => {
				const { finding, devices } = await check(entries());
				assert.equal(finding.verdict, 'fail', finding.code);
				assert.match(finding.code, /^evidence-(refused|switches|twice|too-many)$/);
				assert.deepEqual(devices, []);
			});
		}

		it('with any single bit of the report changed', async () => {
			for (let bit = 0; bit < 8 * raw.length; bit += 13) {
				const bytes = Buffer.from(raw);
				bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
				const { finding } = await check([{ ...genuine, evidence: base64(bytes) }]);
				assert.equal(finding.verdict, 'fail', `bit ${bit}`);
			}
		});

		it('with any single bit of a certificate changed', async () => {
			for (const [place, own] of gpu.chain.entries()) {
				for (let bit = 0; bit < 8 * own.length; bit += 41) {
					const chain = gpu.chain.map(bytes => Buffer.from(bytes));
					const bytes = chain[place] ?? Buffer.of();
					bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
					const { finding } = await check([{ ...genuine, ...withChain(chain) }]);
					assert.equal(finding.verdict, 'fail', `certificate ${place}, bit ${bit}`);
				}
			}
		});
	});
});

/** The outermost length, of two bytes, in three. */
function lengthened(bytes: Buffer): Buffer {
	return Buffer.concat([Buffer.of(0x30, 0x83, 0), bytes.subarray(2)]);
}
