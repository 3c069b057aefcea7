// X.509 certificates for tests, made where they are used: no file of a key in the project that would expire one day, and
// no program or package for it, since Node can sign but not issue.
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';

/** A certificate and its private key, both PEM: what `https.createServer` takes. */
export interface Certificate {
	cert: string;
	key: string;
}

export interface CertificateAuthority extends Certificate {
	name: string;
}

export interface CertificateOptions {
	/** The host names and IPv4 addresses that it is for; the first is its common name. */
	hosts: readonly [string, ...string[]];
	/** Who signs it. It signs itself when left out. */
	issuer?: CertificateAuthority;
	/** Days from today until it begins to be valid, and until it ends. Default: since yesterday, for 30 days. */
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

/** A private certificate authority, as a company has one. */
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

/** The certificate of a server. */
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

/** RFC 5280, 4.1, with the fields that verification looks at. */
function issue({ subject, publicKey, extension, issuer, signingKey, days = { from: -1, to: 30 } }: Issue): string {
	const algorithm = sequence(der(TAGS.oid, Buffer.from(OIDS.ecdsaWithSha256)));
	const signed = sequence(
		der(TAGS.version, der(TAGS.integer, Buffer.of(2))),
		// Positive: the first bit is off and the first byte is not zero.
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

/** Of whole bytes. */
const bitString = (bytes: Buffer): Buffer => der(TAGS.bitString, Buffer.concat([Buffer.of(0), bytes]));

const sequence = (...parts: Buffer[]): Buffer => der(TAGS.sequence, Buffer.concat(parts));

/** One value of DER: tag, length in the shortest form, contents. */
function der(tag: number, contents: Buffer): Buffer {
	const { length } = contents;
	const size =
		length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, Math.floor(length / 0x100), length % 0x100];
	return Buffer.concat([Buffer.from([tag, ...size]), contents]);
}
