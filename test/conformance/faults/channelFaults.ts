import { type Fault, inReply, inRequest, missing } from './fault.ts';

const HEALTH = /^GET .*\/health$/;
const ATTESTATION = /^GET .*\/attestation$/;

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

/** What encrypted-channel.md demands, falsified. */
export const channelFaults: readonly Fault[] = [
	...health,
	...attestation,
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
