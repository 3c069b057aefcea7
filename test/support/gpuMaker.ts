// A stand-in for a GPU maker, with its own authority. It creates certificates, reports and tokens like the real maker,
// with any fault that a test asks for. OpenSSL signs everything.
import { createHash, type KeyObject, randomBytes, sign } from 'node:crypto';
import { type KeyPair, p384KeyPair } from './contractServer/channelCryptography.ts';
import {
	bitString,
	der,
	distinguishedName,
	generalizedTime,
	identifier,
	integer,
	octetString,
	sequence,
	yes,
} from './derWriter.ts';

const ECDSA_SHA_384 = sequence(identifier('2a8648ce3d040303'));
const KEY_USAGE = { sign: 0x80, issue: 0x04 } as const;

export interface CertificateFields {
	/** The subject and the issuer are names in DER. */
	subject: Buffer;
	issuer: Buffer;
	/** The content of the serial number's INTEGER. */
	serial: Buffer;
	key: KeyObject;
	signer: KeyObject;
	isAuthority: boolean;
	usage?: number;
	pathLength?: number;
	notBefore?: string;
	notAfter?: string;
	firmware?: Buffer;
	/** These extensions follow the others. */
	extensions?: Buffer[];
	algorithm?: Buffer;
	hash?: 'sha256' | 'sha384';
	version?: Buffer;
}

/** Returns the DER of a certificate. */
export function certificate(fields: CertificateFields): Buffer {
	const { subject, issuer, serial, key, signer, isAuthority, pathLength, firmware } = fields;
	const { algorithm = ECDSA_SHA_384, hash = 'sha384', version = der(0xa0, integer(2)), extensions = [] } = fields;
	const { notBefore = '20200101000000Z', notAfter = '99991231235959Z' } = fields;
	const usage = fields.usage ?? (isAuthority ? KEY_USAGE.issue : KEY_USAGE.sign);
	const signed = sequence(
		version,
		der(0x02, serial),
		algorithm,
		issuer,
		sequence(generalizedTime(notBefore), generalizedTime(notAfter)),
		subject,
		key.export({ type: 'spki', format: 'der' }),
		der(
			0xa3,
			sequence(
				...(isAuthority
					? [extension('551d13', sequence(yes(), ...(pathLength === undefined ? [] : [integer(pathLength)])), true)]
					: []),
				extension('551d0f', der(0x03, Buffer.of(usage === KEY_USAGE.issue ? 2 : 7, usage)), true),
				...(firmware
					? [
							extension(
								'678105050401',
								sequence(
									integer(1),
									key.export({ type: 'spki', format: 'der' }),
									sequence(identifier('608648016503040202'), octetString(firmware)),
								),
								false,
							),
						]
					: []),
				...extensions,
			),
		),
	);
	return sequence(signed, algorithm, bitString(sign(hash, signed, signer)));
}

export function extension(digits: string, value: Uint8Array, isCritical: boolean): Buffer {
	return sequence(identifier(digits), ...(isCritical ? [yes()] : []), octetString(value));
}

export function pemOf(certificates: readonly Uint8Array[]): string {
	return certificates
		.map(bytes => {
			const lines =
				Buffer.from(bytes)
					.toString('base64')
					.match(/.{1,64}/g) ?? [];
			return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
		})
		.join('');
}

export interface DeviceFields {
	/** The name of the chip, such as `GH100` or `LS_10`. */
	chip?: string;
	/** Changes the fields of the certificate at an index of the chain, leaf first. */
	change?: (fields: CertificateFields, index: number) => CertificateFields;
}

/** A device with the keys that sign its reports. */
export interface Device {
	chip: string;
	/** The serial number of the leaf certificate, as a decimal number. */
	serialNumber: string;
	leaf: KeyPair;
	/** The certificates of the chain in DER, leaf first. */
	chain: Buffer[];
	firmware: Buffer;
}

export interface ReportFields {
	nonce?: Buffer;
	firmware?: Buffer;
	signer?: KeyObject;
	/** Changes the report's bytes before they are signed. */
	change?: (bytes: Buffer) => Buffer;
	hash?: 'sha256' | 'sha384';
}

export interface EvidenceFields extends ReportFields {
	arch?: string;
	/** Text that follows the last certificate. */
	ending?: string;
}

export interface Evidence {
	arch: string;
	certificate: string;
	evidence: string;
	nonce: string;
}

export const ISSUER = 'https://maker.example';
const ARCHITECTURES: Readonly<Record<string, string>> = { GH100: 'HOPPER', GB100: 'BLACKWELL', LS_10: 'LS10' };

const ORGANIZATION = ['organization', 'Maker Corporation'] as const satisfies [string, string];
const COUNTRY = ['country', 'US'] as const satisfies [string, string];
const ROOT_NAME = distinguishedName(['commonName', 'Maker Device Identity CA'], ['organization', 'Maker']);

/** Returns the name of one of a device's own certificates. */
export function deviceName(commonName: string, serial = serialNumber(9)): Buffer {
	const digits = serial.toString('hex').toUpperCase();
	return distinguishedName(['serialNumber', digits], COUNTRY, ORGANIZATION, ['commonName', commonName]);
}

/** Returns extensions with key identifiers, and with the device as an alternative name of the subject. */
function leafExtensions(chip: string): Buffer[] {
	const device = Buffer.from(`MAKER:${chip}:${randomBytes(8).toString('hex').toUpperCase()}`);
	const otherName = [identifier('2b06010401831c821201'), der(0xa0, der(0x0c, device))];
	return [
		extension('551d0e', octetString(randomBytes(20)), false),
		extension('551d23', sequence(der(0x80, randomBytes(20))), false),
		extension('551d11', sequence(der(0xa0, ...otherName)), false),
	];
}

