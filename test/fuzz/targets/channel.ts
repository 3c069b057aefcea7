// The evidence of an encrypted channel, and bytes in binary forms.
import assert from 'node:assert/strict';
import { importJWK } from 'jose';
import { ClientError } from '../../../src/base/errors.ts';
import { exportReport, rawViews } from '../../../src/channel/model/evidence.ts';
import { summarise } from '../../../src/channel/model/summary.ts';
import { verdictReasonText } from '../../../src/channel/reasonMessages.ts';
import { readImage } from '../../../src/chat/model/images.ts';
import { readAttestation } from '../../../src/client/channel/attest.ts';
import { readSpdmReport } from '../../../src/client/channel/hardware/spdmReport.ts';
import { climbLadder } from '../../../src/client/channel/ladder.ts';
import { ChannelMemory } from '../../../src/client/channel/memory.ts';
import { readMessageReply } from '../../../src/client/channel/message.ts';
import type { AttestationRecord } from '../../../src/contract/channel.ts';
import { readCertificates } from '../../../src/crypto/certificate.ts';
import { readPublicKey, readSubjectPublicKeyInfo } from '../../../src/crypto/publicKey.ts';
import { CryptoRefusal } from '../../../src/crypto/refusal.ts';
import { readDerSignature } from '../../../src/crypto/signature.ts';
import { assertLine, assertText, corpusOf, jsonOf, type Target, unlessRefused } from '../fuzzer.ts';
import attestationMaker from './attestationMaker.json' with { type: 'json' };

/** The maker of the devices in the corpus, which test/support/gpuMaker.ts has made. */
const { authority, now } = attestationMaker;
const key = importJWK(attestationMaker.key, 'ES384');

/** The reports that a key has signed. */
const signed = new Set(
	[...corpusOf({ name: 'attestation' }).values()].map(file => (jsonOf(file) as AttestationRecord).report_json),
);

const attestation: Target = {
	name: 'attestation',
	iterations: 60,
	async run(input) {
		const value = jsonOf(input);
		unlessRefused(() => readMessageReply(value, 1_000), ClientError);
		const record = unlessRefused(() => readAttestation(value), ClientError);
		if (record === undefined) {
			return 'unreadable';
		}
		const proof = await climbLadder(record, {
			...{
				address: 'https://enclave.example/attestation',
				memory: new ChannelMemory(),
				before: undefined,
				authority,
				now,
			},
			findKey: async () => (await key) as never,
		});
		const { named: _, ...attested } = proof;
		for (const { check, verdict, code, values, input: seen } of proof.verdicts) {
			assertLine(verdictReasonText({ code, ...(values && { values }) }), 'a verdict');
			assert.ok(
				verdict !== 'pass' || check !== 'signature' || signed.has(record.report_json),
				'nobody has signed this report',
			);
			assert.ok((seen ?? '').length <= 20_000);
		}
		for (const { name, text } of rawViews(attested)) {
			assertLine(name, 'a name in a report');
			assertText(text, 'a report');
		}
		const summary = summarise(attested, false);
		JSON.parse(exportReport({ connection: 'a', checkedAt: '2026-01-01', summary: '', ...attested } as never));
		return [...proof.verdicts.map(({ code }) => code), summary.broken].join();
	},
};

/** Reads the bytes in every binary form. A certificate is also read behind the text that stands around one. */
const binary: Target = {
	name: 'binary',
	iterations: 1_500,
	run(input) {
		const read = [readSpdmReport, readSubjectPublicKeyInfo, readDerSignature].map(
			reader => unlessRefused(() => reader(input), CryptoRefusal) !== undefined,
		);
		const pem = `-----BEGIN CERTIFICATE-----\n${input.toString('base64')}\n-----END CERTIFICATE-----\n`;
		for (const text of [input.toString('latin1'), pem]) {
			const certificates = unlessRefused(() => readCertificates(text), CryptoRefusal);
			unlessRefused(() => readPublicKey(text), CryptoRefusal);
			read.push(certificates !== undefined);
		}
		const header = readImage(input);
		assert.ok(header === undefined || header.width * header.height > 0, 'an image has no size');
		return [...read, header?.type].join();
	},
};

export const channelTargets: readonly Target[] = [attestation, binary];
