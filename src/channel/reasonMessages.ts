import * as vscode from 'vscode';
import type { ReasonCode, RefusalCode } from '../client/channel/reason.ts';
import { CHECKS, type Verdict } from '../client/types.ts';
import { checkLabel } from './messages.ts';

/** Returns the reason for a check's result, as sentences. Values in them may come from others. */
export function verdictReasonText({ code, values = [] }: Pick<Verdict, 'code' | 'values'>): string {
	return REASONS[code](...values);
}

const REASONS: Readonly<Record<ReasonCode, (...values: string[]) => string>> = {
	'way-https': () => vscode.l10n.t('The record came over https, without a redirect, in its documented form.'),
	'way-loopback': () => vscode.l10n.t('The record came from this machine, without a redirect, in its documented form.'),

	'key-usable': () => vscode.l10n.t('It is a P-384 key, and its point is on the curve.'),
	'key-refused': (refusal = '') => vscode.l10n.t('The key cannot be used: {0}.', refusalText(refusal)),
	'key-none': () => vscode.l10n.t('There is no key to check with.'),

	'signature-holds': () => vscode.l10n.t('The signature of report_json is by the public key.'),
	'signature-wrong': () =>
		vscode.l10n.t(
			'The signature is not one of report_json by the public key, in any form or with any hash that is known.',
		),
	'report-no-json': () =>
		vscode.l10n.t('The signature of report_json is by the public key, but report_json is no JSON.'),
	'report-other': () =>
		vscode.l10n.t(
			'The signature of report_json is by the public key. The field report says something else; only report_json is used.',
		),

	'nonce-new': () =>
		vscode.l10n.t('The nonce has not been seen with another key, and no part of the evidence has another nonce.'),
	'nonce-length': (length = '', minimum = '', maximum = '') =>
		vscode.l10n.t('The nonce has {0} bytes, not {1} to {2}.', length, minimum, maximum),
	'nonce-seen': () => vscode.l10n.t('The nonce was seen before, with another key.'),
	'nonce-other': (place = '') => vscode.l10n.t('The nonce in {0} is another one.', place),

	'evidence-genuine': () =>
		vscode.l10n.t(
			'The evidence is genuine: one GPU of the maker signed it. It does not say whose key the channel uses, and whether the maker has revoked the device was not asked.',
		),
	'evidence-genuine-many': (count = '') =>
		vscode.l10n.t(
			'The evidence is genuine: {0} GPUs of the maker signed it. It does not say whose key the channel uses, and whether the maker has revoked a device was not asked.',
			count,
		),
	'evidence-none': () => vscode.l10n.t('There is no evidence of a GPU in report_json in any form that is known.'),
	'evidence-too-many': (count = '') => vscode.l10n.t('There are more than {0} pieces of evidence.', count),
	'evidence-refused': (piece = '', refusal = '') =>
		vscode.l10n.t('Piece {0} of the evidence is not valid: {1}.', piece, refusalText(refusal)),
	'evidence-switches': () => vscode.l10n.t('The evidence is of switches only, not of a GPU.'),
	'evidence-twice': () => vscode.l10n.t('One device appears twice.'),

	'token-yes': () =>
		vscode.l10n.t(
			'The GPU maker’s verifier signed that the GPU of the evidence and what it measured are as they should be.',
		),
	'token-yes-many': (count = '') =>
		vscode.l10n.t(
			'The GPU maker’s verifier signed that all {0} GPUs of the evidence and what they measured are as they should be.',
			count,
		),
	'token-untied': () =>
		vscode.l10n.t(
			'The GPU maker’s verifier signed a yes, but no evidence that holds came with it, so it is not proven which devices the yes is about.',
		),
	'token-none': () => vscode.l10n.t('There is no token of the hardware.'),
	'token-form': () => vscode.l10n.t('The token of the hardware is in no form that is known.'),
	'token-self-issued': () =>
		vscode.l10n.t('The token is self-issued: the GPU maker did not sign it, so it proves nothing of the hardware.'),
	'token-forged': () =>
		vscode.l10n.t('The token of the hardware claims to be the GPU maker’s, and the signature is not.'),
	'token-device-forged': (device = '') =>
		vscode.l10n.t('The token of the device {0} claims to be the GPU maker’s, and the signature is not.', device),
	'token-no': () => vscode.l10n.t('The maker does not confirm the hardware.'),
	'token-device-no': (device = '', claim = '') =>
		vscode.l10n.t('The maker does not confirm the device {0}: {1}.', device, claim),
	'token-device-silent': (device = '', claim = '') =>
		vscode.l10n.t('The maker’s answer on the device {0} is incomplete: it says nothing about {1}.', device, claim),
	'token-device-kind': (device = '', model = '') =>
		vscode.l10n.t(
			'The maker’s token gives the device {0} the model {1}, which is not known to be a device of that kind.',
			device,
			model,
		),
	'token-device-nonce': (device = '') =>
		vscode.l10n.t('The token of the device {0} was made for another nonce.', device),
	'token-without-devices': () =>
		vscode.l10n.t('The maker’s token came without those of the devices, so it says nothing of a GPU.'),
	'token-without-gpu': () => vscode.l10n.t('The maker’s token names no GPU.'),
	'token-other-hardware': () =>
		vscode.l10n.t('The maker’s token is about other devices than those that the evidence is from.'),
	'token-other-devices': () => vscode.l10n.t('The tokens of the devices are not those that the maker’s token names.'),
	'token-other-digest': () => vscode.l10n.t('The token of a device is not the one that the maker’s token names.'),
	'token-version': () =>
		vscode.l10n.t('The maker’s token is of a version that is not known, so what it leaves out cannot be told.'),
	'token-without-time': () => vscode.l10n.t('The maker’s token does not say until when it holds.'),
	'token-expired': () => vscode.l10n.t('The maker’s token has expired.'),
	'token-too-early': () => vscode.l10n.t('The maker’s token is not valid yet.'),
	'token-without-key': () => vscode.l10n.t('The token does not say with which of the maker’s keys it is signed.'),
	'token-keys-declined': () =>
		vscode.l10n.t('The GPU maker was not asked for the keys of its tokens, as you did not allow it.'),
	'token-keys-unreachable': () => vscode.l10n.t('The GPU maker could not be asked for the keys of its tokens.'),
	'token-key-unlisted': () => vscode.l10n.t('The token is signed with a key that the GPU maker does not list.'),

	'binding-holds': () =>
		vscode.l10n.t(
			'The nonce that the hardware signed is a hash of the key, so the evidence was made for it. Which software asked for it is not proven.',
		),
	'binding-other': () =>
		vscode.l10n.t(
			'The nonce that the hardware signed is no hash of the key: the evidence may be of another machine than the one that holds the key.',
		),
	'binding-no-hardware': () =>
		vscode.l10n.t('No evidence of the hardware was proven, so nothing says where the key lives.'),

	'freshness-again': () =>
		vscode.l10n.t(
			'The service sends a record again that it has sent before, so it was not made for this request. How old it is cannot be told.',
		),
	'freshness-unknown': () =>
		vscode.l10n.t('The service takes no nonce of ours, so the evidence may be older than it looks.'),

	'memory-none': () => vscode.l10n.t('Nothing is remembered of this address.'),
	'memory-same-key': () => vscode.l10n.t('Everything that was proven before is proven again, with the same key.'),
	'memory-other-key': () => vscode.l10n.t('Everything that was proven before is proven again, with another key.'),
	'memory-devices': () => vscode.l10n.t('The evidence is of another set of GPUs than before.'),
	'memory-less': (...lost) =>
		vscode.l10n.t(
			'No longer proven: {0}.',
			CHECKS.filter(check => lost.includes(check))
				.map(checkLabel)
				.join(', '),
		),
};