/** Returns the content of a random positive INTEGER with this number of bytes. */
function serialNumber(bytes: number): Buffer {
	const serial = randomBytes(bytes);
	serial[0] = 0x40 | ((serial[0] ?? 0) & 0x3f);
	return serial;
}

export class GpuMaker {
	readonly root = p384KeyPair();
	readonly rootCertificate: Buffer;
	/** The key pair that signs tokens. */
	readonly tokenKey = p384KeyPair();
	/** The tokens signed so far. Tests create the same token again and again, and signing takes long. */
	private readonly tokens = new Map<string, string>();
	readonly keyId = 'maker-key-1';

	constructor() {
		this.rootCertificate = certificate({
			subject: ROOT_NAME,
			issuer: ROOT_NAME,
			serial: serialNumber(16),
			key: this.root.publicKey,
			signer: this.root.privateKey,
			isAuthority: true,
		});
	}

	/** The SHA-256 of the root certificate in hexadecimal digits. */
	get rootFingerprint(): string {
		return createHash('sha256').update(this.rootCertificate).digest('hex');
	}

	/**
	 * Creates a device. Its chain is leaf, boot ROM, provisioner, identity and root, with names like the real maker's.
	 */
	device({ chip = 'GH100', change = fields => fields }: DeviceFields = {}): Device {
		const firmware = randomBytes(48);
		const pairs = [p384KeyPair(), p384KeyPair(), p384KeyPair(), p384KeyPair()] as const;
		const serials = [20, 9, 16, 16].map(serialNumber);
		const processor = chip.startsWith('LS') ? 'FSP' : 'GSP';
		const names = [
			deviceName(`${chip} A01 ${processor} FMC LF`, serials[0]),
			deviceName(`${chip} A01 ${processor} BROM`, serials[1]),
			distinguishedName(['commonName', `Maker ${chip} Provisioner ICA 1`], ORGANIZATION, COUNTRY),
			// Chips of the same period share one identity, switches included.
			distinguishedName(['commonName', 'Maker GH100 Identity'], ORGANIZATION),
			ROOT_NAME,
		];
		const keys = [...pairs, this.root];
		const chain = pairs.map((pair, index) =>
			certificate(
				change(
					{
						subject: names[index] ?? ROOT_NAME,
						issuer: names[index + 1] ?? ROOT_NAME,
						serial: serials[index] ?? serialNumber(16),
						key: pair.publicKey,
						signer: (keys[index + 1] ?? pair).privateKey,
						isAuthority: index > 0,
						...(index === 0 ? { firmware, extensions: leafExtensions(chip) } : {}),
					},
					index,
				),
			),
		);
		const [leaf] = pairs;
		const [serial = Buffer.of()] = serials;
		return {
			chip,
			serialNumber: BigInt(`0x${serial.toString('hex')}`).toString(),
			leaf,
			chain: [...chain, this.rootCertificate],
			firmware,
		};
	}

	/** Returns an SPDM request and its signed response with three measurements. */
	report(device: Device, fields: ReportFields = {}): Buffer {
		const { nonce = randomBytes(32), firmware = device.firmware, change = bytes => bytes, hash = 'sha384' } = fields;
		const blocks = [1, 2, 3].map(index =>
			Buffer.concat([Buffer.of(index, 1, 51, 0, 1, 48, 0), createHash('sha384').update(`${index}`).digest()]),
		);
		const record = Buffer.concat(blocks);
		const opaque = Buffer.concat([opaqueField(3, Buffer.from('550.90.07\0')), opaqueField(20, firmware)]);
		const signed = change(
			Buffer.concat([
				Buffer.of(0x11, 0xe0, 0x01, 0xff),
				nonce,
				Buffer.of(0),
				Buffer.of(0x11, 0x60, 0x00, 0x00, blocks.length),
				Buffer.of(record.length & 0xff, record.length >> 8, 0),
				record,
				randomBytes(32),
				Buffer.of(opaque.length & 0xff, opaque.length >> 8),
				opaque,
			]),
		);
		const key = fields.signer ?? device.leaf.privateKey;
		return Buffer.concat([signed, sign(hash, signed, { key, dsaEncoding: 'ieee-p1363' })]);
	}

	evidence(device: Device, fields: EvidenceFields = {}): Evidence {
		const { arch = ARCHITECTURES[device.chip] ?? 'HOPPER', ending = '', nonce = randomBytes(32), ...report } = fields;
		return {
			arch,
			certificate: Buffer.from(`${pemOf(device.chain)}${ending}`).toString('base64'),
			evidence: this.report(device, { nonce, ...report }).toString('base64'),
			nonce: nonce.toString('hex'),
		};
	}

	keySet(): { keys: object[] } {
		return {
			keys: [{ ...this.tokenKey.publicKey.export({ format: 'jwk' }), kid: this.keyId }],
		};
	}

	/** Returns a JWT. `header` and `key` replace the maker's. */
	token(
		claims: object,
		{ header = {}, key = this.tokenKey.privateKey }: { header?: object; key?: KeyObject } = {},
	): string {
		const parts = [
			{ kid: this.keyId, alg: 'ES384', ...header },
			{ iss: ISSUER, ...claims },
		];
		const input = parts.map(part => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
		const signed = () =>
			`${input}.${sign('sha384', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
		if (key !== this.tokenKey.privateKey) {
			return signed();
		}
		const token = this.tokens.get(input) ?? signed();
		this.tokens.set(input, token);
		return token;
	}
}

function opaqueField(type: number, value: Buffer): Buffer {
	return Buffer.concat([Buffer.of(type & 0xff, type >> 8, value.length & 0xff, value.length >> 8), value]);
}
