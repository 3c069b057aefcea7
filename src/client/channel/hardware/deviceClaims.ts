import { type CheckResult, fail, unknown } from '../checkResult.ts';
import { chipOf } from './chip.ts';
import type { Claims } from './hardwareToken.ts';

/** What a token has to say for the maker's answer to be a yes (the maker's own policies for its tokens). */
interface Requirement {
	claim: string;
	/** Of the claim, where that is an object. */
	field?: string;
	value: true | string;
}

interface Kind {
	/** How the names of its tokens begin. */
	submodule: string;
	/** How the names of its claims begin. */
	prefix: string;
	/** What its measurements are compared with. */
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
	/** What is said of the device's report, and of each reference. */
	report: readonly string[];
	reference: readonly string[];
	/** What is said of the certificates of each of them, where that is an object. */
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
/** A device that is open to a debugger, or did not start securely, keeps no secret. */
const OF_EVERY_DEVICE: readonly Requirement[] = [
	{ claim: RESULT, value: 'success' },
	{ claim: 'secboot', value: true },
	{ claim: 'dbgstat', value: 'disabled' },
];
const OF_ANY_DEVICE: readonly Requirement[] = [
	...OF_EVERY_DEVICE,
	...[GPU, SWITCH].flatMap(kind => [...VERSIONS.values()].flatMap(version => requirementsOf(kind, version))),
];

/** Where these say anything, something is wrong. The warning is how version 2.0 tells of a certificate on hold. */
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

/** Of the overall answer: whether it is known what tokens of its version have to say. */
export function checkVersion({ 'x-nvidia-ver': version }: Claims): CheckResult[] {
	return VERSIONS.has(version) ? [] : [unknown('token-version', { input: said('x-nvidia-ver', version) })];
}

/**
 * What the token of a device, by its name, says against it or leaves out; empty for a yes. A no is one by the names of
 * any version; which claims may not be missing, the version of the overall answer decides.
 */
export function checkDeviceClaims(name: string, claims: Claims, overall: Claims): CheckResult[] {
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

/** That the token says everything, of a device of the kind that its name says. */
function checkWhole(name: string, claims: Claims, version: Version | undefined): CheckResult[] {
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

/** The first claim, with what it says, by which the maker tells that something is wrong. */
export function complaintIn(claims: Claims): { claim: string; input: string } | undefined {
	const claim = COMPLAINTS.find(name => {
		const value = claims[name];
		return !isMissing(value) && value !== '' && !(Array.isArray(value) && value.length === 0);
	});
	return claim === undefined ? undefined : { claim, input: said(claim, claims[claim]) };
}

/** Of the certificate whose key signed the device's report, as a decimal number. */
export function serialNumberOf({ ueid }: Claims): string | undefined {
	return typeof ueid === 'string' && /^\d+$/.test(ueid) ? ueid : undefined;
}

/** Whether a token is of a GPU, by its name. */
export function isOfGpu(name: string): boolean {
	return name.startsWith(GPU.submodule);
}

function claimed(claims: Claims, { claim, field }: Requirement): unknown {
	const value = claims[claim];
	return field !== undefined && typeof value === 'object' && value !== null ? Reflect.get(value, field) : value;
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
