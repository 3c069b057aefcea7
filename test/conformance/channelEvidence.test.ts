import assert from 'node:assert/strict';
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { nullLogger } from '../../src/base/logger.ts';
import { ChannelMemory } from '../../src/client/channel/memory.ts';
import { createClient } from '../../src/client/client.ts';
import { createFetchTransport } from '../../src/client/core/fetchTransport.ts';
import type { Client } from '../../src/client/types.ts';
import { connectionSchema } from '../../src/contract/connection.ts';
import type { ContractServer } from '../support/contractServer/contractServer.ts';
import { connectionFields } from '../support/contractServer/fixtures.ts';
import { messagesTo } from './channelProofs.ts';
import { type Alteration, standIn } from './enclaveStandIn.ts';
import { prove } from './harness.ts';

const ATTESTATION = 'encrypted-channel/attestation-record';
const CHOICES = 'unspecified/encrypted-channel';

/** Creates the client of another window, which shares what the editor remembers of the channel. */
const sharing = (server: ContractServer, memory: ChannelMemory): Client =>
	createClient({
		connection: { name: 'contract', ...connectionSchema.parse(connectionFields(server)) },
		keys: async kind => server.keys[kind],
		transport: createFetchTransport((url, init) => globalThis.fetch(url, init)),
		logger: nullLogger,
		channel: { memory },
	});

/** Returns a token of the right form that carries this nonce and that no authority vouches for. */
const tokenWith = (nonce: unknown) =>
	`e30.${Buffer.from(JSON.stringify({ eat_nonce: nonce })).toString('base64url')}.e30`;

