// The checks of an attestation, one function each. They report findings and never decide on the consequences.
import { isDeepStrictEqual } from 'node:util';
import { decodeBase64 } from '../../base/base64.ts';
import { fieldOf } from '../../base/fields.ts';
import { parseJson } from '../../base/json.ts';
import type { AttestationRecord } from '../../contract/channel.ts';
import { type DigestName, digest } from '../../crypto/digest.ts';
import { fingerprintOf, type PublicKey, readPublicKey } from '../../crypto/publicKey.ts';
import { CryptoRefusal } from '../../crypto/refusal.ts';
import { RAW_SIGNATURE_LENGTH, readDerSignature } from '../../crypto/signature.ts';
import { createVerifier, type Digest } from '../../crypto/verifier.ts';
import type { AcceptedAttestation } from '../types.ts';
import { type CheckResult, fail, pass, unknown } from './checkResult.ts';
import { readHardwareTokens, unprovenClaims } from './hardware/hardwareToken.ts';
import { lostChecks } from './verdicts.ts';

/** An unencrypted or redirected reply, or one of another form, never gets here, because the request for it throws. */
export function checkTransport(address: string): CheckResult {
	return pass(address.startsWith('https:') ? 'way-https' : 'way-loopback', { input: address });
}

/** The record's key, which later checks use, with its fingerprint. */
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
 * contract: not shown which bytes are signed, in which form and with which hash. The bytes of `report_json` as received
 * are taken, with a signature in DER or as raw r ‖ s, and SHA-256 or SHA-384 (unspecified.md).
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

/** The parsed report is not signed, so it must be equal to the signed text. */
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

/** Returns the record's nonce in hexadecimal digits. */
export function nonceOf({ nonce_b64: nonce }: AttestationRecord): string {
	return Buffer.from(nonce, 'base64').toString('hex');
}

/** `isKnown` returns whether the nonce, in hexadecimal digits, was seen with another key. */
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

/**
 * contract: not shown. A client cannot choose a nonce, so it cannot verify that the attestation is recent. It can only
 * tell that a repeated record is not.
 */
export function checkFreshness(isRepeated: boolean): CheckResult {
	return unknown(isRepeated ? 'freshness-again' : 'freshness-unknown');
}

/** The part of a new attestation that is compared. Without a usable key there is no fingerprint. */
type Memorable = Omit<AcceptedAttestation, 'keyFingerprint'> & { keyFingerprint: string | undefined };

/** Compares the attestation with the last one that was accepted at the same address. */
export function checkMemory(before: AcceptedAttestation | undefined, now: Memorable): CheckResult {
	if (!before) {
		return unknown('memory-none');
	}
	const lost = lostChecks(before.verdicts, now.verdicts);
	if (lost.length > 0) {
		return fail('memory-less', { values: lost });
	}
	// If no device was proven before, there is no set to compare with.
	if (before.devices.length > 0 && before.devices.join() !== now.devices.join()) {
		return fail('memory-devices');
	}
	return before.keyFingerprint === now.keyFingerprint ? pass('memory-same-key') : pass('memory-other-key');
}

const DIGESTS: readonly DigestName[] = ['SHA-256', 'SHA-384', 'SHA-512'];

/**
 * contract: not shown. Check 7 verifies that the nonce signed by the hardware is a hash of the channel's key. The
 * encoding of the key that is hashed is undocumented, so each of the three is accepted.
 */
export async function checkKeyBinding(
	pem: string,
	{ spki, point }: PublicKey,
	nonces: readonly Uint8Array[],
): Promise<CheckResult> {
	if (nonces.length === 0) {
		return unknown('binding-no-hardware');
	}
	const spellings = { SubjectPublicKeyInfo: spki, point, PEM: Buffer.from(pem) };
	for (const [spelling, bytes] of Object.entries(spellings)) {
		for (const name of DIGESTS) {
			const hash = await digest(name, bytes);
			if (nonces.every(nonce => Buffer.compare(nonce, hash) === 0)) {
				return pass('binding-holds', { input: `${name}(${spelling})` });
			}
		}
	}
	return unknown('binding-other');
}

interface NonceClaim {
	/** The field of the record that holds the claim. */
	place: string;
	isSame(nonce: Uint8Array): boolean;
}

/**
 * contract: not shown. Returns every nonce that the report and the token carry in a documented place: `nonce` in the
 * GPU maker's entries of evidence, and `eat_nonce` (RFC 9711), which may be a list, in a token or a report with claims.
 */
function nonceClaims({ report_json: text, gpu_eat: token }: AttestationRecord): NonceClaim[] {
	const report = parseJson(text);
	const entries = Array.isArray(report) ? report : [];
	return [
		...entries.flatMap(entry => claims(fieldOf(entry, 'nonce'), 'report_json')),
		...claims(fieldOf(report, 'eat_nonce'), 'report_json'),
		...tokensOf(token).flatMap(jwt => claims(fieldOf(unprovenClaims(jwt), 'eat_nonce'), 'gpu_eat')),
	];
}

function claims(value: unknown, place: string): NonceClaim[] {
	const texts = (Array.isArray(value) ? value : [value]).filter(entry => typeof entry === 'string');
	return texts.map(text => ({ place, isSame: nonce => spellings(nonce).includes(text.replace(/=+$/, '')) }));
}

/** The GPU maker writes hexadecimal digits; other claims are base64. */
function spellings(nonce: Uint8Array): string[] {
	const bytes = Buffer.from(nonce);
	const digits = bytes.toString('hex');
	return [digits, digits.toUpperCase(), bytes.toString('base64').replace(/=+$/, ''), bytes.toString('base64url')];
}

function tokensOf(value: unknown): string[] {
	const tokens = readHardwareTokens(value);
	return tokens ? [tokens.overall, ...(tokens.devices?.values() ?? [])] : [];
}
