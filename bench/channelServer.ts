// The enclave's side of the encrypted channel, in a separate process, so that its work is not counted as the
// contenders'.
import { randomBytes, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import {
	open,
	p384KeyPair,
	p384PublicKey,
	type Sealed,
	seal,
	sharedKey,
} from '../test/support/contractServer/channelCryptography.ts';

interface Message {
	peer_public_key: string;
	payload: Sealed;
}

const { publicKey, privateKey } = p384KeyPair();
const reportJson = '{"arch":"HOPPER"}';

const attestation = () => ({
	public_key: publicKey.export({ type: 'spki', format: 'pem' }),
	session_id: 'bench',
	nonce_b64: randomBytes(32).toString('base64'),
	signature: sign('sha256', Buffer.from(reportJson), privateKey).toString('base64'),
	report_json: reportJson,
});

/**
 * Returns as many frames as the number in the message. All of them are sealed before the first one is sent, because
 * signing takes about as long as verifying.
 */
function frames({ peer_public_key: peer, payload }: Message): string {
	const peerKey = p384PublicKey(peer);
	const key = sharedKey(privateKey, peerKey);
	const [{ content }] = JSON.parse(open(payload, key, peerKey));
	const sealed = Array.from({ length: Number(content) }, (_, index) =>
		seal(`token ${index} `, payload.nonce + 2000, key, privateKey),
	);
	return [...sealed.map(frame => JSON.stringify(frame)), '[DONE]'].map(data => `data: ${data}\n\n`).join('');
}

const server = createServer(async (request, response) => {
	if (request.method === 'GET') {
		response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(attestation()));
		return;
	}
	const body = (await request.setEncoding('utf8').toArray()).join('');
	const reply = frames(JSON.parse(body));
	response.writeHead(200, { 'content-type': 'text/event-stream' }).end(reply);
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
