import { decodeBase64 } from '../base/base64.ts';
import { contextTag, DER, DerReader } from './der.ts';
import { type PublicKey, readSubjectPublicKeyInfo } from './publicKey.ts';
import { CryptoRefusal } from './refusal.ts';
import { readDerSignature } from './signature.ts';

/** An X.509 certificate (RFC 5280) of a P-384 key, signed with ECDSA and SHA-384. No other kind is accepted. */
export interface Certificate {
	/** The whole certificate as DER. */
	bytes: Uint8Array;
	serialNumber: bigint;
	/** The part that is signed, as DER. */
	signed: Uint8Array;
	/** The signature as r ‖ s. */
	signature: Uint8Array;
	/** The names as DER, which is compared byte by byte. */
	issuer: Uint8Array;
	subject: Uint8Array;
	commonName: string | undefined;
	/** In milliseconds of Unix time. */
	notBefore: number;
	notAfter: number;
	publicKey: PublicKey;
	isAuthority: boolean;
	/** The number of authorities that may be between this one and the leaf. */
	pathLength: number | undefined;
	maySign: boolean;
	mayIssue: boolean;
	/** The digest of the firmware that the key was derived for, if the certificate contains one. */
	firmware: Uint8Array | undefined;
}

const MAXIMUM_CERTIFICATES = 10;
const MAXIMUM_PEM_LENGTH = 64 * 1024;
const PEM = /^-----BEGIN CERTIFICATE-----\r?\n((?:[A-Za-z\d+/]+=*\r?\n)+)-----END CERTIFICATE-----[ \t\r\n]*/;
/** NUL bytes follow a PEM text that was copied from a longer C buffer. */
const FILLING = /^[\0 \t\r\n]*$/;

/** The known object identifiers, as their content in hexadecimal. */
const OID = {
	commonName: '550403',
	basicConstraints: '551d13',
	keyUsage: '551d0f',
	/** The Trusted Computing Group's extension with the device key and the firmware from which a key was derived. */
	compositeDeviceId: '678105050401',
} as const;
/** The algorithm ecdsa-with-SHA384 as a SEQUENCE; it has no parameters (RFC 5758). */
const ECDSA_SHA_384 = '300a06082a8648ce3d040303';
const VERSION_3 = '020102';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/**
 * Reads the certificates of a PEM text, which consists of one block after another, with nothing else but NUL bytes and
 * white space at the end.
 * @throws CryptoRefusal
 */
export function readCertificates(pem: string): Certificate[] {
	const certificates: Certificate[] = [];
	for (let rest = pem; !FILLING.test(rest); ) {
		const block = rest.length > MAXIMUM_PEM_LENGTH ? null : PEM.exec(rest);
		const bytes = decodeBase64(block?.[1]?.replace(/\r?\n/g, '') ?? '');
		if (!block || !bytes || certificates.length === MAXIMUM_CERTIFICATES) {
			throw new CryptoRefusal('pem-certificates', `it is not a PEM text of up to ${MAXIMUM_CERTIFICATES} certificates`);
		}
		certificates.push(readCertificate(bytes));
		rest = rest.slice(block[0].length);
	}
	return certificates;
}

/** @throws CryptoRefusal */
function readCertificate(bytes: Uint8Array): Certificate {
	const outer = new DerReader(bytes);
	const certificate = outer.enter(DER.sequence);
	outer.end();
	const signed = certificate.read(DER.sequence);
	readAlgorithm(certificate);
	const signature = readDerSignature(readBits(certificate));
	certificate.end();
	if (!signature) {
		throw new CryptoRefusal('der', 'its signature is not strict DER');
	}

	const fields = new DerReader(signed.content);
	if (hex(fields.read(contextTag(0)).content) !== VERSION_3) {
		throw new CryptoRefusal('certificate-version', 'it is not of version 3');
	}
	const serialNumber = BigInt(`0x${hex(fields.readPositive())}`);
	readAlgorithm(fields);
	const issuer = fields.read(DER.sequence).bytes;
	const validity = fields.enter(DER.sequence);
	const [notBefore, notAfter] = [readTime(validity), readTime(validity)];
	validity.end();
	const subject = fields.read(DER.sequence);
	const publicKey = readSubjectPublicKeyInfo(fields.read(DER.sequence).bytes);
	// Anything else in this place, such as the identifiers of version 2, makes reading fail.
	const extensions = fields.isAtEnd ? new Map<string, Uint8Array>() : readExtensions(fields);
	fields.end();
	return {
		bytes,
		serialNumber,
		signed: signed.bytes,
		signature,
		issuer,
		subject: subject.bytes,
		commonName: readCommonName(subject.content),
		notBefore,
		notAfter,
		publicKey,
		...readConstraints(extensions.get(OID.basicConstraints)),
		...readKeyUsage(extensions.get(OID.keyUsage)),
		firmware: readFirmware(extensions.get(OID.compositeDeviceId)),
	};
}

