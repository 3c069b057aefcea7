import { NOT_SHOWN, OVERVIEW, type ProseSection, type Sentence } from './sentence.ts';

const section = (heading: string, sentences: readonly Sentence[]): ProseSection => ({
	document: 'encrypted-channel',
	heading,
	sentences,
});

/** The prose of encrypted-channel.md. */
export const encryptedChannelProse: readonly ProseSection[] = [
	section('Encrypted Message Channel', [
		{
			text: 'This document covers the end-to-end encrypted message channel: health check, attestation, encrypted message and encrypted streamed message.',
			obligesNobody: OVERVIEW,
		},
		{
			text: 'Document 1 covers the inference APIs (chat, responses, routing, search, image, decision).',
			obligesNobody: OVERVIEW,
		},
		{
			text: 'Document 3 covers the cloud task service and source-hosting lookups.',
			obligesNobody: OVERVIEW,
		},
		{
			text: 'Placeholders: `{org_url}` is a per-organisation host of the form `https://{organisation}.<domain>`; `{encrypt_url}` is a shared encrypted-channel host.',
			repeats: ['encrypted-channel/endpoints/prose/1'],
		},
		{
			text: '`{provider}` and `{model}` are path segments naming the model provider and the model.',
			repeats: ['encrypted-channel/endpoints/prose/1'],
		},
	]),
	section('What the service does', [
		{
			text: 'Lets a client exchange messages with a model that runs in a GPU enclave over a channel that is encrypted and signed end to end: the network and the server front only ever see ciphertext.',
			repeats: ['encrypted-channel/message-request-body/6', 'encrypted-channel/message-response-body/3'],
		},
		{
			text: 'Publishes a public key and a hardware attestation report so the client can check the enclave before sending anything.',
			repeats: ['encrypted-channel/attestation-record/1', 'encrypted-channel/attestation-record/5'],
		},
		{
			text: 'Two addressing forms exist: on `{org_url}` every path is scoped to a model with the prefix `/enc/{provider}/{model}`; on `{encrypt_url}` the same four endpoints are served without that prefix.',
			repeats: ['encrypted-channel/endpoints/prose/1'],
		},
	]),
	section('Attestation record', [
		{
			text: 'Contents of `report_json`, `report` and `gpu_eat` beyond what the table states: not shown.',
			obligesNobody: NOT_SHOWN,
		},
	]),
	section('States and transitions', [
		{
			text: 'A session is created by the attestation and lasts until the server expires it.',
			repeats: [1, 2, 3].map(position => `encrypted-channel/states-and-transitions/${position}`),
		},
	]),
	section('Endpoints', [
		{
			text: 'Paths below are relative to `{org_url}/enc/{provider}/{model}` or to `{encrypt_url}`.',
			demands: ['each of the four endpoints stands below the address of a model, and below the shared address'],
		},
		{ text: 'Request and response format of `/message_stream`: not shown.', obligesNobody: NOT_SHOWN },
	]),
	section('Events', [
		{
			text: 'The `/message_stream` reply is a token-by-token stream.',
			demands: ['a streamed reply is read piece by piece'],
		},
		{ text: 'Framing and event names of that stream: not shown.', obligesNobody: NOT_SHOWN },
	]),
	section('Errors', [
		{
			text: 'Status codes and bodies for failed signature checks, bad nonces, missing or invalid keys and other failures: not shown.',
			obligesNobody: NOT_SHOWN,
		},
	]),
	section('Versioning', [
		{ text: 'The health record carries a `version` string.', repeats: ['encrypted-channel/health-record/4'] },
		{ text: 'API versioning policy and path versions: not shown.', obligesNobody: NOT_SHOWN },
	]),
];
