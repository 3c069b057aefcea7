import type { Deviation } from '../../support/contractServer/channelCryptography.ts';
import { type Fault, inEvents, inReply, inRequest, missing, withStatus } from './fault.ts';

const HEALTH = /^GET .*\/health$/;
const ATTESTATION = /^GET .*\/attestation$/;
const MESSAGE = /^POST .*\/message$/;
const STREAM = /^POST .*\/message_stream$/;
const MESSAGES = /^POST .*\/message(_stream)?$/;

const isError = (data: unknown) => typeof data === 'object' && data !== null && 'error' in data;

const health: readonly Fault[] = ['status', 'crypto_status', 'server', 'version', 'timestamp', 'worker_pid'].map(
	(field, index) => ({
		what: `a health record without ${field}`,
		breaks: `encrypted-channel/health-record/${index + 1}`,
		tampering: inReply(HEALTH, `json.${field}`, missing),
	}),
);

const attestation: readonly Fault[] = [
	'public_key',
	'session_id',
	'nonce_b64',
	'signature',
	'report_json',
	'report',
	'gpu_eat',
].map((field, index) => ({
	what: `an attestation without ${field}`,
	breaks: `encrypted-channel/attestation-record/${index + 1}`,
	tampering: inReply(ATTESTATION, `json.${field}`, missing),
}));

const request: readonly Fault[] = [
	'peer_public_key',
	'session_id',
	'payload',
	'payload.nonce',
	'payload.iv',
	'payload.ciphertext',
	'payload.signature',
].map((field, index) => ({
	what: `a message with another ${field}`,
	breaks: `encrypted-channel/message-request-body/${index + 1}`,
	tampering: inRequest(MESSAGE, `json.${field}`),
}));

const TAMPERING = {
	nonce: ['client: is tampered with when it has another nonce'],
	iv: ['client: is tampered with when it has another IV', 'client: is tampered with when it has an IV of 16 bytes'],
	ciphertext: ['client: is tampered with when it has another ciphertext'],
	signature: [
		'client: is tampered with when it has another signature',
		'client: is tampered with when it has a signature of another length',
	],
};

const reply: readonly Fault[] = (['nonce', 'iv', 'ciphertext', 'signature'] as const).map((field, index) => ({
	what: `a reply with another ${field}`,
	breaks: `encrypted-channel/message-response-body/${index + 1}`,
	tampering: inReply(MESSAGE, `json.${field}`),
	// They tamper with the reply themselves.
	unseenBy: TAMPERING[field],
}));

/** An enclave that differs from one rule of the cryptography. */
const enclaves: readonly Fault[] = (
	[
		[2, 'agrees on the hash of the secret', { secret: 'hashed' }],
		[3, 'derives the key for another purpose', { info: 'handshake' }],
		[3, 'derives the key with a salt', { salt: 'harbour' }],
		[3, 'derives a key of 16 bytes', { keyLength: 16 }],
		[4, 'has additional data', { additionalData: 'harbour' }],
		[5, 'writes the nonce from its other end', { nonce: 'little-endian' }],
		[5, 'does not sign the IV', { signed: 'ciphertext' }],
	] satisfies [number, string, Deviation][]
).map(([position, what, deviation]) => ({
	what: `an enclave that ${what}`,
	breaks: `encrypted-channel/cryptographic-contract/${position}`,
	tampering: { deviation },
}));

/** Has every message bring the key that the first one brought. */
function oneKeyForAll() {
	let first: unknown;
	return inRequest(MESSAGES, 'json.peer_public_key', value => {
		first ??= value;
		return first;
	});
}

const rules: readonly Fault[] = (
	[
		['cryptographic-contract/1', 'messages that share a key pair', oneKeyForAll],
		['cryptographic-contract/2', 'a reply of other letters', inReply(MESSAGE, 'json.ciphertext')],
		['cryptographic-contract/3', 'a reply of other letters', inReply(MESSAGE, 'json.ciphertext')],
		['cryptographic-contract/4', 'a message with another IV', inRequest(MESSAGES, 'json.payload.iv')],
		['cryptographic-contract/5', 'a reply with another signature', inReply(MESSAGE, 'json.signature')],
		['cryptographic-contract/6', 'a reply that is told as a failure', withStatus(MESSAGE, 200, 502)],
		['states-and-transitions/1', 'an attestation of another session', inReply(ATTESTATION, 'json.session_id')],
		['states-and-transitions/3', 'an expired session that is told as a failure', withStatus(MESSAGES, 409, 500)],
		['states-and-transitions/4', 'an expired session that is told as a failure', withStatus(MESSAGES, 409, 500)],
		['states-and-transitions/5', 'an expired session that is told as a failure', withStatus(MESSAGES, 409, 500)],
		['endpoints/2', 'an attestation on another path', inRequest(ATTESTATION, 'path')],
		['endpoints/prose/1', 'endpoints that fail', withStatus(/\/(health|attestation)$/, 200, 500)],
		['events/prose/1', 'a stream without its last piece', inEvents(STREAM, events => events.slice(0, -1))],
		['authentication/3', 'a reply that is told as a failure', withStatus(MESSAGE, 200, 502)],
		['authentication/3', 'a message that is taken though a check fails', withStatus(MESSAGES, 400, 200)],
		['limits/1', 'a message with another nonce', inRequest(MESSAGE, 'json.payload.nonce')],
		['limits/2', 'a message with another IV', inRequest(MESSAGES, 'json.payload.iv')],
		['limits/2', 'a reply with another IV', inReply(MESSAGE, 'json.iv')],
		['limits/3', 'a refusal of another kind', withStatus(MESSAGES, 400, 418)],
		['limits/3', 'a stream without its error', inEvents(STREAM, events => events.filter(({ data }) => !isError(data)))],
	] satisfies [string, string, Fault['tampering']][]
).map(([id, what, tampering]) => ({ what, breaks: `encrypted-channel/${id}`, tampering }));

