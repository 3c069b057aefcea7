import { type DigestName, digest } from '../../../crypto/digest.ts';
import type { PublicKey } from '../../../crypto/publicKey.ts';
import { type CheckResult, pass, unknown } from '../checkResult.ts';

const DIGESTS: readonly DigestName[] = ['SHA-256', 'SHA-384', 'SHA-512'];

/**
 * contract: not shown. Check 7 verifies that the nonce signed by the hardware is a hash of the channel's key. The
 * encoding of the key that is hashed is undocumented, so each of the three is accepted.
 */
export async function checkKeyBinding(
	pem: string,
	{ spki, point }: PublicKey,
	nonces: readonly Uint8Array[],
): Promise<CheckResult> {
	if (nonces.length === 0) {
		return unknown('binding-no-hardware');
	}
	const spellings = { SubjectPublicKeyInfo: spki, point, PEM: Buffer.from(pem) };
	for (const [spelling, bytes] of Object.entries(spellings)) {
		for (const name of DIGESTS) {
			const hash = await digest(name, bytes);
			if (nonces.every(nonce => Buffer.compare(nonce, hash) === 0)) {
				return pass('binding-holds', { input: `${name}(${spelling})` });
			}
		}
	}
	return unknown('binding-other');
}
