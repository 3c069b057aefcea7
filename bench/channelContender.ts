import { createDecipheriv, createHash, type KeyObject, randomBytes, verify } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { promisify } from 'node:util';
import { p384 } from '@noble/curves/nist.js';
import { SIDE_BY_SIDE } from '../src/client/channel/replyStream.ts';
// The client loads this module when a session is opened, which takes longer from sources than from a bundle.
import '../src/client/channel/session.ts';
import { ChannelMemory } from '../src/client/channel/memory.ts';
import { createClient } from '../src/client/client.ts';
import { createFetchTransport } from '../src/client/core/fetchTransport.ts';
import { connectionSchema } from '../src/contract/connection.ts';
import { AesKey } from '../src/crypto/aesGcm.ts';
import { readPublicKey } from '../src/crypto/publicKey.ts';
import { openFrame } from '../src/crypto/sealedFrame.ts';
import type { Verifier } from '../src/crypto/verifier.ts';
import { p384KeyPair, seal } from '../test/support/contractServer/channelCryptography.ts';
import { contend, parameters } from './contender.ts';

const { contender, address, size } = parameters<{
	contender: keyof typeof contenders;
	address: string;
	size: number;
}>();

const WARM_UP = 100;

/** The bytes of a frame, which are prepared before the loop. */
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

const check = promisify(verify);

/** Verifies and decrypts one frame and does nothing else. This is the floor for the goal. */
async function openBare(
	{ signed, iv, ciphertext, signature }: Frame,
	key: Buffer,
	publicKey: KeyObject,
): Promise<void> {
	if (!(await check('sha256', signed, publicKey, signature))) {
		throw new Error('a frame does not verify');
	}
	const decipher = createDecipheriv('aes-256-gcm', key, iv);
	decipher.setAuthTag(ciphertext.subarray(-16));
	Buffer.concat([decipher.update(ciphertext.subarray(0, -16)), decipher.final()]).toString();
}

/**
 * Returns a function that reports on the time since this call: frames per second, and the CPU microseconds of all
 * threads.
 */
function stopwatch(): () => { rate: number; busy: number } {
	const start = performance.now();
	const before = process.cpuUsage();
	return () => {
		const { user, system } = process.cpuUsage(before);
		return { rate: size / ((performance.now() - start) / 1000), busy: user + system };
	};
}

function connect() {
	const memory = new ChannelMemory();
	let requests = 0;
	const client = createClient({
		connection: {
			name: 'bench',
			...connectionSchema.parse({ apiUrl: address, encryptUrl: address, service: 'bench' }),
		},
		keys: () => Promise.resolve('sk-bench'),
		transport: createFetchTransport((input, init) => {
			requests++;
			return globalThis.fetch(input, init);
		}),
		channel: { memory },
	});
	return { client, memory, requests: () => requests };
}

/** Sends as many messages as the other contenders have frames, each with a reply of one frame. */
async function sendMessages({ client, requests }: ReturnType<typeof connect>) {
	const read = stopwatch();
	const session = await client.channel.open();
	let count = 0;
	for (let message = 0; message < size; message++) {
		for await (const _ of session.stream([{ role: 'user', content: '1' }])) {
			count++;
		}
	}
	return { count, requests: requests(), ...read() };
}

const contenders = {
	async floor() {
		const { publicKey, key, frames } = prepare();
		const read = stopwatch();
		// The floor opens as many frames at a time as the client does.
		for (let start = 0; start < frames.length; start += SIDE_BY_SIDE) {
			await Promise.all(frames.slice(start, start + SIDE_BY_SIDE).map(frame => openBare(frame, key, publicKey)));
		}
		return { count: frames.length, ...read() };
	},
	async ours() {
		const { client } = connect();
		const session = await client.channel.open();
		// The floor made its frames before the measurement, which has warmed it up; this stream warms up the client.
		for await (const _ of session.stream([{ role: 'user', content: String(WARM_UP) }])) {
		}
		let count = 0;
		const all = stopwatch();
		let read = all;
		for await (const _ of session.stream([{ role: 'user', content: String(size) }])) {
			// The reply is sealed before it is sent. Its first text marks the time of its arrival.
			read = count === 0 ? stopwatch() : read;
			count++;
		}
		// The work on a reply before its first text is counted too, while the sealing is not.
		return { count, rate: read().rate, busy: all().busy };
	},
	/** One conversation of short messages, in a session that lasts. */
	async messages() {
		return sendMessages(connect());
	},
	/** The same, if the service accepts only one message in each session. */
	async attestations() {
		const connected = connect();
		connected.memory.noteSessionPerMessage(`${address}/attestation`);
		return sendMessages(connected);
	},
	/** The same as the floor, with a library written in JavaScript. */
	async portable() {
		const { publicKey, key: bytes, frames } = prepare();
		const { point } = readPublicKey(publicKey.export({ type: 'spki', format: 'pem' }).toString());
		const verifier: Verifier = async (message, signature) => {
			const hash = createHash('sha256').update(message).digest();
			return p384.verify(signature, hash, point, { prehash: false, lowS: false });
		};
		const key = new AesKey(bytes);
		const read = stopwatch();
		for (const frame of frames) {
			await openFrame({ nonce: 3000, ...frame }, key, verifier);
		}
		return { count: frames.length, ...read() };
	},
};

await contend(contenders[contender]);
process.disconnect();
