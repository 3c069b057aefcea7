import { type Mutation, of } from './mutation.ts';

const CHANNEL = ['channelSession', 'channelEvidence', 'localService/channel'];

/** Changes of the encrypted channel's cryptography. */
export const cryptoMutations: readonly Mutation[] = [
	...of('src/crypto/sealedFrame.ts', CHANNEL, [
		['the key is for another purpose', "'handshake data'", "'handshake'"],
		['the key has 16 bytes', 'KEY_LENGTH = 32', 'KEY_LENGTH = 16'],
		['the key has a salt', 'new Uint8Array(), INFO', 'Buffer.from([1]), INFO'],
		[
			'the nonce is signed from its other end',
			'setBigUint64(0, BigInt(nonce))',
			'setBigUint64(0, BigInt(nonce), true)',
		],
		['the nonce is signed in 4 bytes', 'NONCE_LENGTH = 8', 'NONCE_LENGTH = 9'],
		['the IV is not signed', '\tbytes.set(iv, NONCE_LENGTH);\n', ''],
		['every IV is the same', 'crypto.getRandomValues(new Uint8Array(IV_LENGTH))', 'new Uint8Array(IV_LENGTH)'],
		[
			'no signature is looked at',
			"if (!(await verify(signedBytes(nonce, iv, ciphertext), raw, 'SHA-256'))) {",
			'if (false) {',
		],
		[
			'an IV may have any length',
			'iv.length !== IV_LENGTH || ',
			'',
			'The schemas of messages and of replies take IVs of 12 bytes alone.',
		],
	]),
	...of('src/crypto/aesGcm.ts', CHANNEL, [
		['an IV has 16 bytes', 'IV_LENGTH = 12', 'IV_LENGTH = 16'],
		['a tag has 12 bytes', 'TAG_LENGTH = 16', 'TAG_LENGTH = 12'],
		['a tag is not compared', '\t\t\tdecipher.final();\n', ''],
	]),
	...of('src/crypto/sealedFrame.ts', CHANNEL, [
		['another hash derives the key', "hkdfSync('sha256'", "hkdfSync('sha384'"],
	]),
	...of('src/crypto/keyPair.ts', CHANNEL, [
		['another hash is signed', "digest('SHA-256', message)", "digest('SHA-384', message)"],
		['the hash is hashed once more', 'prehash: false', 'prehash: true'],
		['the secret has a byte of another kind', 'subarray(1)', 'subarray(0)'],
	]),
	...of('src/crypto/publicKey.ts', CHANNEL, [
		['a point may lie anywhere', 'if (!isOnCurve(point)) {', 'if (false) {'],
		[
			'a key may have any form',
			'spki.length !== PREFIX.length + POINT_LENGTH || !PREFIX.every((byte, index) => spki[index] === byte)',
			'false',
		],
	]),
	...of('src/crypto/signature.ts', CHANNEL, [
		['bytes may follow a signature', '\t\touter.end();\n', ''],
		[
			'the two numbers change places',
			'raw.set(s, RAW_SIGNATURE_LENGTH - s.length)',
			'raw.set(s, NUMBER_LENGTH - s.length)',
		],
	]),
	...of('src/crypto/verifier.ts', CHANNEL, [
		[
			'every signature holds',
			'check(NODE_DIGEST[digest], message, key, writeDerSignature(signature))',
			'(await check(NODE_DIGEST[digest], message, key, writeDerSignature(signature)), true)',
		],
		[
			'the hashes change places',
			"{ 'SHA-256': 'sha256', 'SHA-384': 'sha384' }",
			"{ 'SHA-256': 'sha384', 'SHA-384': 'sha256' }",
		],
	]),
];