/** Returns why a key or a piece of evidence is invalid, as the end of a sentence. */
function refusalText(code: string): string {
	const texts: Readonly<Record<string, () => string>> = REFUSALS;
	return texts[code]?.() ?? code;
}

const REFUSALS: Readonly<Record<RefusalCode, () => string>> = {
	'pem-key': () => vscode.l10n.t('it is not one PEM block of a public key'),
	'key-form': () => vscode.l10n.t('it is not the SubjectPublicKeyInfo of an uncompressed key of the named curve P-384'),
	curve: () => vscode.l10n.t('its point is not on the curve P-384'),
	der: () => vscode.l10n.t('it is not strict DER of what it should be'),
	'pem-certificates': () => vscode.l10n.t('it is not a PEM text of as many certificates as a chain has'),
	'no-chain': () => vscode.l10n.t('it is no chain of certificates'),
	'certificate-version': () => vscode.l10n.t('a certificate of its chain is not of version 3'),
	'certificate-algorithm': () => vscode.l10n.t('a certificate of its chain is not signed with ECDSA and SHA-384'),
	'certificate-expired': () => vscode.l10n.t('a certificate of its chain is not valid now'),
	'extension-twice': () => vscode.l10n.t('a certificate of its chain has an extension twice'),
	'extension-unknown': () => vscode.l10n.t('a certificate of its chain has a critical extension that is not known'),
	'self-issued': () => vscode.l10n.t('a certificate of its chain, other than the last, was issued by itself'),
	'chain-order': () => vscode.l10n.t('the certificates of its chain are not in their order'),
	'chain-signature': () => vscode.l10n.t('a certificate of its chain was not signed by the next'),
	'chain-root': () => vscode.l10n.t('its chain does not end at the maker’s root'),
	'issuer-rights': () => vscode.l10n.t('a certificate of its chain was issued by one that may not'),
	'leaf-rights': () => vscode.l10n.t('the key of its leaf may not sign reports'),
	'evidence-form': () => vscode.l10n.t('a field of it is missing, or in another form than it has'),
	'report-form': () => vscode.l10n.t('its report is not in the form of signed measurements'),
	'report-signature': () => vscode.l10n.t('its report is not signed by the device'),
	'report-nonce': () => vscode.l10n.t('its report was made for another nonce'),
	'report-firmware': () => vscode.l10n.t('its report names other firmware than its certificate'),
	'device-kind': () => vscode.l10n.t('its device is of no kind that is known'),
	'chain-device': () => vscode.l10n.t('the certificates of its chain name different kinds of device'),
	'device-architecture': () => vscode.l10n.t('its device is of another architecture'),
	frame: () => vscode.l10n.t('it is no sealed text of the other side'),
};
