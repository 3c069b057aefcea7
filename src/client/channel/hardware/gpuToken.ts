import { compactVerify, decodeProtectedHeader, errors } from 'jose';
import * as z from 'zod';
import { fingerprint } from '../../../crypto/digest.ts';
import { type Finding, fail, pass, unknown } from '../finding.ts';
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
		super(finding.reason);
		this.finding = finding;
	}
}

/**
 * Check 6: the maker's own answer on the hardware, in `gpu_eat`. A token that the maker did not sign proves nothing and
 * is unknown; one that claims to be the maker's and is not, or that the maker signed with a no, fails.
 */
export async function checkGpuToken(value: unknown, context: TokenContext): Promise<GpuToken> {
	if (value === undefined || value === null) {
		return { finding: unknown('There is no token of the hardware.') };
	}
	const tokens = readHardwareTokens(value);
	if (!tokens) {
		return { finding: unknown('The token of the hardware is in no form that is known.') };
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
	const issuer = `Issuer ${context.authority.issuer}`;
	const result = claims['x-nvidia-overall-att-result'];
	if (result !== undefined && result !== true) {
		throw new Ended(fail('The maker’s answer on the hardware is not yes.', issuer));
	}
	if (!devices) {
		checkTimes([claims], context.now);
		throw new Ended(
			unknown('The maker’s token came without those of the devices, so it says nothing of a GPU.', issuer),
		);
	}
	const named = overallSchema.safeParse(claims).data;
	if (!named || result !== true) {
		throw new Ended(unknown('The maker’s token is in no form that is known.', issuer));
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
		throw new Ended(fail('The maker’s token names no GPU.', issuer));
	}
	if (context.gpus > 0 && context.gpus !== gpus) {
		throw new Ended(fail('The maker’s token names another number of GPUs than the evidence.', issuer));
	}
	checkTimes(all, context.now);
	const finding = pass(
		`The GPU maker’s verifier signed that ${gpus === 1 ? 'the GPU' : `all ${gpus} GPUs`} and what they measured are as they should be.`,
		`${issuer}, ${[...devices.keys()].join(', ')}`,
	);
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
		throw new Ended(fail('The tokens of the devices are not those that the maker’s token names.'));
	}
	for (const [name, [, [, digest]]] of Object.entries(submods)) {
		if (digest.toLowerCase() !== (await fingerprint(Buffer.from(devices.get(name) ?? '')))) {
			throw new Ended(fail('The token of a device is not the one that the maker’s token names.'));
		}
	}
}

function checkDevice(name: string, claims: Claims, nonce: unknown): void {
	const refuse = (claim: string) => new Ended(fail(`The maker’s answer on the device ${name} is not yes.`, claim));
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
		throw new Ended(fail(`The token of the device ${name} was made for another nonce.`));
	}
}

function checkTimes(all: readonly Claims[], now: number): void {
	const seconds = now / 1000;
	for (const claims of all) {
		const times = timesSchema.safeParse(claims).data;
		if (!times) {
			throw new Ended(unknown('The maker’s token does not say until when it holds.'));
		}
		const { exp, nbf = 0, iat = 0 } = times;
		if (seconds >= exp + TOLERANCE_SECONDS) {
			throw new Ended(unknown(`The maker’s token has expired, at ${timeText(exp)}.`));
		}
		if (Math.max(nbf, iat) > seconds + TOLERANCE_SECONDS) {
			throw new Ended(unknown('The maker’s token is not valid yet.'));
		}
	}
}

function timeText(seconds: number): string {
	const time = new Date(seconds * 1000);
	return Number.isNaN(time.getTime()) ? 'a time that is none' : time.toISOString();
}

/** The claims of a token that the maker signed. */
async function verifyToken(token: string, name: string, { authority, findKey }: TokenContext): Promise<Claims> {
	const { kid } = readHeader(token);
	if (unprovenClaims(token)?.['iss'] !== authority.issuer) {
		throw new Ended(unknown(SELF_ISSUED));
	}
	if (kid === undefined) {
		throw new Ended(unknown('The token does not say with which of the maker’s keys it is signed.'));
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
			const which = name === 'overall' ? 'The token of the hardware' : `The token of the device ${name}`;
			throw new Ended(fail(`${which} claims to be the GPU maker’s, and the signature is not.`));
		}
		if (error instanceof errors.JOSEError) {
			throw new Ended(unknown('The token of the hardware is in no form that is known.'));
		}
		throw error;
	}
}

const SELF_ISSUED = 'The token is self-issued: the GPU maker did not sign it, so it proves nothing of the hardware.';

const KEY_PROBLEMS: Readonly<Record<KeyProblem, string>> = {
	declined: 'The GPU maker was not asked for the keys of its tokens, as you did not allow it.',
	unreachable: 'The GPU maker could not be asked for the keys of its tokens.',
	'not-there': 'The token is signed with a key that the GPU maker does not list.',
};

function readHeader(token: string): { kid?: string | undefined } {
	let header: ReturnType<typeof decodeProtectedHeader>;
	try {
		header = decodeProtectedHeader(token);
	} catch {
		throw new Ended(unknown('The token of the hardware is in no form that is known.'));
	}
	if (header.alg !== ALGORITHM) {
		throw new Ended(unknown(SELF_ISSUED));
	}
	// Such a token may not be read as others are, and the maker's has none.
	if (header.crit !== undefined) {
		throw new Ended(unknown('The token of the hardware is in no form that is known.'));
	}
	return { kid: typeof header.kid === 'string' ? header.kid : undefined };
}
