import { type Requirement, section } from './section.ts';

const channel = (heading: string, behaviours: readonly string[]) => section('encrypted-channel', heading, behaviours);

/** What encrypted-channel.md demands. */
export const encryptedChannelRequirements: readonly Requirement[] = [
	...channel('Health record', [
		'status is healthy when the server is up',
		'crypto_status is ready when the cryptography is',
		'server has a name',
		'version is told',
		'timestamp in seconds with a fraction, on the organisation host',
		'worker_pid, on the organisation host',
	]),
	...channel('Attestation record', [
		'public_key: a P-384 key as PEM',
		'session_id: bound to this attestation',
		'nonce_b64: base64',
		'signature over the report, by the key of the enclave',
		'report_json: the report as text',
		'report: the report as an object',
		'gpu_eat: a signed token of the hardware',
	]),
	...channel('Message request body', [
		'peer_public_key: a fresh P-384 key of the client as PEM',
		'session_id: the one of the attestation',
		'payload: an object of four fields',
		'payload.nonce: 1000 for the first message of a session, one more for each later one',
		'payload.iv: base64 of 12 bytes',
		'payload.ciphertext: base64 of the sealed history with its tag',
		'payload.signature: base64 of a DER signature by the client',
	]),
	...channel('Message response body', [
		'nonce: that of the request and 2000',
		'iv: base64 of 12 bytes',
		'ciphertext: base64 of the sealed reply',
		'signature: by the key of the enclave over the same layout',
	]),
	...channel('Cryptographic contract', [
		'the client makes an ephemeral P-384 key pair',
		'the secret comes from ECDH with the key of the enclave',
		'the key comes from HKDF with SHA-256: 32 bytes, no salt, the documented info',
		'AES-256-GCM with a fresh IV of 12 bytes and no associated data',
		'signed are nonce as 8 bytes big-endian, IV and ciphertext',
		'the signature of a reply is verified before it is opened',
	]),
	...channel('States and transitions', [
		'an attestation begins a session with the nonce 1000',
		'a message in a valid session is answered, and the nonce grows by one',
		'a session may expire at any time',
		'a message in an expired session gets 409',
		'a new attestation makes a new session, and the message is tried again',
	]),
	...channel('Endpoints', [
		'GET /health, without a key',
		'GET /attestation, without a key',
		'POST /message with a key, as JSON',
		'POST /message_stream takes the same body, and streams',
	]),
	...channel('Authentication', [
		'health and attestation get no key',
		'messages get the inference key, as JSON',
		'session, nonce and signature are checked besides',
	]),
	...channel('Errors', ['409: attest again, then try again from nonce 1000']),
	...channel('Limits', [
		'nonces count from 1000, replies are 2000 above',
		'an IV has 12 bytes, a key 256 bits',
		'session lifetime, size and rate are not documented: each refusal is told as what it is',
	]),
];
