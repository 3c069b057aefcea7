import * as vscode from 'vscode';
import { areRepliesWhole, streamedReplyWords } from '../../platform/streamedReplyMessages.ts';
import type { ConversationChannelState } from '../conversation/conversationChannel.ts';
import type { Encryption } from '../model/encryption.ts';
import type { EncryptionView } from '../protocol/protocol.ts';

/** Returns the heading of an encrypted conversation, with the state of its channel. */
export function encryptionView(state: ConversationChannelState, { isUnkept, connection }: Encryption): EncryptionView {
	const unkept = isUnkept ? [vscode.l10n.t('Not saved: it’s lost when this window closes')] : [];
	const isKept = !isUnkept;
	const view = { isConnecting: false, isRefused: false, isKept, emptyText: emptyText(isKept) };
	switch (state.kind) {
		case 'idle':
			return connection === undefined
				? {
						...view,
						label: vscode.l10n.t('Encrypted conversation, read-only'),
						details: unkept,
						isRefused: true,
					}
				: { ...view, label: vscode.l10n.t('Encrypted, connects with the next message'), details: unkept };
		case 'connecting':
			return {
				...view,
				label: vscode.l10n.t('Connecting; nothing is sent yet'),
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
				label: vscode.l10n.t('Ended: a reply was modified in transit, or came from someone else'),
				details: unkept,
				isRefused: true,
			};
	}
}

function emptyText(isKept: boolean): string {
	return [
		vscode.l10n.t(
			'Messages, context and replies are encrypted between you and whoever holds the key of the attestation.',
		),
		...(areRepliesWhole() ? [] : [`${streamedReplyWords()}.`]),
		isKept
			? vscode.l10n.t('On this machine, the conversation is saved as readably as others.')
			: vscode.l10n.t('Nothing of this conversation is saved on this machine.'),
	].join(' ');
}

/** Says why the model, the routing policy and parameters cannot be chosen. */
export function noChoiceText(): string {
	return vscode.l10n.t(
		'An encrypted conversation uses the model of its channel, without routing or parameters. Start a new conversation to select them.',
	);
}

export function noImageText(): string {
	return vscode.l10n.t('Not loaded: the request wouldn’t be encrypted, and the address can reveal what was said here.');
}

export function endedText(): string {
	return vscode.l10n.t(
		'Not sent: the encrypted session has ended because a reply failed verification. Start a new encrypted conversation.',
	);
}

export function lostText(): string {
	return vscode.l10n.t(
		'Not sent: the conversation was encrypted, but its file no longer says for which service. Start a new encrypted conversation.',
	);
}

export function otherConnectionText(name: string): string {
	return vscode.l10n.t(
		'Not sent: this conversation is encrypted for the connection “{0}”, but a different one is active. Switch the connection, or start a new conversation.',
		name,
	);
}

export function goneText(): string {
	return vscode.l10n.t(
		'The encrypted conversation wasn’t saved and was lost when its window closed or reloaded. This is a new conversation, and it isn’t encrypted.',
	);
}
