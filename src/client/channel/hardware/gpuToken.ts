import { compactVerify, decodeProtectedHeader, errors } from 'jose';
import * as z from 'zod';
import type { Fields } from '../../../base/fields.ts';
import { fingerprint } from '../../../crypto/digest.ts';
import { type CheckResult, fail, pass, unknown } from '../checkResult.ts';
import type { ReasonCode } from '../reason.ts';
import type { HardwareAuthority } from './authority.ts';
import { checkDeviceClaims, checkVersion, complaintIn, isOfGpu, serialNumberOf } from './deviceClaims.ts';
import type { Device } from './gpuEvidence.ts';
import { type HardwareTokens, readHardwareTokens, unprovenClaims } from './hardwareToken.ts';
import type { MakerKeyProblem, TokenKey } from './makerKeys.ts';

const ALGORITHM = 'ES384';
/** The tolerated difference between the clocks, in seconds. */
const TOLERANCE_SECONDS = 60;

const RESULT = 'x-nvidia-overall-att-result';
const overallSchema = z.looseObject({
	eat_nonce: z.string().regex(/^(?:[\da-fA-F]{2})+$/),
	submods: z.record(z.string(), z.tuple([z.literal('DIGEST'), z.tuple([z.enum(['SHA-256', 'SHA256']), z.string()])])),
});
const timesSchema = z.looseObject({ exp: z.number(), nbf: z.number().optional(), iat: z.number().optional() });

/** Returns the maker's key with the id, or the reason why there is none. */
export type FindKey = (id: string) => Promise<TokenKey | MakerKeyProblem>;

export interface GpuToken {
	finding: CheckResult;
	/** The nonce that the maker signed, if its answer is positive. */
	nonce?: Uint8Array;
}

export interface TokenContext {
	authority: HardwareAuthority;
	findKey: FindKey;
	/** The time as Unix time in milliseconds. */
	now: number;
	/** The devices whose own evidence was verified. */
	devices: readonly Device[];
}

/** Thrown with a finding that ends the check. */
class Ended extends Error {
	readonly finding: CheckResult;

	constructor(finding: CheckResult) {
		super(finding.code);
		this.finding = finding;
	}
}

/**
 * Check 6 verifies the maker's own answer about the hardware, in `gpu_eat`. The result is unknown for a token from
 * anyone else, as it proves nothing, and for an incomplete one. The check fails for a token that pretends to be the
 * maker's, has a negative answer, or is about other devices than the evidence.
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
	const result = claims[RESULT];
	const complaint = complaintIn(claims);
	if (complaint || (result !== undefined && result !== true)) {
		throw new Ended(fail('token-no', { input: complaint?.input ?? `${RESULT}: ${JSON.stringify(result)}` }));
	}
	if (!devices) {
		throw new Ended(checkTimes([claims], context.now) ?? unknown('token-without-devices', { input }));
	}
	const named = overallSchema.safeParse(claims).data;
	if (!named || result !== true) {
		throw new Ended(unknown('token-form', { input }));
	}
	await checkDigests(named.submods, devices);
	const names = [...devices.keys()];
	const gpus = names.filter(isOfGpu).length;
	if (gpus === 0) {
		throw new Ended(fail('token-without-gpu', { input }));
	}
	const read: DeviceToken[] = [];
	for (const [name, token] of devices) {
		read.push(await readDevice(name, token, claims, context));
	}
	const findings = [
		...checkVersion(claims),
		...read.flatMap(({ findings }) => findings),
		checkTimes([claims, ...read.flatMap(({ claims: own }) => (own ? [own] : []))], context.now),
		checkSameHardware(read, context.devices),
	].filter(finding => finding !== undefined);
	const open = findings.find(({ verdict }) => verdict === 'fail') ?? findings[0];
	if (open) {
		throw new Ended(open);
	}
	const proven = { input: `${input}, ${names.join(', ')}` };
	return {
		finding: gpus === 1 ? pass('token-yes', proven) : pass('token-yes-many', { values: [String(gpus)], ...proven }),
		nonce: Buffer.from(named.eat_nonce, 'hex'),
	};
}

/** The token of one device. `claims` is undefined if the token could not be verified. */
interface DeviceToken {
	name: string;
	claims?: Fields;
	findings: CheckResult[];
}

async function readDevice(name: string, token: string, overall: Fields, context: TokenContext): Promise<DeviceToken> {
	try {
		const claims = await verifyToken(token, name, context);
		return { name, claims, findings: checkDeviceClaims(name, claims, overall) };
	} catch (error) {
		if (error instanceof Ended) {
			return { name, findings: [error.finding] };
		}
		throw error;
	}
}

/**
 * Checks that the tokens and the devices of the evidence correspond one to one. A token without a serial number is
 * reported by another check.
 */
function checkSameHardware(tokens: readonly DeviceToken[], devices: readonly Device[]): CheckResult | undefined {
	if (devices.length === 0) {
		return unknown('token-untied');
	}
	const open = new Set(devices);
	for (const { name, claims = {} } of tokens) {
		const number = serialNumberOf(claims);
		const device = [...open].find(({ serialNumber, isGpu }) => serialNumber === number && isGpu === isOfGpu(name));
		if (device) {
			open.delete(device);
		} else if (number !== undefined) {
			return fail('token-other-hardware', { input: `${name}: ueid ${number}` });
		}
	}
	if (tokens.length !== devices.length) {
		const without = [...open].map(({ serialNumber, isGpu }) => `${isGpu ? 'GPU' : 'switch'} ${serialNumber}`);
		return fail('token-other-hardware', { input: without.join(', ') });
	}
	return undefined;
}

/** Checks that the tokens are exactly those that the maker's overall token lists, unchanged. */
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

function checkTimes(all: readonly Fields[], now: number): CheckResult | undefined {
	const seconds = now / 1000;
	for (const claims of all) {
		const times = timesSchema.safeParse(claims).data;
		if (!times) {
			return unknown('token-without-time');
		}
		const { exp, nbf = 0, iat = 0 } = times;
		if (seconds >= exp + TOLERANCE_SECONDS) {
			return unknown('token-expired', { input: timeText(exp) });
		}
		if (Math.max(nbf, iat) > seconds + TOLERANCE_SECONDS) {
			return unknown('token-too-early');
		}
	}
	return undefined;
}

function timeText(seconds: number): string {
	const time = new Date(seconds * 1000);
	return Number.isNaN(time.getTime()) ? String(seconds) : time.toISOString();
}

/** Verifies the maker's signature of a token and returns its claims. */
async function verifyToken(token: string, name: string, { authority, findKey }: TokenContext): Promise<Fields> {
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

const KEY_PROBLEMS: Readonly<Record<MakerKeyProblem, ReasonCode>> = {
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
	// A token with unknown critical extensions must not be accepted (RFC 7515), and the maker uses none.
	if (header.crit !== undefined) {
		throw new Ended(unknown('token-form'));
	}
	return { kid: typeof header.kid === 'string' ? header.kid : undefined };
}