const choices: readonly Fault[] = (
	[
		[3, 'evidence that was changed', inReply(ATTESTATION, 'json.report_json')],
		[4, 'an attestation with another nonce', inReply(ATTESTATION, 'json.nonce_b64')],
		[5, 'a refusal of another kind', withStatus(MESSAGES, 400, 418)],
		[6, 'an expired session that is told as a failure', withStatus(MESSAGES, 409, 500)],
	] satisfies [number, string, Fault['tampering']][]
).map(([position, what, tampering]) => ({ what, breaks: `unspecified/encrypted-channel/${position}`, tampering }));

/** What encrypted-channel.md demands, falsified. */
export const channelFaults: readonly Fault[] = [
	...health,
	...attestation,
	...request,
	...reply,
	...enclaves,
	...rules,
	...choices,
	{
		what: 'a reply with another IV',
		breaks: 'encrypted-channel/cryptographic-contract/4',
		tampering: inReply(MESSAGE, 'json.iv'),
		unseenBy: ['client: is not read when its signature holds and its tag is another'],
	},
	{
		what: 'a reply that is told as a failure',
		breaks: 'encrypted-channel/cryptographic-contract/4',
		tampering: withStatus(MESSAGE, 200, 502),
	},
	{
		what: 'a reply with another nonce',
		breaks: 'encrypted-channel/limits/1',
		tampering: inReply(MESSAGE, 'json.nonce'),
		unseenBy: ['the local service: a nonce, a signature'],
	},
	{
		what: 'a message that stands as a later one of its session',
		breaks: 'encrypted-channel/states-and-transitions/2',
		tampering: inRequest(MESSAGE, 'json.payload.nonce', () => 1001),
	},
	{
		what: 'an expired session that is told as a failure',
		breaks: 'encrypted-channel/errors/1',
		tampering: withStatus(MESSAGE, 409, 500),
	},
	{
		what: 'a message on another path',
		breaks: 'encrypted-channel/endpoints/3',
		tampering: inRequest(MESSAGE, 'path'),
	},
	{
		what: 'a streamed message on another path',
		breaks: 'encrypted-channel/endpoints/4',
		tampering: inRequest(STREAM, 'path'),
	},
	{
		what: 'a message without its key',
		breaks: 'encrypted-channel/authentication/2',
		tampering: inRequest(MESSAGE, 'headers.authorization', missing),
	},
	{
		what: 'an attestation with another report than the one that was signed',
		breaks: 'unspecified/encrypted-channel/2',
		tampering: inReply(ATTESTATION, 'json.report_json'),
	},
	{
		what: 'a streamed reply of which a frame was changed',
		breaks: 'unspecified/encrypted-channel/1',
		tampering: inReply(STREAM, 'events.0.data.nonce'),
		unseenBy: ['client: is tampered with by a first nonce'],
	},
	{
		what: 'a streamed reply without its end',
		breaks: 'unspecified/encrypted-channel/1',
		tampering: inEvents(STREAM, events => events.slice(0, -1)),
		unseenBy: ['client: is tampered with by'],
	},
	{
		what: 'a conversation that is too long, told as another failure',
		breaks: 'unspecified/encrypted-channel/7',
		tampering: withStatus(MESSAGE, 413, 500),
	},
	{
		what: 'a health check with a key',
		breaks: 'encrypted-channel/authentication/1',
		tampering: {
			request(request) {
				request.headers.authorization = 'Bearer sk-leaked';
			},
		},
	},
	{
		what: 'a health check on another path',
		breaks: 'encrypted-channel/endpoints/1',
		tampering: inRequest(HEALTH, 'path'),
	},
];
