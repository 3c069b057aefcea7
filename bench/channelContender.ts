import { createDecipheriv, type KeyObject, randomBytes, verify } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { createClient } from '../src/client/client.ts';
import { createFetchTransport } from '../src/client/core/fetchTransport.ts';
import { connectionSchema } from '../src/contract/connection.ts';
import { importAesKey } from '../src/crypto/aesGcm.ts';
import { readPublicKey } from '../src/crypto/publicKey.ts';
import { openFrame } from '../src/crypto/sealedFrame.ts';
import { createVerifier } from '../src/crypto/verifier.ts';
import { p384KeyPair, seal } from '../test/support/contractServer/channelCryptography.ts';
import { contend, parameters } from './contender.ts';

const { contender, address, size } = parameters<{
	contender: keyof typeof contenders;
	address: string;
	size: number;
}>();

/** Bytes of frames, as they stand before the loop. */
interface Frame {
	signed: Buffer;
	iv: Buffer;
	ciphertext: Buffer;
	signature: Buffer;
}

function prepare() {
	const keyPair = p384KeyPair();
	const key = randomBytes(32);
	const frames = Array.from({ length: size }, (_, index): Frame => {
		const sealed = seal(`token ${index} `, 3000, key, keyPair.privateKey);
		const head = Buffer.alloc(8);
		head.writeBigUInt64BE(3000n);
		const [iv, ciphertext, signature] = [sealed.iv, sealed.ciphertext, sealed.signature].map(text =>
			Buffer.from(text, 'base64'),
		) as [Buffer, Buffer, Buffer];
		return { signed: Buffer.concat([head, iv, ciphertext]), iv, ciphertext, signature };
	});
	return { publicKey: keyPair.publicKey, key, frames };
}

/** One check and one decryption a frame, and nothing else: the floor that the goal measures against. */
function openBare({ signed, iv, ciphertext, signature }: Frame, key: Buffer, publicKey: KeyObject): void {
	if (!verify('sha256', signed, publicKey, signature)) {
		throw new Error('a frame does not verify');
	}
	const decipher = createDecipheriv('aes-256-gcm', key, iv);
	decipher.setAuthTag(ciphertext.subarray(-16));
	Buffer.concat([decipher.update(ciphertext.subarray(0, -16)), decipher.final()]).toString();
}

/** Frames a second from `start` to now. */
const rateSince = (start: number) => size / ((performance.now() - start) / 1000);

const contenders = {
	async floor() {
		const { publicKey, key, frames } = prepare();
		const start = performance.now();
		for (const frame of frames) {
			openBare(frame, key, publicKey);
		}
		return { count: frames.length, rate: rateSince(start) };
	},
	async ours() {
		const client = createClient({
			connection: {
				name: 'bench',
				...connectionSchema.parse({ apiUrl: address, encryptUrl: address, service: 'bench' }),
			},
			keys: () => Promise.resolve('sk-bench'),
			transport: createFetchTransport((input, init) => globalThis.fetch(input, init)),
		});
		const session = await client.channel.open();
		let count = 0;
		let start = 0;
		for await (const _ of session.stream([{ role: 'user', content: 'x' }])) {
			// The reply is sealed before it is sent; its first text marks when it came.
			start ||= performance.now();
			count++;
		}
		return { count, rate: rateSince(start) };
	},
	/** Where the platform has no library of its own. */
	async portable() {
		const { publicKey, key: bytes, frames } = prepare();
		const verifier = createVerifier(readPublicKey(publicKey.export({ type: 'spki', format: 'pem' }).toString()), null);
		const key = await importAesKey(bytes);
		const start = performance.now();
		for (const frame of frames) {
			await openFrame({ nonce: 3000, ...frame }, key, verifier);
		}
		return { count: frames.length, rate: rateSince(start) };
	},
};

await contend(contenders[contender]);
process.disconnect();
