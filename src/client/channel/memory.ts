import type { Attested } from '../types.ts';

/** Older ones are forgotten, so that a client that runs for ever stays small. */
const MAXIMUM_NONCES = 10_000;

/** What a client remembers of the attestations that it has accepted. */
export class ChannelMemory {
	/** By the address of the attestation. */
	readonly accepted = new Map<string, Attested>();
	/** The fingerprint of the key with which a nonce was seen. */
	private readonly keyOfNonce = new Map<string, string>();

	/** Whether the nonce came with a key other than this one. */
	hasSeenWithAnother(nonce: string, fingerprint: string): boolean {
		const key = this.keyOfNonce.get(nonce);
		return key !== undefined && key !== fingerprint;
	}

	accept(address: string, attested: Attested, nonce: string, fingerprint: string): void {
		this.accepted.set(address, attested);
		this.keyOfNonce.set(nonce, fingerprint);
		const [oldest] = this.keyOfNonce.keys();
		if (this.keyOfNonce.size > MAXIMUM_NONCES && oldest !== undefined) {
			this.keyOfNonce.delete(oldest);
		}
	}
}