describe('the proof of an attestation', () => {
	prove(
		[`${ATTESTATION}/1`, `${ATTESTATION}/4`, `${CHOICES}/2`],
		'is a signature of report_json, in either form and with either hash, which is named',
		async ({ client, server }) => {
			for (const [digest, dsaEncoding, name] of [
				['sha256', 'der', 'DER, SHA-256'],
				['sha384', 'der', 'DER, SHA-384'],
				['sha256', 'ieee-p1363', 'raw r‖s, SHA-256'],
				['sha384', 'ieee-p1363', 'raw r‖s, SHA-384'],
			] as const) {
				standIn(server, undefined, (record, { privateKey }) => ({
					...record,
					signature: sign(digest, Buffer.from(record.report_json), { key: privateKey, dsaEncoding }).toString('base64'),
				}));
				const { verdicts } = await client.channel.open();
				const signature = verdicts.find(({ check }) => check === 'signature');
				assert.deepEqual([signature?.verdict, signature?.input], ['pass', name]);
			}
			standIn(server, undefined, record => ({ ...record, report_json: `${record.report_json} ` }));
			await assert.rejects(client.channel.open(), { code: 'tampered', message: /signature: signature-wrong/ });
		},
	);

	prove(`${CHOICES}/3`, 'says of evidence that is not verified that it is not', async ({ client }) => {
		const { verdicts } = await client.channel.open();
		for (const name of ['gpu-evidence', 'gpu-token', 'key-binding', 'freshness']) {
			const found = verdicts.find(({ check }) => check === name);
			assert.equal(found?.verdict, 'unknown');
			assert.match(found.code, /\w/);
		}
	});

	prove(
		[`${ATTESTATION}/1`, 'encrypted-channel/cryptographic-contract/2'],
		'needs one key, and a point of the curve P-384',
		async ({ client, server }) => {
			const pemOf = (der: Buffer) => {
				const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
				return ['-----BEGIN PUBLIC KEY-----', ...lines, '-----END PUBLIC KEY-----', ''].join('\n');
			};
			const changes: ((pem: string, der: Buffer) => string)[] = [
				() =>
					generateKeyPairSync('ec', { namedCurve: 'P-256' })
						.publicKey.export({ type: 'spki', format: 'pem' })
						.toString(),
				pem => pem + pem,
				pem => pem.replace('PUBLIC KEY', 'PRIVATE KEY'),
				(_, der) => pemOf(der.subarray(0, -1)),
				(_, der) => pemOf(Buffer.concat([der, Buffer.of(0)])),
				// Another last digit of y: the point lies beside the curve.
				(_, der) => pemOf(Buffer.concat([der.subarray(0, -1), Buffer.of((der.at(-1) ?? 0) ^ 1)])),
			];
			for (const change of changes) {
				standIn(server, undefined, (record, { publicKey }) => ({
					...record,
					public_key: change(record.public_key, publicKey.export({ type: 'spki', format: 'der' })),
				}));
				await assert.rejects(client.channel.open(), { code: 'tampered', message: /public-key: key-refused/ });
			}
			assert.deepEqual(messagesTo(server), []);
		},
	);

	/** Signs the report anew, so that the nonce is the only fault. */
	const reporting =
		(report: unknown): Alteration =>
		(record, { privateKey }) => {
			const text = JSON.stringify(report);
			const signature = sign('sha256', Buffer.from(text), privateKey).toString('base64');
			return { ...record, report_json: text, signature };
		};

	prove([`${ATTESTATION}/3`, `${CHOICES}/4`], 'needs a nonce of a fitting length', async ({ client, server }) => {
		for (const [nonce, code] of [
			[undefined, 'bad-response'],
			[null, 'bad-response'],
			['', 'bad-response'],
			[randomBytes(15), 'tampered'],
			[randomBytes(65), 'tampered'],
		] as const) {
			const text = Buffer.isBuffer(nonce) ? nonce.toString('base64') : nonce;
			standIn(server, undefined, record => ({ ...record, nonce_b64: text as string }));
			await assert.rejects(client.channel.open(), { code }, String(nonce));
		}
		for (const length of [16, 64]) {
			standIn(server, undefined, record => ({ ...record, nonce_b64: randomBytes(length).toString('base64') }));
			await client.channel.open();
		}
		assert.deepEqual(messagesTo(server), []);
	});

	prove(
		[`${ATTESTATION}/3`, `${CHOICES}/4`],
		'needs a nonce that came with no other key, in this window or another one of the editor',
		async ({ server }) => {
			const memory = new ChannelMemory();
			const [first, second] = [sharing(server, memory), sharing(server, memory)];
			const { attestation } = await first.channel.open();
			standIn(server, undefined, record => ({ ...record, nonce_b64: attestation.nonce_b64 }));
			for (const client of [first, second]) {
				await assert.rejects(client.channel.open(), { code: 'tampered', message: /nonce-seen/ });
			}
			assert.deepEqual(messagesTo(server), []);
			// An editor that never saw the nonce has nothing to compare it with.
			await sharing(server, new ChannelMemory()).channel.open();
		},
	);

	prove(
		[`${ATTESTATION}/3`, `${CHOICES}/4`],
		'needs the same nonce wherever the report or the token repeats it',
		async ({ client, server }) => {
			const spellings: ((bytes: Buffer) => unknown)[] = [
				bytes => bytes.toString('hex'),
				bytes => bytes.toString('base64'),
				bytes => [bytes.toString('base64url')],
			];
			const places: ((claim: unknown) => Alteration)[] = [
				claim => reporting({ eat_nonce: claim }),
				claim => record => ({ ...record, gpu_eat: tokenWith(claim) }),
			];
			for (const spell of spellings) {
				for (const place of places) {
					const [nonce, other] = [randomBytes(32), randomBytes(32)];
					const answer = (bytes: Buffer) =>
						standIn(server, undefined, (record, keyPair) =>
							place(spell(bytes))({ ...record, nonce_b64: nonce.toString('base64') }, keyPair),
						);
					answer(other);
					await assert.rejects(client.channel.open(), { code: 'tampered', message: /nonce-other/ });
					answer(nonce);
					await client.channel.open();
				}
			}
		},
	);
});