function readAlgorithm(reader: DerReader): void {
	if (hex(reader.read(DER.sequence).bytes) !== ECDSA_SHA_384) {
		throw new CryptoRefusal('certificate-algorithm', 'it is not signed with ECDSA and SHA-384');
	}
}

/** Reads a bit string, which must consist of whole bytes. */
function readBits(reader: DerReader): Uint8Array {
	const { content } = reader.read(DER.bitString);
	if (content[0] !== 0) {
		throw new CryptoRefusal('der', 'its DER has bits that fill no byte');
	}
	return content.subarray(1);
}

/** Reads a time, which has seconds and is in universal time (RFC 5280, 4.1.2.5). */
function readTime(reader: DerReader): number {
	const { tag, content } = reader.readAny();
	const text = Buffer.from(content).toString('latin1');
	const short = tag === DER.utcTime ? /^(\d{2})(\d{10})Z$/.exec(text) : null;
	const full = short ? `${Number(short[1]) >= 50 ? '19' : '20'}${text}` : tag === DER.generalizedTime ? text : '';
	const iso = full.replace(/^(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})Z$/, '$1-$2-$3T$4:$5:$6.000Z');
	const time = Date.parse(iso);
	// A day that the month does not have would be carried over into the next month.
	if (Number.isNaN(time) || new Date(time).toISOString() !== iso) {
		throw new CryptoRefusal('der', 'it has a time that is none');
	}
	return time;
}

function readCommonName(name: Uint8Array): string | undefined {
	const names: string[] = [];
	for (const parts = new DerReader(name); !parts.isAtEnd; ) {
		for (const set = parts.enter(DER.set); !set.isAtEnd; ) {
			const part = set.enter(DER.sequence);
			const type = hex(part.read(DER.objectIdentifier).content);
			const { tag, content } = part.readAny();
			part.end();
			if (type === OID.commonName && (tag === DER.utf8String || tag === DER.printableString)) {
				names.push(Buffer.from(content).toString());
			}
		}
	}
	return names.length === 1 ? names[0] : undefined;
}

function readExtensions(fields: DerReader): Map<string, Uint8Array> {
	const found = new Map<string, Uint8Array>();
	const wrapped = fields.enter(contextTag(3));
	const extensions = wrapped.enter(DER.sequence);
	wrapped.end();
	while (!extensions.isAtEnd) {
		const extension = extensions.enter(DER.sequence);
		const type = hex(extension.read(DER.objectIdentifier).content);
		const isCritical = readFlag(extension);
		const { content } = extension.read(DER.octetString);
		extension.end();
		if (found.has(type)) {
			throw new CryptoRefusal('extension-twice', 'it has an extension twice');
		}
		if (isCritical && type !== OID.basicConstraints && type !== OID.keyUsage) {
			throw new CryptoRefusal('extension-unknown', 'it has a critical extension that is not known');
		}
		found.set(type, content);
	}
	return found;
}

/** Reads a boolean, which DER leaves out if it has its default value, false. */
function readFlag(reader: DerReader): boolean {
	if (!reader.isNext(DER.boolean)) {
		return false;
	}
	if (hex(reader.read(DER.boolean).content) !== 'ff') {
		throw new CryptoRefusal('der', 'its DER has a truth value in another form');
	}
	return true;
}

function readConstraints(content: Uint8Array | undefined): Pick<Certificate, 'isAuthority' | 'pathLength'> {
	if (!content) {
		return { isAuthority: false, pathLength: undefined };
	}
	const outer = new DerReader(content);
	const fields = outer.enter(DER.sequence);
	outer.end();
	const isAuthority = readFlag(fields);
	const number = fields.isAtEnd ? undefined : fields.read(DER.integer).content;
	fields.end();
	if (number && (number.length !== 1 || (number[0] ?? 0) >= 0x80)) {
		throw new CryptoRefusal('der', 'it has a path length that is none');
	}
	return { isAuthority, pathLength: number?.[0] };
}

/** Reads the allowed uses of the key. Without the extension, none is allowed here. */
function readKeyUsage(content: Uint8Array | undefined): Pick<Certificate, 'maySign' | 'mayIssue'> {
	if (!content) {
		return { maySign: false, mayIssue: false };
	}
	const outer = new DerReader(content);
	const [, bits = 0] = outer.read(DER.bitString).content;
	outer.end();
	return { maySign: (bits & 0x80) !== 0, mayIssue: (bits & 0x04) !== 0 };
}

/** Reads SEQUENCE { version, device key, SEQUENCE { hash, digest } }. Any other form of the extension is ignored. */
function readFirmware(content: Uint8Array | undefined): Uint8Array | undefined {
	try {
		const fields = content && new DerReader(content).enter(DER.sequence);
		fields?.read(DER.integer);
		fields?.read(DER.sequence);
		const firmware = fields?.enter(DER.sequence);
		firmware?.read(DER.objectIdentifier);
		return firmware?.read(DER.octetString).content;
	} catch (error) {
		if (error instanceof CryptoRefusal) {
			return undefined;
		}
		throw error;
	}
}
