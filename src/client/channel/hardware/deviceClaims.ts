import { type Fields, fieldOf } from '../../../base/fields.ts';
import { type CheckResult, fail, unknown } from '../checkResult.ts';
import { chipOf } from './chip.ts';

/** A claim that a token must have for the maker's answer to be positive (the maker's own policies for its tokens). */
interface Requirement {
	claim: string;
	/** The field of the claim, if the claim is an object. */
	field?: string;
	value: true | string;
}

interface Kind {
	/** The prefix of its tokens' names. */
	submodule: string;
	/** The prefix of its claims' names. */
	prefix: string;
	/** The references to which its measurements are compared. */
	references: readonly string[];
	others: readonly string[];
}

const GPU: Kind = {
	submodule: 'GPU',
	prefix: 'x-nvidia-gpu',
	references: ['driver-rim', 'vbios-rim'],
	others: ['arch-check', 'vbios-index-no-conflict'],
};
const SWITCH: Kind = {
	submodule: 'SWITCH',
	prefix: 'x-nvidia-switch',
	references: ['bios-rim'],
	others: ['arch-check'],
};

interface Version {
	/** The endings of the claims about the device's report, and of the claims about each reference. */
	report: readonly string[];
	reference: readonly string[];
	/** The fields of each such claim about certificates, if that claim is an object. */
	certificates: Readonly<Record<string, string>>;
}

const REPORT = ['parsed', 'nonce-match', 'signature-verified'];
const REFERENCE = ['fetched', 'schema-validated', 'signature-verified', 'measurements-available'];
const VERSIONS: ReadonlyMap<unknown, Version> = new Map([
	[
		'2.0',
		{
			report: [...REPORT, 'cert-chain-validated'],
			reference: [...REFERENCE, 'cert-validated'],
			certificates: {},
		},
	],
	[
		'3.0',
		{
			report: [...REPORT, 'cert-chain-fwid-match'],
			reference: [...REFERENCE, 'version-match'],
			certificates: { 'x-nvidia-cert-status': 'valid', 'x-nvidia-cert-ocsp-status': 'good' },
		},
	],
]);

const RESULT = 'measres';
/** A device that is open to a debugger or did not boot securely cannot keep a secret. */
const OF_EVERY_DEVICE: readonly Requirement[] = [
	{ claim: RESULT, value: 'success' },
	{ claim: 'secboot', value: true },
	{ claim: 'dbgstat', value: 'disabled' },
];
const OF_ANY_DEVICE: readonly Requirement[] = [
	...OF_EVERY_DEVICE,
	...[GPU, SWITCH].flatMap(kind => [...VERSIONS.values()].flatMap(version => requirementsOf(kind, version))),
];

/** A value in one of these claims means that something is wrong. In version 2.0, a warning is a certificate on hold. */
const COMPLAINTS = [
	'x-nvidia-error-details',
	'x-nvidia-attestation-warning',
	'x-nvidia-mismatch-measurement-records',
	'x-nvidia-mismatch-indexes',
];

function requirementsOf({ prefix, references, others }: Kind, version: Version): Requirement[] {
	const parts = [
		{ part: 'attestation-report', ends: version.report },
		...references.map(part => ({ part, ends: version.reference })),
	];
	const ends = [...others, ...parts.flatMap(({ part, ends }) => ends.map(end => `${part}-${end}`))];
	return [
		...ends.map((end): Requirement => ({ claim: `${prefix}-${end}`, value: true })),
		...parts.flatMap(({ part }) =>
			Object.entries(version.certificates).map(([field, value]) => ({
				claim: `${prefix}-${part}-cert-chain`,
				field,
				value,
			})),
		),
	];
}

/** Checks the overall token's version: the required claims are known only for known versions. */
export function checkVersion({ 'x-nvidia-ver': version }: Fields): CheckResult[] {
	return VERSIONS.has(version) ? [] : [unknown('token-version', { input: said('x-nvidia-ver', version) })];
}

/**
 * Returns everything negative or missing in the token of a device; the list is empty if the answer is positive. A
 * negative claim of any version counts. The version of the overall token decides which claims are required.
 */
export function checkDeviceClaims(name: string, claims: Fields, overall: Fields): CheckResult[] {
	const complaint = complaintIn(claims);
	const negative = OF_ANY_DEVICE.filter(required => {
		const value = claimed(claims, required);
		return value !== required.value && (!isMissing(value) || required.claim === RESULT);
	});
	return [
		...(complaint ? [fail('token-device-no', { values: [name, complaint.claim], input: complaint.input })] : []),
		...negative.map(required =>
			fail('token-device-no', {
				values: [name, pathOf(required)],
				input: said(required.claim, claims[required.claim]),
			}),
		),
		...(claims['eat_nonce'] === overall['eat_nonce'] ? [] : [fail('token-device-nonce', { values: [name] })]),
		...checkWhole(name, claims, VERSIONS.get(overall['x-nvidia-ver'])),
	];
}

/** Checks that the token has all required claims and is about the kind of device that its name indicates. */
function checkWhole(name: string, claims: Fields, version: Version | undefined): CheckResult[] {
	const silent = (claim: string) => unknown('token-device-silent', { values: [name, claim] });
	const unnumbered = serialNumberOf(claims) === undefined ? [silent('ueid')] : [];
	const model = claims['hwmodel'];
	if (typeof model !== 'string') {
		return [silent('hwmodel'), ...unnumbered];
	}
	const chip = chipOf(model);
	if (!chip) {
		return [unknown('token-device-kind', { values: [name, model] })];
	}
	const kind = chip.isGpu ? GPU : SWITCH;
	if (!name.startsWith(kind.submodule)) {
		return [fail('token-device-kind', { values: [name, model] })];
	}
	const required = [...OF_EVERY_DEVICE, ...(version ? requirementsOf(kind, version) : [])];
	return [
		...unnumbered,
		...required.filter(one => isMissing(claimed(claims, one))).map(missing => silent(pathOf(missing))),
	];
}

/** Returns the first claim in which the maker reports a problem, with its value. */
export function complaintIn(claims: Fields): { claim: string; input: string } | undefined {
	const claim = COMPLAINTS.find(name => {
		const value = claims[name];
		return !isMissing(value) && value !== '' && !(Array.isArray(value) && value.length === 0);
	});
	return claim === undefined ? undefined : { claim, input: said(claim, claims[claim]) };
}

/** Returns the serial number of the certificate whose key signed the device's report, as a decimal number. */
export function serialNumberOf({ ueid }: Fields): string | undefined {
	return typeof ueid === 'string' && /^\d+$/.test(ueid) ? ueid : undefined;
}

/** Returns whether a token is about a GPU, judged by its name. */
export function isOfGpu(name: string): boolean {
	return name.startsWith(GPU.submodule);
}

function claimed(claims: Fields, { claim, field }: Requirement): unknown {
	const value = claims[claim];
	return field !== undefined && typeof value === 'object' ? fieldOf(value, field) : value;
}

function isMissing(value: unknown): boolean {
	return value === undefined || value === null;
}

function pathOf({ claim, field }: Requirement): string {
	return field === undefined ? claim : `${claim}.${field}`;
}

function said(claim: string, value: unknown): string {
	return `${claim}: ${JSON.stringify(value)}`;
}
