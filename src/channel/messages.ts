import * as vscode from 'vscode';
import { defined } from '../base/defined.ts';
import { isDowngrade, lostChecks } from '../client/channel/verdicts.ts';
import type { AcceptedAttestation, Attested, CheckName, Verdict } from '../client/types.ts';
import type { Health } from '../contract/channel.ts';
import { streamedReplyWords } from '../platform/streamedReplyMessages.ts';
import type { ChannelConnection, ChannelPlace } from './model/places.ts';
import type { Summary } from './model/summary.ts';

/** Returns a channel as a row of a list. */
export function placeWords(
	{ address, url }: ChannelPlace,
	{ connection, isLocal }: Pick<ChannelConnection, 'connection' | 'isLocal'>,
) {
	const { model, provider } = address;
	const known = connection.models.find(({ id }) => id === model)?.label ?? model;
	const via = connection.providers.find(({ slug }) => slug === provider)?.label ?? provider;
	return {
		label: known ?? vscode.l10n.t('Shared address'),
		...defined({ description: via === undefined ? undefined : vscode.l10n.t('via {0}', via) }),
		// The address of the local service is of no use to the user.
		...defined({ detail: isLocal ? undefined : url }),
	};
}

export function checkLabel(check: CheckName): string {
	switch (check) {
		case 'transport':
			return vscode.l10n.t('Transport');
		case 'public-key':
			return vscode.l10n.t('Public key');
		case 'signature':
			return vscode.l10n.t('Signature of the report');
		case 'nonce':
			return vscode.l10n.t('Nonce');
		case 'gpu-evidence':
			return vscode.l10n.t('GPU evidence');
		case 'gpu-token':
			return vscode.l10n.t('Token of the GPU maker');
		case 'key-binding':
			return vscode.l10n.t('Key binding');
		case 'freshness':
			return vscode.l10n.t('Freshness');
		case 'memory':
			return vscode.l10n.t('Compared with before');
	}
}

export function verdictWord(verdict: Verdict['verdict'] | 'pending'): string {
	switch (verdict) {
		case 'pass':
			return vscode.l10n.t('Pass');
		case 'fail':
			return vscode.l10n.t('Fail');
		case 'unknown':
			return vscode.l10n.t('Unknown');
		case 'pending':
			return vscode.l10n.t('Not checked');
	}
}

function localWords(): string {
	return vscode.l10n.t('Local: encrypted, no hardware');
}

/**
 * Returns the facts that are not proven, as a sentence without its full stop. The software never is, because nothing in
 * an attestation names it. Neither is the end of a whole reply, because the first part of a streamed one looks the
 * same.
 */
function notProvenWords({ hasGenuineGpu, isKeyBound, isFresh }: Summary, isWhole: boolean): string {
	const key = hasGenuineGpu
		? vscode.l10n.t('that the key lives in that GPU')
		: vscode.l10n.t('that the key lives in a GPU');
	const open = [
		...(isKeyBound ? [] : [key]),
		...(isFresh ? [] : [vscode.l10n.t('freshness')]),
		vscode.l10n.t('which software'),
		...(isWhole ? [vscode.l10n.t('that nothing is missing at the end of a reply')] : []),
	];
	return vscode.l10n.t('Not proven: {0}', open.join('; '));
}

/** The label of an encrypted conversation and its details. */
export interface Badge {
	label: string;
	/** Sentences for the tooltip. */
	details: string[];
}

/** `isKeyConfirmed`: a reply was verified with the key. `isWhole`: each reply comes in one piece. */
export function badgeWords(
	summary: Summary,
	{ isKeyConfirmed, isWhole }: { isKeyConfirmed: boolean; isWhole: boolean },
): Badge {
	const streamed = isWhole ? [] : [streamedReplyWords()];
	if (summary.isLocal) {
		return { label: localWords(), details: streamed };
	}
	return {
		label: isKeyConfirmed ? vscode.l10n.t('Encrypted, key confirmed') : vscode.l10n.t('Encrypted'),
		details: [gpuWords(summary), notProvenWords(summary, isWhole), ...streamed],
	};
}

function gpuWords({ hasGenuineGpu }: Summary): string {
	return hasGenuineGpu ? vscode.l10n.t('GPU evidence genuine') : vscode.l10n.t('GPU evidence not proven');
}

