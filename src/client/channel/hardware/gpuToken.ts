import { compactVerify, decodeProtectedHeader, errors } from 'jose';
import * as z from 'zod';
import { fingerprint } from '../../../crypto/digest.ts';
import { type Finding, fail, pass, unknown } from '../finding.ts';
import type { ReasonCode } from '../reason.ts';
import type { HardwareAuthority } from './authority.ts';
import { type Claims, type HardwareTokens, readHardwareTokens, unprovenClaims } from './hardwareToken.ts';
import type { KeyProblem, TokenKey } from './makerKeys.ts';

const ALGORITHM = 'ES384';
/** Clocks differ by so many seconds. */
const TOLERANCE_SECONDS = 60;

/** What a positive answer may not lack, and what no answer may say otherwise (the maker's own policy for its tokens). */
const MEASUREMENT_RESULT = { claim: 'measres', value: 'success' } as const;
const RIM = ['fetched', 'schema-validated', 'signature-verified', 'version-match', 'measurements-available'];
const TRUE_CLAIMS: readonly string[] = [
	'secboot',
	'x-nvidia-gpu-arch-check',
	'x-nvidia-gpu-attestation-report-parsed',
	'x-nvidia-gpu-attestation-report-nonce-match',
	'x-nvidia-gpu-attestation-report-signature-verified',
	'x-nvidia-gpu-attestation-report-cert-chain-fwid-match',
	'x-nvidia-gpu-vbios-index-no-conflict',
	...['driver', 'vbios'].flatMap(part => RIM.map(claim => `x-nvidia-gpu-${part}-rim-${claim}`)),
];
const CHAIN_CLAIMS: readonly string[] = ['attestation-report', 'driver-rim', 'vbios-rim'].map(
	part => `x-nvidia-gpu-${part}-cert-chain`,
);

const overallSchema = z.looseObject({
	eat_nonce: z
		.string()
		.regex(/^(?:[\da-fA-F]{2})+$/)
		.optional(),
	'x-nvidia-overall-att-result': z.unknown(),
	submods: z.record(z.string(), z.tuple([z.literal('DIGEST'), z.tuple([z.enum(['SHA-256', 'SHA256']), z.string()])])),
});
const timesSchema = z.looseObject({ exp: z.number(), nbf: z.number().optional(), iat: z.number().optional() });

/** Finds the maker's key of an id, or says why there is none. */
export type FindKey = (id: string) => Promise<TokenKey | KeyProblem>;

export interface GpuToken {
	finding: Finding;
	/** What the maker signed to have been asked for, where it signed with a yes. */
	nonce?: Uint8Array;
}

export interface TokenContext {
	authority: HardwareAuthority;
	findKey: FindKey;
	/** Unix time in milliseconds. */
	now: number;
	/** GPUs whose own evidence was verified; 0 where there is none. */
	gpus: number;
}

/** A finding that ends the check. */
class Ended extends Error {
	readonly finding: Finding;

	constructor(finding: Finding) {
		super(finding.code);
		this.finding = finding;
	}
}

/**
 * Check 6: the maker's own answer on the hardware, in `gpu_eat`. A token that the maker did not sign proves nothing and
 * is unknown; one that claims to be the maker's and is not, or that the maker signed with a no, fails.
 */
export async function checkGpuToken(value: unknown, context: TokenContext): Promise<GpuToken> {
	if (value === undefined || value === null) {
		return { finding: unknown('token-none') };
	}
	const tokens = readHardwareTokens(value);
	if (!tokens) {
		return { finding: unknown('token-form') };
	}
	try {
		return await checkTokens(tokens, context);
	} catch (error) {
		if (error instanceof Ended) {
			return { finding: error.finding };
		}
		throw error;
	}
}

async function checkTokens({ overall, devices }: HardwareTokens, context: TokenContext): Promise<GpuToken> {
	const claims = await verifyToken(overall, 'overall', context);
	const input = `iss ${context.authority.issuer}`;
	const result = claims['x-nvidia-overall-att-result'];
	if (result !== undefined && result !== true) {
		throw new Ended(fail('token-no', { input }));
	}
	if (!devices) {
		checkTimes([claims], context.now);
		throw new Ended(unknown('token-without-devices', { input }));
	}
	const named = overallSchema.safeParse(claims).data;
	if (!named || result !== true) {
		throw new Ended(unknown('token-form', { input }));
	}
	await checkDigests(named.submods, devices);
	const all = [claims];
	for (const [name, token] of devices) {
		const deviceClaims = await verifyToken(token, name, context);
		checkDevice(name, deviceClaims, claims['eat_nonce']);
		all.push(deviceClaims);
	}
	const gpus = [...devices.keys()].filter(name => name.startsWith('GPU')).length;
	if (gpus === 0) {
		throw new Ended(fail('token-without-gpu', { input }));
	}
	if (context.gpus > 0 && context.gpus !== gpus) {
		throw new Ended(fail('token-other-count', { input }));
	}
	checkTimes(all, context.now);
	const proven = { input: `${input}, ${[...devices.keys()].join(', ')}` };
	const finding =
		gpus === 1 ? pass('token-yes', proven) : pass('token-yes-many', { values: [String(gpus)], ...proven });
	const nonce = named.eat_nonce;
	return nonce === undefined ? { finding } : { finding, nonce: Buffer.from(nonce, 'hex') };
}

