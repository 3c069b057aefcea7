// Creates X.509 certificates for tests at run time, so that the project holds no key file that would expire one day. No
// program or package creates them: Node can sign certificates but not issue them.
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';

/** A certificate and its private key, both as PEM, in the form that `https.createServer` accepts. */
export interface Certificate {
	cert: string;
	key: string;
}

export interface CertificateAuthority extends Certificate {
	name: string;
}

export interface CertificateOptions {
	/** The host names and IPv4 addresses that the certificate is for. The first one is its common name. */
	hosts: readonly [string, ...string[]];
	/** The authority that signs the certificate; without one, it is self-signed. */
	issuer?: CertificateAuthority;
	/**
	 * The first and the last day of validity, relative to today. By default, the certificate is valid from yesterday
	 * until 30 days from today.
	 */
	days?: { from: number; to: number };
}

const DAY_MS = 24 * 60 * 60 * 1000;

const OIDS = {
	commonName: [0x55, 0x04, 0x03],
	subjectAlternativeName: [0x55, 0x1d, 0x11],
	basicConstraints: [0x55, 0x1d, 0x13],
	ecdsaWithSha256: [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02],
} as const;

const TAGS = {
	boolean: 0x01,
	integer: 0x02,
	bitString: 0x03,
	octetString: 0x04,
	oid: 0x06,
	utf8String: 0x0c,
	generalizedTime: 0x18,
	sequence: 0x30,
	set: 0x31,
	version: 0xa0,
	extensions: 0xa3,
	dnsName: 0x82,
	ipAddress: 0x87,
} as const;

/** Creates a private certificate authority like a company's. */
export function makeAuthority(name: string): CertificateAuthority {
	const keys = newKeys();
	const isAuthority = sequence(der(TAGS.boolean, Buffer.of(0xff)));
	const extension = extensionOf(OIDS.basicConstraints, isAuthority);
	return {
		name,
		cert: issue({ subject: name, publicKey: keys.publicKey, extension, issuer: name, signingKey: keys.privateKey }),
		key: pemOf(keys.privateKey),
	};
}

/** Creates the certificate of a server. */
export function makeCertificate({ hosts, issuer, days }: CertificateOptions): Certificate {
	const keys = newKeys();
	const names = hosts.map(host =>
		isIP(host) === 4
			? der(TAGS.ipAddress, Buffer.from(host.split('.').map(Number)))
			: der(TAGS.dnsName, Buffer.from(host, 'ascii')),
	);
	const cert = issue({
		subject: hosts[0],
		publicKey: keys.publicKey,
		extension: extensionOf(OIDS.subjectAlternativeName, sequence(...names)),
		issuer: issuer?.name ?? hosts[0],
		signingKey: issuer?.key ?? keys.privateKey,
		...(days && { days }),
	});
	return { cert, key: pemOf(keys.privateKey) };
}

interface Issue {
	subject: string;
	publicKey: KeyObject;
	extension: Buffer;
	issuer: string;
	signingKey: KeyObject | string;
	days?: { from: number; to: number };
}

/** Returns a certificate as PEM (RFC 5280, section 4.1), with only the fields that verification reads. */
function issue({ subject, publicKey, extension, issuer, signingKey, days = { from: -1, to: 30 } }: Issue): string {
	const algorithm = sequence(der(TAGS.oid, Buffer.from(OIDS.ecdsaWithSha256)));
	const signed = sequence(
		der(TAGS.version, der(TAGS.integer, Buffer.of(2))),
		// The serial number is positive: its first bit is off and its first byte is not zero.
		der(TAGS.integer, Buffer.concat([Buffer.of(0x40), randomBytes(15)])),
		algorithm,
		nameOf(issuer),
		sequence(timeIn(days.from), timeIn(days.to)),
		nameOf(subject),
		publicKey.export({ type: 'spki', format: 'der' }),
		der(TAGS.extensions, sequence(extension)),
	);
	const certificate = sequence(signed, algorithm, bitString(sign('sha256', signed, signingKey)));
	const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
	return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

const newKeys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });

const pemOf = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString();

const nameOf = (commonName: string): Buffer =>
	sequence(
		der(TAGS.set, sequence(der(TAGS.oid, Buffer.from(OIDS.commonName)), der(TAGS.utf8String, Buffer.from(commonName)))),
	);

const extensionOf = (oid: readonly number[], value: Buffer): Buffer =>
	sequence(der(TAGS.oid, Buffer.from(oid)), der(TAGS.octetString, value));

function timeIn(days: number): Buffer {
	const iso = new Date(Date.now() + days * DAY_MS).toISOString();
	return der(TAGS.generalizedTime, Buffer.from(`${iso.slice(0, 19).replace(/\D/g, '')}Z`));
}

/** Encodes a bit string of whole bytes. */
const bitString = (bytes: Buffer): Buffer => der(TAGS.bitString, Buffer.concat([Buffer.of(0), bytes]));

const sequence = (...parts: Buffer[]): Buffer => der(TAGS.sequence, Buffer.concat(parts));

/** Encodes one DER value: its tag, its length in the shortest form and its contents. */
function der(tag: number, contents: Buffer): Buffer {
	const { length } = contents;
	const size =
		length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, Math.floor(length / 0x100), length % 0x100];
	return Buffer.concat([Buffer.from([tag, ...size]), contents]);
}
