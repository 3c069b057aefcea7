import { type DigestName, digest } from '../../../crypto/digest.ts';
import type { PublicKey } from '../../../crypto/publicKey.ts';
import { type Finding, pass, unknown } from '../finding.ts';

const DIGESTS: readonly DigestName[] = ['SHA-256', 'SHA-384', 'SHA-512'];

/**
 * contract: not shown. Check 7: whether the nonce that hardware signed is a hash of the channel's key. Which spelling of
 * the key is hashed nobody says, so that each of the three counts.
 */
export async function checkKeyBinding(
	pem: string,
	{ spki, point }: PublicKey,
	nonces: readonly Uint8Array[],
): Promise<Finding> {
	if (nonces.length === 0) {
		return unknown('No evidence of the hardware was proven, so nothing says where the key lives.');
	}
	const spellings = { SubjectPublicKeyInfo: spki, 'the point': point, 'the PEM text': Buffer.from(pem) };
	for (const [spelling, bytes] of Object.entries(spellings)) {
		for (const name of DIGESTS) {
			const hash = await digest(name, bytes);
			if (nonces.every(nonce => Buffer.compare(nonce, hash) === 0)) {
				return pass(
					'The nonce that the hardware signed is a hash of the key, so the evidence was made for it. Which software asked for it is not proven.',
					`${name} of ${spelling}`,
				);
			}
		}
	}
	return unknown(
		'The nonce that the hardware signed is no hash of the key: the evidence may be of another machine than the one that holds the key.',
	);
}
