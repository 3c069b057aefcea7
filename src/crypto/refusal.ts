/** The reasons for refusing an input, as fine-grained as is useful to a user. */
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

/** An input does not have the required form. The message gives the reason, for programs, and never quotes the input. */
export class CryptoRefusal extends Error {
	override readonly name = 'CryptoRefusal';
	readonly code: RefusalCode;

	constructor(code: RefusalCode, message: string) {
		super(message);
		this.code = code;
	}
}
