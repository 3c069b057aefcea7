import { type Fault, inEvents, inReply, inRequest, missing, withStatus } from './fault.ts';

const HEALTH = /^GET .*\/health$/;
const ATTESTATION = /^GET .*\/attestation$/;
const MESSAGE = /^POST .*\/message$/;
const STREAM = /^POST .*\/message_stream$/;

const health: readonly Fault[] = ['status', 'crypto_status', 'server', 'version', 'timestamp', 'worker_pid'].map(
	(field, index) => ({
		what: `a health record with another ${field}`,
		breaks: `encrypted-channel/health-record/${index + 1}`,
		tampering: inReply(HEALTH, `json.${field}`),
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

const reply: readonly Fault[] = ['nonce', 'iv', 'ciphertext', 'signature'].map((field, index) => ({
	what: `a reply with another ${field}`,
	breaks: `encrypted-channel/message-response-body/${index + 1}`,
	tampering: inReply(MESSAGE, `json.${field}`),
}));

/** What encrypted-channel.md demands, falsified. */
export const channelFaults: readonly Fault[] = [
	...health,
	...attestation,
	...request,
	...reply,
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
	},
	{
		what: 'a streamed reply without its end',
		breaks: 'unspecified/encrypted-channel/1',
		tampering: inEvents(STREAM, events => events.slice(0, -1)),
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