/** Returns the verdict of a report in a few sentences. `isWhole`: each reply comes in one piece. */
export function verdictSentence(
	summary: Summary,
	{ isDemanded, isWhole }: { isDemanded: boolean; isWhole: boolean },
): string {
	if (summary.broken) {
		return vscode.l10n.t(
			'Not trusted: the check “{0}” failed. Nothing is sent over this channel.',
			checkLabel(summary.broken),
		);
	}
	const open = !(summary.hasGenuineGpu && summary.isKeyBound && summary.isFresh);
	if (isDemanded && open) {
		return vscode.l10n.t('Encrypted, but without the hardware proof that your settings require. Nothing is sent.');
	}
	const streamed = isWhole ? [] : [`${streamedReplyWords()}.`];
	if (summary.isDowngrade) {
		const lost = vscode.l10n.t('Less is proven than before. You’re asked before anything is sent.');
		return [lost, ...streamed].join(' ');
	}
	const proven = summary.isLocal
		? [localWords()]
		: [vscode.l10n.t('Encrypted'), gpuWords(summary), notProvenWords(summary, isWhole)];
	return [...proven.map(words => `${words}.`), ...streamed].join(' ');
}

/** The text for a message whose session had expired when it arrived. */
export function resentText(): string {
	return vscode.l10n.t('The message was already sent once, encrypted for the attestation that you accepted.');
}

/** The question to the user when a connection's attestation has changed, before anything is sent under the new one. */
export function changeWords(
	connection: string,
	before: AcceptedAttestation,
	now: Attested,
	{ wasSent }: { wasSent: boolean },
): { message: string; detail: string } {
	const sent = wasSent ? resentText() : vscode.l10n.t('Nothing has been sent.');
	if (isDowngrade(now)) {
		const lost = lostChecks(before.verdicts, now.verdicts).map(checkLabel).join(', ');
		const change = lost
			? vscode.l10n.t('No longer proven: {0}.', lost)
			: vscode.l10n.t('The evidence is from different GPUs than before.');
		return {
			message: vscode.l10n.t('{0} proves less than before. Continue?', connection),
			detail: `${change} ${sent}`,
		};
	}
	const reason = vscode.l10n.t(
		'This happens when the service was restarted, or creates a new key for each session. If you didn’t expect it, someone else may be responding.',
	);
	const message =
		before.keyFingerprint === now.keyFingerprint
			? vscode.l10n.t('The attestation of {0} has changed. Continue?', connection)
			: vscode.l10n.t('{0} has a different key than before. Continue?', connection);
	return { message, detail: `${reason} ${sent}` };
}

export function otherConnectionText(name: string): string {
	return vscode.l10n.t(
		'This conversation is encrypted for the connection “{0}”, but a different one is active. Switch the connection, or start a new conversation.',
		name,
	);
}

export function noChannelText(connection: string): string {
	return vscode.l10n.t(
		'{0} has no encrypted channel. Add its shared host, or the organization’s host and an encrypted model, with “Errand: Switch or Add Connection”.',
		connection,
	);
}

/** Describes for how many messages an attestation is used. */
export function sessionText(needsSessionPerMessage: boolean): string {
	return needsSessionPerMessage
		? vscode.l10n.t(
				'Each message uses its own attestation because the service rejected a second message with the same one',
			)
		: vscode.l10n.t('An attestation is used for many messages, each with its own key');
}

/** Describes the service's report about itself, which proves nothing. */
export function healthText(health: Health | 'none'): string {
	if (health === 'none') {
		return vscode.l10n.t('The service doesn’t report its status');
	}
	const { status, crypto_status: crypto, server, version, timestamp, worker_pid: worker } = health;
	const isWell = status === 'healthy' && crypto === 'ready';
	const state = isWell
		? vscode.l10n.t('healthy and ready to encrypt')
		: [status, crypto].filter(part => part !== undefined).join(', ') || vscode.l10n.t('an unknown status');
	const details = [
		[server, version].filter(part => part !== undefined).join(' '),
		worker === undefined ? '' : vscode.l10n.t('process {0}', worker),
		timestamp === undefined ? '' : new Date(timestamp * 1000).toLocaleString(vscode.env.language),
	].filter(part => part !== '');
	return details.length === 0
		? vscode.l10n.t('The service reports: {0}', state)
		: vscode.l10n.t('The service reports: {0} ({1})', state, details.join(', '));
}