/** Every token that the maker names is there, unchanged, and no other. */
async function checkDigests(
	submods: z.output<typeof overallSchema>['submods'],
	devices: ReadonlyMap<string, string>,
): Promise<void> {
	const names = Object.keys(submods);
	const isSame = names.length === devices.size && names.every(name => devices.has(name));
	if (!isSame) {
		throw new Ended(fail('token-other-devices'));
	}
	for (const [name, [, [, digest]]] of Object.entries(submods)) {
		if (digest.toLowerCase() !== (await fingerprint(Buffer.from(devices.get(name) ?? '')))) {
			throw new Ended(fail('token-other-digest'));
		}
	}
}

function checkDevice(name: string, claims: Claims, nonce: unknown): void {
	const refuse = (claim: string) => new Ended(fail('token-device-no', { values: [name], input: claim }));
	const { claim, value } = MEASUREMENT_RESULT;
	if (claims[claim] !== value) {
		throw refuse(claim);
	}
	const wrong = TRUE_CLAIMS.find(name => claims[name] !== undefined && claims[name] !== true);
	if (wrong !== undefined) {
		throw refuse(wrong);
	}
	for (const chain of CHAIN_CLAIMS) {
		const status = claims[chain];
		const fields: Claims = typeof status === 'object' && status !== null ? (status as Claims) : {};
		if (
			status !== undefined &&
			(fields['x-nvidia-cert-status'] !== 'valid' || fields['x-nvidia-cert-ocsp-status'] !== 'good')
		) {
			throw refuse(chain);
		}
	}
	// A GPU that is open to a debugger keeps no secret.
	if (claims['dbgstat'] !== undefined && claims['dbgstat'] !== 'disabled') {
		throw refuse('dbgstat');
	}
	if (claims['eat_nonce'] !== nonce) {
		throw new Ended(fail('token-device-nonce', { values: [name] }));
	}
}

function checkTimes(all: readonly Claims[], now: number): void {
	const seconds = now / 1000;
	for (const claims of all) {
		const times = timesSchema.safeParse(claims).data;
		if (!times) {
			throw new Ended(unknown('token-without-time'));
		}
		const { exp, nbf = 0, iat = 0 } = times;
		if (seconds >= exp + TOLERANCE_SECONDS) {
			throw new Ended(unknown('token-expired', { input: timeText(exp) }));
		}
		if (Math.max(nbf, iat) > seconds + TOLERANCE_SECONDS) {
			throw new Ended(unknown('token-too-early'));
		}
	}
}

function timeText(seconds: number): string {
	const time = new Date(seconds * 1000);
	return Number.isNaN(time.getTime()) ? String(seconds) : time.toISOString();
}

/** The claims of a token that the maker signed. */
async function verifyToken(token: string, name: string, { authority, findKey }: TokenContext): Promise<Claims> {
	const { kid } = readHeader(token);
	if (unprovenClaims(token)?.['iss'] !== authority.issuer) {
		throw new Ended(unknown('token-self-issued'));
	}
	if (kid === undefined) {
		throw new Ended(unknown('token-without-key'));
	}
	const key = await findKey(kid);
	if (typeof key === 'string') {
		throw new Ended(unknown(KEY_PROBLEMS[key]));
	}
	try {
		const { payload } = await compactVerify(token, key, { algorithms: [ALGORITHM] });
		return JSON.parse(Buffer.from(payload).toString());
	} catch (error) {
		if (error instanceof errors.JWSSignatureVerificationFailed) {
			throw new Ended(name === 'overall' ? fail('token-forged') : fail('token-device-forged', { values: [name] }));
		}
		if (error instanceof errors.JOSEError) {
			throw new Ended(unknown('token-form'));
		}
		throw error;
	}
}

const KEY_PROBLEMS: Readonly<Record<KeyProblem, ReasonCode>> = {
	declined: 'token-keys-declined',
	unreachable: 'token-keys-unreachable',
	'not-there': 'token-key-unlisted',
};

function readHeader(token: string): { kid?: string | undefined } {
	let header: ReturnType<typeof decodeProtectedHeader>;
	try {
		header = decodeProtectedHeader(token);
	} catch {
		throw new Ended(unknown('token-form'));
	}
	if (header.alg !== ALGORITHM) {
		throw new Ended(unknown('token-self-issued'));
	}
	// Such a token may not be read as others are, and the maker's has none.
	if (header.crit !== undefined) {
		throw new Ended(unknown('token-form'));
	}
	return { kid: typeof header.kid === 'string' ? header.kid : undefined };
}
