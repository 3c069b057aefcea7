// The verification ladder's checks, one function each: what was seen, never what to do about it.
import { isDeepStrictEqual } from 'node:util';
import { decodeBase64 } from '../../base/base64.ts';
import { parseJson } from '../../base/json.ts';
import { isLoopbackHost } from '../../base/loopback.ts';
import type { AttestationRecord } from '../../contract/channel.ts';
import { fingerprintOf, type PublicKey, readPublicKey } from '../../crypto/publicKey.ts';
import { CryptoRefusal } from '../../crypto/refusal.ts';
import { RAW_SIGNATURE_LENGTH, readDerSignature } from '../../crypto/signature.ts';
import { createVerifier, type Digest } from '../../crypto/verifier.ts';
import type { AcceptedAttestation, CheckName } from '../types.ts';
import { type CheckResult, fail, pass, unknown } from './checkResult.ts';
import { nonceClaims } from './nonceClaims.ts';

/** What came over another way, or in another form, never gets here: fetching it throws. */
export function checkTransport(address: string): CheckResult {
	const { protocol, hostname } = new URL(address);
	const code = protocol === 'https:' ? 'way-https' : isLoopbackHost(hostname) ? 'way-loopback' : 'way-open';
	return (code === 'way-open' ? fail : pass)(code, { input: address });
}

/** The key, by which later checks go, with its fingerprint. */
export interface NamedKey {
	key: PublicKey;
	fingerprint: string;
}

export async function checkPublicKey(record: AttestationRecord): Promise<{ finding: CheckResult; named?: NamedKey }> {
	try {
		const key = readPublicKey(record.public_key);
		const fingerprint = await fingerprintOf(key);
		const finding = pass('key-usable', { input: `SHA-256 ${fingerprint}` });
		return { finding, named: { key, fingerprint } };
	} catch (error) {
		if (!(error instanceof CryptoRefusal)) {
			throw error;
		}
		return { finding: fail('key-refused', { values: [error.code] }) };
	}
}

/**
 * contract: not shown. Which bytes are signed, in which form and with which hash: the bytes of `report_json` as
 * received, DER or raw r ‖ s, SHA-256 or SHA-384 (unspecified.md).
 */
export async function checkSignature(record: AttestationRecord, key: PublicKey): Promise<CheckResult> {
	const signature = decodeBase64(record.signature) ?? new Uint8Array();
	const der = readDerSignature(signature);
	const forms = [
		...(der ? [{ form: 'DER', raw: der }] : []),
		...(signature.length === RAW_SIGNATURE_LENGTH ? [{ form: 'raw r‖s', raw: signature }] : []),
	];
	const verify = createVerifier(key);
	const report = Buffer.from(record.report_json);
	for (const { form, raw } of forms) {
		for (const digest of ['SHA-256', 'SHA-384'] satisfies Digest[]) {
			if (await verify(report, raw, digest)) {
				return compareReports(record, `${form}, ${digest}`);
			}
		}
	}
	return fail('signature-wrong');
}

/** The parsed report is not signed: it may not say anything else than the text that is. */
function compareReports({ report, report_json: text }: AttestationRecord, input: string): CheckResult {
	const signed = parseJson(text);
	if (signed === undefined) {
		return unknown('report-no-json', { input });
	}
	return report === undefined || report === null || isDeepStrictEqual(report, signed)
		? pass('signature-holds', { input })
		: unknown('report-other', { input });
}

const MINIMUM_NONCE_BYTES = 16;
const MAXIMUM_NONCE_BYTES = 64;

/** In hexadecimal digits. */
export function nonceOf({ nonce_b64: nonce }: AttestationRecord): string {
	return Buffer.from(nonce, 'base64').toString('hex');
}

/** `isKnown` tells whether the nonce, as hexadecimal digits, was seen with another key. */
export function checkNonce(record: AttestationRecord, isKnown: (nonce: string) => boolean): CheckResult {
	const nonce = decodeBase64(record.nonce_b64) ?? new Uint8Array();
	const input = nonceOf(record);
	if (nonce.length < MINIMUM_NONCE_BYTES || nonce.length > MAXIMUM_NONCE_BYTES) {
		return fail('nonce-length', { values: [nonce.length, MINIMUM_NONCE_BYTES, MAXIMUM_NONCE_BYTES].map(String) });
	}
	if (isKnown(input)) {
		return fail('nonce-seen', { input });
	}
	const other = nonceClaims(record).find(({ isSame }) => !isSame(nonce));
	return other ? fail('nonce-other', { values: [other.place], input }) : pass('nonce-new', { input });
}

/** contract: not shown. There is no way to hand in a nonce of our own. */
export function checkFreshness(): CheckResult {
	return unknown('freshness-unknown');
}

/** What of a new attestation is compared; one without a key that can be used has no fingerprint. */
type Memorable = Omit<AcceptedAttestation, 'keyFingerprint'> & { keyFingerprint: string | undefined };

/** Against what was accepted at the same address before. */
export function checkMemory(before: AcceptedAttestation | undefined, now: Memorable): CheckResult {
	if (!before) {
		return unknown('memory-none');
	}
	const lost = lostChecks(before.verdicts, now.verdicts);
	if (lost.length > 0) {
		return fail('memory-less', { values: lost });
	}
	// Where no device was ever proven there is no set to compare.
	if (before.devices.length > 0 && before.devices.join() !== now.devices.join()) {
		return fail('memory-devices');
	}
	return before.keyFingerprint === now.keyFingerprint ? pass('memory-same-key') : pass('memory-other-key');
}

/** Those that were proven and are not any more. */
export function lostChecks(before: AcceptedAttestation['verdicts'], now: AcceptedAttestation['verdicts']): CheckName[] {
	const proven = new Set(now.filter(({ verdict }) => verdict === 'pass').map(({ check }) => check));
	return before
		.filter(({ check, verdict }) => check !== 'memory' && verdict === 'pass' && !proven.has(check))
		.map(({ check }) => check);
}
