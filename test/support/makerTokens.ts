// Creates the claims of the maker's tokens about one device and about all devices, in both versions, like the maker's
// published samples.
import { createHash } from 'node:crypto';
import type { Device, GpuMaker } from './gpuMaker.ts';

export type ClaimsVersion = '2.0' | '3.0';

/** The claims that are `true` if everything is valid. Those in `chains` are objects. */
const CHECKS = {
	gpu: {
		both: [
			'x-nvidia-gpu-arch-check',
			'x-nvidia-gpu-attestation-report-parsed',
			'x-nvidia-gpu-attestation-report-nonce-match',
			'x-nvidia-gpu-attestation-report-signature-verified',
			'x-nvidia-gpu-driver-rim-fetched',
			'x-nvidia-gpu-driver-rim-schema-validated',
			'x-nvidia-gpu-driver-rim-signature-verified',
			'x-nvidia-gpu-driver-rim-measurements-available',
			'x-nvidia-gpu-vbios-rim-fetched',
			'x-nvidia-gpu-vbios-rim-schema-validated',
			'x-nvidia-gpu-vbios-rim-signature-verified',
			'x-nvidia-gpu-vbios-rim-measurements-available',
			'x-nvidia-gpu-vbios-index-no-conflict',
		],
		'2.0': [
			'x-nvidia-gpu-attestation-report-cert-chain-validated',
			'x-nvidia-gpu-driver-rim-cert-validated',
			'x-nvidia-gpu-vbios-rim-cert-validated',
		],
		'3.0': [
			'x-nvidia-gpu-attestation-report-cert-chain-fwid-match',
			'x-nvidia-gpu-driver-rim-version-match',
			'x-nvidia-gpu-vbios-rim-version-match',
		],
		chains: [
			'x-nvidia-gpu-attestation-report-cert-chain',
			'x-nvidia-gpu-driver-rim-cert-chain',
			'x-nvidia-gpu-vbios-rim-cert-chain',
		],
	},
	switch: {
		both: [
			'x-nvidia-switch-arch-check',
			'x-nvidia-switch-attestation-report-parsed',
			'x-nvidia-switch-attestation-report-nonce-match',
			'x-nvidia-switch-attestation-report-signature-verified',
			'x-nvidia-switch-bios-rim-fetched',
			'x-nvidia-switch-bios-rim-schema-validated',
			'x-nvidia-switch-bios-rim-signature-verified',
			'x-nvidia-switch-bios-rim-measurements-available',
		],
		'2.0': ['x-nvidia-switch-attestation-report-cert-chain-validated', 'x-nvidia-switch-bios-rim-cert-validated'],
		'3.0': ['x-nvidia-switch-attestation-report-cert-chain-fwid-match', 'x-nvidia-switch-bios-rim-version-match'],
		chains: ['x-nvidia-switch-attestation-report-cert-chain', 'x-nvidia-switch-bios-rim-cert-chain'],
	},
};

/** Returns a token's claims about a device. `now` is Unix time in milliseconds. */
export function deviceClaims(
	{ chip, serialNumber }: Pick<Device, 'chip' | 'serialNumber'>,
	nonce: Buffer,
	now: number,
	version: ClaimsVersion = '2.0',
): Record<string, unknown> {
	const isSwitch = chip.startsWith('LS');
	const checks = CHECKS[isSwitch ? 'switch' : 'gpu'];
	const chain = {
		'x-nvidia-cert-status': 'valid',
		'x-nvidia-cert-ocsp-status': 'good',
		'x-nvidia-cert-expiration-date': '9999-12-31T23:59:59Z',
		'x-nvidia-cert-revocation-reason': null,
	};
	return {
		...times(now),
		...Object.fromEntries([...checks.both, ...checks[version]].map(claim => [claim, true])),
		...Object.fromEntries(version === '3.0' ? checks.chains.map(claim => [claim, chain]) : []),
		eat_nonce: nonce.toString('hex'),
		measres: 'success',
		secboot: true,
		dbgstat: 'disabled',
		// The real maker writes either form, whatever the version.
		hwmodel: version === '2.0' ? chip : `${chip} A01 ${isSwitch ? 'FSP' : 'GSP'} BROM`,
		ueid: serialNumber,
		oemid: '5703',
		'x-nvidia-attestation-warning': null,
	};
}

type TokenOptions = Parameters<GpuMaker['token']>[1];

/** A token over the tokens of devices, and the devices' tokens by name. */
export type DetachedToken = [['JWT', string], Record<string, string>];

export interface DetachedFields {
	nonce: Buffer;
	/** Unix time in milliseconds. */
	now: number;
	version?: ClaimsVersion;
	/** Overrides claims of the token over all devices. */
	overall?: Record<string, unknown>;
	overallOptions?: TokenOptions;
	/** The options of the devices' tokens, by device name. */
	deviceOptions?: Record<string, TokenOptions>;
}

/** Returns the maker's approval of devices with these claims, which are keyed by device name. */
export function detachedToken(
	maker: GpuMaker,
	claims: Record<string, object>,
	{ nonce, now, version = '2.0', overall, overallOptions, deviceOptions = {} }: DetachedFields,
): DetachedToken {
	const tokens = Object.entries(claims).map(([name, own]) => [name, maker.token(own, deviceOptions[name])] as const);
	const all = {
		...times(now),
		eat_nonce: nonce.toString('hex'),
		sub: 'MAKER-PLATFORM-ATTESTATION',
		'x-nvidia-ver': version,
		'x-nvidia-overall-att-result': true,
		submods: Object.fromEntries(
			tokens.map(([name, token]) => [name, ['DIGEST', ['SHA-256', createHash('sha256').update(token).digest('hex')]]]),
		),
		...overall,
	};
	return [['JWT', maker.token(all, overallOptions)], Object.fromEntries(tokens)];
}

function times(now: number): { iat: number; nbf: number; exp: number } {
	const seconds = Math.floor(now / 1000);
	return { iat: seconds, nbf: seconds, exp: seconds + 3600 };
}
