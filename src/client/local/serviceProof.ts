import { randomBytes, timingSafeEqual } from 'node:crypto';
import { controlPaths, type Discovery, proofOf, proofReplySchema } from '../../contract/control.ts';
import { askService, requestOptionsFor } from './serviceExchange.ts';

const PROOF_LIMITS = { timeoutMs: 3000, maximumLength: 4096 };

/** Returns whether the program at the address knows the token. Only a fresh nonce is sent, never a secret. */
export async function provesItself({ address, token }: Discovery): Promise<boolean> {
	const nonce = randomBytes(32).toString('base64url');
	const expected = Buffer.from(proofOf(token, address, nonce));
	try {
		const reply = await askService(requestOptionsFor(address, `${controlPaths.proof}?nonce=${nonce}`), PROOF_LIMITS);
		const received = Buffer.from(proofReplySchema.parse(reply).proof);
		return received.length === expected.length && timingSafeEqual(received, expected);
	} catch {
		return false;
	}
}
