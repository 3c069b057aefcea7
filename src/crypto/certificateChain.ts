import type { Certificate } from './certificate.ts';
import { fingerprint } from './digest.ts';
import { CryptoRefusal } from './refusal.ts';
import { createVerifier } from './verifier.ts';

/**
 * Verifies a certificate chain (RFC 5280) that is ordered from leaf to root: each certificate is signed by the next
 * one, names it as its issuer and is within its validity period, and all but the leaf may issue certificates. The root
 * is identified by its fingerprint, SHA-256 in hexadecimal; its name proves nothing. `now` is Unix time in
 * milliseconds.
 * @throws CryptoRefusal
 */
export async function verifyCertificateChain(
	chain: readonly Certificate[],
	rootFingerprint: string,
	now: number,
): Promise<void> {
	const [leaf] = chain;
	const root = chain.at(-1);
	if (!leaf || !root || chain.length < 2) {
		throw new CryptoRefusal('no-chain', 'it is no chain of certificates');
	}
	if ((await fingerprint(root.bytes)) !== rootFingerprint.toLowerCase()) {
		throw new CryptoRefusal('chain-root', 'its chain does not end at the maker’s root');
	}
	if (leaf.isAuthority || !leaf.maySign) {
		throw new CryptoRefusal('leaf-rights', 'the key of its leaf may not sign reports');
	}
	for (const [index, certificate] of chain.entries()) {
		if (now < certificate.notBefore || now > certificate.notAfter) {
			throw new CryptoRefusal('certificate-expired', 'a certificate of its chain is not valid now');
		}
		if (certificate !== root && Buffer.compare(certificate.issuer, certificate.subject) === 0) {
			throw new CryptoRefusal('self-issued', 'a certificate of its chain, other than the last, was issued by itself');
		}
		// The root issued itself.
		await verifyIssued(certificate, chain[index + 1] ?? root, index);
	}
}

/** `between` is the number of intermediate authorities below the issuer. */
async function verifyIssued(certificate: Certificate, issuer: Certificate, between: number): Promise<void> {
	const isRoot = certificate === issuer;
	if (Buffer.compare(certificate.issuer, issuer.subject) !== 0) {
		throw new CryptoRefusal('chain-order', 'the certificates of its chain are not in their order');
	}
	if (!issuer.isAuthority || !issuer.mayIssue || (!isRoot && between > (issuer.pathLength ?? between))) {
		throw new CryptoRefusal('issuer-rights', 'a certificate of its chain was issued by one that may not');
	}
	if (!(await createVerifier(issuer.publicKey)(certificate.signed, certificate.signature, 'SHA-384'))) {
		throw new CryptoRefusal('chain-signature', 'a certificate of its chain was not signed by the next');
	}
}
