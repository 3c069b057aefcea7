import { isDeepStrictEqual } from 'node:util';
import { decodeBase64 } from '../../../base/base64.ts';
import { fieldOf } from '../../../base/fields.ts';
import { parseJson } from '../../../base/json.ts';
import { type Certificate, readCertificates } from '../../../crypto/certificate.ts';
import { verifyCertificateChain } from '../../../crypto/certificateChain.ts';
import { fingerprintOf } from '../../../crypto/publicKey.ts';
import { CryptoRefusal } from '../../../crypto/refusal.ts';
import { createVerifier } from '../../../crypto/verifier.ts';
import { type CheckResult, fail, pass, unknown } from '../checkResult.ts';
import type { HardwareAuthority } from './authority.ts';
import { chipOf, type MakerChip } from './chip.ts';
import { FIRMWARE_FIELD, readSpdmReport } from './spdmReport.ts';

/** A device whose report was verified as genuine. */
export interface Device {
	/** The SHA-256 of the key that the device was made with, in hexadecimal digits. Firmware does not change it. */
	id: string;
	/** The serial number of the certificate whose key signed the report, as a decimal number. */
	serialNumber: string;
	isGpu: boolean;
	/** The 32-byte nonce that the requester of the report chose. */
	nonce: Uint8Array;
}

export interface GpuEvidence {
	finding: CheckResult;
	/** Empty unless all of the evidence is valid. */
	devices: readonly Device[];
}

const MAXIMUM_ENTRIES = 64;
/** The known architectures, each with the prefix of its chips' names. */
const ARCHITECTURES: ReadonlyMap<string, string> = new Map([
	['HOPPER', 'GH'],
	['BLACKWELL', 'GB'],
	['LS10', 'LS_10'],
]);

/**
 * Check 5 verifies the evidence in `report_json`, a list of `{ arch, certificate, evidence, nonce }` as the maker
 * publishes it. If one entry is invalid, the check fails. `now` is Unix time in milliseconds.
 */
export async function checkGpuEvidence(
	reportJson: string,
	{ rootFingerprint }: HardwareAuthority,
	now: number,
): Promise<GpuEvidence> {
	const entries = entriesOf(reportJson);
	if (entries === undefined) {
		return { finding: unknown('evidence-none'), devices: [] };
	}
	if (entries.length > MAXIMUM_ENTRIES) {
		return { finding: fail('evidence-too-many', { values: [String(MAXIMUM_ENTRIES)] }), devices: [] };
	}
	const devices: Device[] = [];
	for (const [index, entry] of entries.entries()) {
		try {
			devices.push(await verifyEntry(entry, rootFingerprint, now));
		} catch (error) {
			if (!(error instanceof CryptoRefusal)) {
				throw error;
			}
			return { finding: fail('evidence-refused', { values: [String(index + 1), error.code] }), devices: [] };
		}
	}
	const gpus = devices.filter(({ isGpu }) => isGpu);
	const input = devices.map(({ id, isGpu }) => `${isGpu ? 'GPU' : 'switch'} ${id.slice(0, 16)}`).join(', ');
	if (gpus.length === 0) {
		return { finding: fail('evidence-switches', { input }), devices: [] };
	}
	if (new Set(devices.map(({ id }) => id)).size !== devices.length) {
		return { finding: fail('evidence-twice', { input }), devices: [] };
	}
	return {
		finding:
			gpus.length === 1
				? pass('evidence-genuine', { input })
				: pass('evidence-genuine-many', { values: [String(gpus.length)], input }),
		devices,
	};
}

/** Returns undefined for a report without any evidence, such as a service's own claims. */
function entriesOf(text: string): unknown[] | undefined {
	const report = parseJson(text);
	const isEvidence = (entry: unknown): boolean =>
		typeof entry === 'object' && entry !== null && ('evidence' in entry || 'certificate' in entry);
	return Array.isArray(report) && report.some(isEvidence) ? report : undefined;
}

async function verifyEntry(entry: unknown, rootFingerprint: string, now: number): Promise<Device> {
	const { chain, evidence, nonce, arch } = readEntry(entry);
	await verifyCertificateChain(chain, rootFingerprint, now);
	const [leaf, device] = chain;
	if (!leaf || !device) {
		throw new CryptoRefusal('no-chain', 'it is no chain of certificates');
	}
	const report = readSpdmReport(evidence);
	if (!(await createVerifier(leaf.publicKey)(report.signed, report.signature, 'SHA-384'))) {
		throw new CryptoRefusal('report-signature', 'its report is not signed by the device');
	}
	if (!isDeepStrictEqual(Buffer.from(report.nonce), nonce)) {
		throw new CryptoRefusal('report-nonce', 'its report was made for another nonce');
	}
	const firmware = report.opaque.get(FIRMWARE_FIELD);
	if (firmware && leaf.firmware && Buffer.compare(firmware, leaf.firmware) !== 0) {
		throw new CryptoRefusal('report-firmware', 'its report names other firmware than its certificate');
	}
	const { name, isGpu } = readChip(chain);
	if (!name.startsWith(ARCHITECTURES.get(arch) ?? name)) {
		throw new CryptoRefusal('device-architecture', 'its device is of another architecture');
	}
	const serialNumber = String(leaf.serialNumber);
	return { id: await fingerprintOf(device.publicKey), serialNumber, isGpu, nonce: report.nonce };
}

/**
 * Returns the device's chip. The device signs its own certificates with keys inside it, so only the certificate above
 * them, from the maker's provisioner for one kind of chip, prevents a device from claiming to be another kind.
 */
function readChip([leaf, device, provisioner]: readonly Certificate[]): MakerChip {
	const chip = chipOf(leaf?.commonName ?? '');
	if (!chip) {
		throw new CryptoRefusal('device-kind', 'its device is of no kind that is known');
	}
	if (![device, provisioner].every(issuer => issuer?.commonName?.split(' ').includes(chip.name))) {
		throw new CryptoRefusal('chain-device', 'the certificates of its chain name different devices');
	}
	return chip;
}

interface Entry {
	chain: Certificate[];
	evidence: Uint8Array;
	nonce: Buffer;
	arch: string;
}

function readEntry(entry: unknown): Entry {
	const textOf = (name: string): string => {
		const value = fieldOf(entry, name);
		if (typeof value !== 'string') {
			throw new CryptoRefusal('evidence-form', `its field ${name} is missing`);
		}
		return value;
	};
	const bytesOf = (name: string): Buffer => {
		const bytes = decodeBase64(textOf(name));
		if (!bytes) {
			throw new CryptoRefusal('evidence-form', `its field ${name} is no base64`);
		}
		return Buffer.from(bytes);
	};
	const nonce = textOf('nonce');
	if (!/^(?:[\da-f]{64}|[\dA-F]{64})$/.test(nonce)) {
		throw new CryptoRefusal('evidence-form', 'its nonce is not 32 bytes in hexadecimal digits');
	}
	return {
		chain: readCertificates(bytesOf('certificate').toString('latin1')),
		evidence: bytesOf('evidence'),
		nonce: Buffer.from(nonce, 'hex'),
		arch: textOf('arch'),
	};
}
