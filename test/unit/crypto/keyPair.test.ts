import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import nodeCrypto, { createPrivateKey, createPublicKey, diffieHellman, generateKeyPairSync, verify } from 'node:crypto';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { agree, generateKeyPair, type KeyPair, signMessage } from '../../../src/crypto/keyPair.ts';
import { readPublicKey, writePublicKey } from '../../../src/crypto/publicKey.ts';
import { readDerSignature } from '../../../src/crypto/signature.ts';
import { exchange, ORDER, uncompressed } from './vectors.ts';

/** The platform's own form of one of our key pairs. */
function platformKey({ secretKey, publicKey }: KeyPair) {
	const jwk = createPublicKey(publicKey).export({ format: 'jwk' });
	return createPrivateKey({ format: 'jwk', key: { ...jwk, d: Buffer.from(secretKey).toString('base64url') } });
}

for (const [name, platform] of [
	['the platform’s library', nodeCrypto],
	['the portable library', null],
] as const) {
	describe(`a key pair of ${name}`, () => {
		it('is new each time', () => {
			const [one, other] = [generateKeyPair(platform), generateKeyPair(platform)];
			assert.notEqual(one.publicKey, other.publicKey);
			assert.notDeepEqual(one.secretKey, other.secretKey);
			assert.equal(one.secretKey.length, 48);
		});

		it('shows its public half in a form that we take ourselves and others take too', () => {
			const { publicKey } = generateKeyPair(platform);
			const { point, spki } = readPublicKey(publicKey);
			assert.equal(writePublicKey(point), publicKey);
			const theirs = createPublicKey(publicKey);
			assert.equal(theirs.asymmetricKeyDetails?.namedCurve, 'secp384r1');
			assert.deepEqual(theirs.export({ type: 'spki', format: 'der' }), Buffer.from(spki));
			assert.equal(theirs.export({ type: 'spki', format: 'pem' }), publicKey);
		});

		it('comes to the shared secret of RFC 5903 on both sides', () => {
			const { initiator, responder, sharedSecret } = exchange;
			const key = (side: typeof initiator) => readPublicKey(writePublicKey(uncompressed(side)));
			assert.deepEqual(Buffer.from(agree(initiator.secretKey, key(responder), platform)), sharedSecret);
			assert.deepEqual(Buffer.from(agree(responder.secretKey, key(initiator), platform)), sharedSecret);
		});

		it('comes to the same secret as another implementation', () => {
			const ours = generateKeyPair(platform);
			const theirs = generateKeyPairSync('ec', { namedCurve: 'P-384' });
			const pem = theirs.publicKey.export({ type: 'spki', format: 'pem' }).toString();
			assert.deepEqual(
				Buffer.from(agree(ours.secretKey, readPublicKey(pem), platform)),
				diffieHellman({ privateKey: theirs.privateKey, publicKey: createPublicKey(ours.publicKey) }),
			);
			assert.deepEqual(
				Buffer.from(agree(ours.secretKey, readPublicKey(pem), platform)),
				diffieHellman({ privateKey: platformKey(ours), publicKey: theirs.publicKey }),
			);
		});

		it('signs in strict DER what another implementation verifies, s being in either half', async () => {
			const halves = new Set<boolean>();
			for (let count = 0; count < 40; count++) {
				const pair = generateKeyPair(platform);
				const message = Buffer.from(`message ${count}`);
				const signature = await signMessage(pair.secretKey, message, platform);
				assert.ok(verify('sha256', message, { key: pair.publicKey, dsaEncoding: 'der' }, signature));
				const raw = Buffer.from(readDerSignature(signature) ?? []);
				halves.add(BigInt(`0x${raw.subarray(48).toString('hex')}`) > ORDER / 2n);
			}
			assert.equal(halves.size, 2);
		});

		it('comes to a secret of 48 bytes with the other library, however many of them are zero', async () => {
			const other = platform === null ? nodeCrypto : null;
			for (let count = 0; count < (platform ? 600 : 30); count++) {
				const [ours, theirs] = [generateKeyPair(platform), generateKeyPair(nodeCrypto)];
				assert.equal(ours.secretKey.length, 48);
				const secret = agree(ours.secretKey, readPublicKey(theirs.publicKey), platform);
				assert.equal(secret.length, 48);
				if (count < 5 || secret[0] === 0 || ours.secretKey[0] === 0) {
					const same = agree(theirs.secretKey, readPublicKey(ours.publicKey), other);
					assert.deepEqual(Buffer.from(secret), Buffer.from(same));
				}
			}
		});
	});
}

describe('the first key pair of a program', () => {
	it('does not hold up the event loop with what the portable library has to prepare', () => {
		const source = (module: string) => JSON.stringify(pathToFileURL(`src/crypto/${module}.ts`).href);
		const program = `
			import { agree, generateKeyPair, signMessage } from ${source('keyPair')};
			import { readPublicKey } from ${source('publicKey')};
			const spent = async platform => {
				const before = process.threadCpuUsage();
				const pair = generateKeyPair(platform);
				agree(pair.secretKey, readPublicKey(pair.publicKey), platform);
				await signMessage(pair.secretKey, new Uint8Array(8), platform);
				const { user, system } = process.threadCpuUsage(before);
				return (user + system) / 1000;
			};
			console.log(JSON.stringify([await spent(), await spent(null)]));`;
		const [ours, portable] = JSON.parse(
			execFileSync(process.execPath, ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', program], {
				encoding: 'utf8',
			}),
		);
		assert.ok(ours < portable / 2, `${ours} ms of ${portable} ms`);
	});
});
