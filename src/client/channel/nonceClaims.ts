import { parseJson } from '../../base/json.ts';
import type { AttestationRecord } from '../../contract/channel.ts';
import { readHardwareTokens, unprovenClaims } from './hardware/hardwareToken.ts';

export interface NonceClaim {
	/** The field of the record that holds the claim. */
	place: string;
	isSame(nonce: Uint8Array): boolean;
}

/**
 * contract: not shown. Returns every nonce that the report and the token carry in a documented place: `nonce` in the
 * GPU maker's entries of evidence, and `eat_nonce` (RFC 9711), which may be a list, in a token or a report with claims.
 */
export function nonceClaims({ report_json: text, gpu_eat: token }: AttestationRecord): NonceClaim[] {
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

function fieldOf(value: unknown, name: string): unknown {
	return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
