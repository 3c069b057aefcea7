/** In which way something is not what it has to be, as far as a user can make use of it. */
export type RefusalCode =
	| 'certificate-algorithm'
	| 'certificate-expired'
	| 'certificate-version'
	| 'chain-device'
	| 'chain-order'
	| 'chain-root'
	| 'chain-signature'
	| 'curve'
	| 'der'
	| 'device-architecture'
	| 'device-kind'
	| 'evidence-form'
	| 'extension-twice'
	| 'extension-unknown'
	| 'frame'
	| 'issuer-rights'
	| 'key-form'
	| 'leaf-rights'
	| 'no-chain'
	| 'pem-certificates'
	| 'pem-key'
	| 'report-firmware'
	| 'report-form'
	| 'report-nonce'
	| 'report-signature'
	| 'self-issued';

/** What was given is not what it has to be. The message says in which way, for programs, and quotes nothing of it. */
export class CryptoRefusal extends Error {
	override readonly name = 'CryptoRefusal';
	readonly code: RefusalCode;

	constructor(code: RefusalCode, message: string) {
		super(message);
		this.code = code;
	}
}
