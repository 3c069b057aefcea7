import { createPublicKey, type KeyObject, sign } from 'node:crypto';
import {
	type KeyPair,
	open,
	p384KeyPair,
	type Sealed,
	seal,
	sharedKey,
	signedBytes,
} from './contractServer/channelCryptography.ts';

export interface AttestationFields {
	public_key: string;
	session_id: string;
	nonce_b64: string;
	signature: string;
	report_json: string;
	report: Record<string, unknown>;
	gpu_eat: string;
}

export interface PeerRequest {
	peer_public_key: string;
	session_id: string;
	payload: Sealed;
}

export const conversation = (content: string): string => JSON.stringify([{ role: 'user', content }]);

/** One session of an encrypted-channel client that uses none of our cryptography. It seals any text under any nonce. */
export class ChannelPeer {
	readonly attestation: AttestationFields;
	readonly enclaveKey: KeyObject;
	readonly keyPair: KeyPair;
	/** The nonce of the next message. */
	nonce = 1000;
	private agreed: Buffer | undefined;

	constructor(attestation: unknown, keyPair = p384KeyPair()) {
		this.attestation = attestation as AttestationFields;
		this.enclaveKey = createPublicKey(this.attestation.public_key);
		this.keyPair = keyPair;
	}

	/** Starts a peer with the session that a service issues at `base`. */
	static async attest(get: (path: string) => Promise<Response>, base: string): Promise<ChannelPeer> {
		const response = await get(`${base}/attestation`);
		if (response.status !== 200) {
			throw new Error(`The attestation was refused with ${response.status}: ${await response.text()}`);
		}
		return new ChannelPeer(await response.json());
	}

	get publicKey(): string {
		return this.keyPair.publicKey.export({ type: 'spki', format: 'pem' }).toString();
	}

	/** Seals the next message, or one with another nonce or signer. */
	seal(text: string, { nonce = this.nonce++, signer = this.keyPair.privateKey } = {}): PeerRequest {
		const payload = seal(text, nonce, this.key, signer);
		return { peer_public_key: this.publicKey, session_id: this.attestation.session_id, payload };
	}

	/** Signs a payload that was sealed earlier or elsewhere as if it were this peer's own. */
	resign({ nonce, iv, ciphertext }: Omit<Sealed, 'signature'>): PeerRequest {
		const bytes = signedBytes(nonce, Buffer.from(iv, 'base64'), Buffer.from(ciphertext, 'base64'));
		const signature = sign('sha256', bytes, this.keyPair.privateKey).toString('base64');
		const payload = { nonce, iv, ciphertext, signature };
		return { peer_public_key: this.publicKey, session_id: this.attestation.session_id, payload };
	}

	/** Verifies a reply, decrypts it and returns its text. Throws if anything about it is invalid. */
	open(sealed: Sealed): string {
		return open(sealed, this.key, this.enclaveKey);
	}

	private get key(): Buffer {
		this.agreed ??= sharedKey(this.keyPair.privateKey, this.enclaveKey);
		return this.agreed;
	}
}
