import * as vscode from 'vscode';
import { areRepliesWhole, streamedReplyWords } from '../../platform/streamedReplyMessages.ts';
import type { ConversationChannelState } from '../conversation/conversationChannel.ts';
import type { Encryption } from '../model/encryption.ts';
import type { EncryptionView } from '../protocol/protocol.ts';

/** Returns the heading of an encrypted conversation, with the state of its channel. */
export function encryptionView(state: ConversationChannelState, { isUnkept, connection }: Encryption): EncryptionView {
	const unkept = isUnkept ? [vscode.l10n.t('Not kept: it is lost when this window closes')] : [];
	const isKept = !isUnkept;
	const view = { isConnecting: false, isRefused: false, isKept, emptyText: emptyText(isKept) };
	switch (state.kind) {
		case 'idle':
			return connection === undefined
				? {
						...view,
						label: vscode.l10n.t('Encrypted conversation, can only be read'),
						details: unkept,
						isRefused: true,
					}
				: { ...view, label: vscode.l10n.t('Encrypted, connects with the next message'), details: unkept };
		case 'connecting':
			return {
				...view,
				label: vscode.l10n.t('Connecting; nothing is sent meanwhile'),
				details: unkept,
				isConnecting: true,
			};
		case 'open':
			return { ...view, label: state.label, details: [...unkept, ...state.details] };
		case 'refused':
			return { ...view, label: state.message.replace(/[.。]$/u, ''), details: unkept, isRefused: true };
		case 'ended':
			return {
				...view,
				label: vscode.l10n.t('Ended: a reply was changed on its way, or comes from somebody else'),
				details: unkept,
				isRefused: true,
			};
	}
}

function emptyText(isKept: boolean): string {
	return [
		vscode.l10n.t('Messages, context and replies go encrypted, up to whoever holds the key of the attestation.'),
		...(areRepliesWhole() ? [] : [`${streamedReplyWords()}.`]),
		isKept
			? vscode.l10n.t('On this machine the conversation is kept as readable as others.')
			: vscode.l10n.t('Nothing of this conversation is written on this machine.'),
	].join(' ');
}

/** Says why the model, the routing policy and parameters cannot be chosen. */
export function noChoiceText(): string {
	return vscode.l10n.t(
		'An encrypted conversation has the model of its channel; routing and parameters have no place in it. Start a new conversation to choose them.',
	);
}

export function noImageText(): string {
	return vscode.l10n.t('Not loaded: it would be asked for in clear, and its address can carry what was said here.');
}

export function endedText(): string {
	return vscode.l10n.t(
		'Not sent: the encrypted session has ended because a reply failed verification. Start a new encrypted conversation.',
	);
}

export function lostText(): string {
	return vscode.l10n.t(
		'Not sent: the conversation was encrypted, and its file does not say any more where to. Start a new encrypted conversation.',
	);
}

export function otherConnectionText(name: string): string {
	return vscode.l10n.t(
		'Not sent: this conversation is encrypted to the connection “{0}”, and another one is active. Switch the connection, or start a new conversation.',
		name,
	);
}

export function goneText(): string {
	return vscode.l10n.t(
		'The encrypted conversation was not kept and was lost when its window closed or reloaded. This one is new, and not encrypted.',
	);
}
