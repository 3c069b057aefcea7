import * as vscode from 'vscode';
import { commands } from '../../platform/ids.ts';
import { type Explanation, explainError, helpfulButton } from '../../platform/notify.ts';
import type { SendRefusal } from '../conversation/chatOptions.ts';
import { noEncryptedModeText } from '../protocol/labels.ts';
import { noModelText, noModeText, systemReason } from './messages.ts';

/** Returns why a message was not accepted, perhaps with a helpful button. `connection` is the display name. */
export function explainRefusal(refusal: SendRefusal, connection: string): Explanation {
	switch (refusal.reason) {
		case 'empty':
			return { message: vscode.l10n.t('Write a message first.') };
		case 'too-long':
			return { message: vscode.l10n.t('The message is too long to send.') };
		case 'busy':
			return { message: vscode.l10n.t('Wait for the reply, or stop it first.') };
		case 'no-turn':
			return {
				message: vscode.l10n.t('This message is no longer in the conversation. Open the conversation again.'),
			};
		case 'finished':
			return { message: vscode.l10n.t('The reply is complete. Send a message to have the model continue.') };
		case 'context':
		case 'no-agent':
			return refusal.explanation;
		case 'no-model':
			return { message: noModelText(connection), action: helpfulButton('chooseModel') };
		case 'no-mode':
			return refusal.mode === 'image'
				? {
						message: vscode.l10n.t(
							'No image model of {0} is known. Select one under Select Model, Image Model.',
							connection,
						),
						action: helpfulButton('chooseModel'),
					}
				: { message: noModeText(refusal.mode, connection), action: helpfulButton('switchConnection') };
		case 'image':
			return { message: vscode.l10n.t('An image can’t be continued. Regenerate it, or change the message.') };
		case 'image-context':
			return {
				message: vscode.l10n.t(
					'Images are generated from the message only. Remove the attached context, or describe it in words.',
				),
			};
		case 'agent-images':
			return {
				message: vscode.l10n.t(
					'Agents don’t accept images. Remove them from the context, describe them in words, or mention the path of an image in the folder.',
				),
			};
		case 'images-full':
			return {
				message: vscode.l10n.t(
					'This conversation has reached its limit of images. Start a new conversation to generate more.',
				),
				action: newConversationButton(),
			};
		case 'encrypted-mode':
			return { message: noEncryptedModeText(), action: newConversationButton() };
		case 'encryption-ended':
			return {
				message: vscode.l10n.t(
					'Not sent: the encrypted session has ended because a reply failed verification. Start a new encrypted conversation.',
				),
				action: newEncryptedButton(),
			};
		case 'encryption-lost':
			return {
				message: vscode.l10n.t(
					'Not sent: the conversation was encrypted, but its file no longer says for which service. Start a new encrypted conversation.',
				),
				action: newEncryptedButton(),
			};
		case 'other-connection':
			return {
				message: vscode.l10n.t(
					'Not sent: this conversation is encrypted for the connection “{0}”, but a different one is active. Switch the connection, or start a new conversation.',
					refusal.expected,
				),
				action: helpfulButton('switchConnection'),
			};
		case 'no-connection':
			return explainError(refusal.error, connection);
		case 'not-saved':
			return {
				message: vscode.l10n.t(
					'The message wasn’t sent because it couldn’t be saved: {0}.',
					systemReason(refusal.code),
				),
			};
	}
}

/** Returns why a message without a key was not sent. The user was told which key is missing when asked for it. */
export function explainMissingKey(connection: string): Explanation {
	return { message: vscode.l10n.t('Not sent: {0} has no key yet.', connection), action: helpfulButton('manageKeys') };
}

export function newConversationButton(): NonNullable<Explanation['action']> {
	return { label: vscode.l10n.t('New Conversation'), command: commands.newConversation };
}

function newEncryptedButton(): NonNullable<Explanation['action']> {
	return { label: vscode.l10n.t('New Encrypted Conversation'), command: commands.newEncryptedConversation };
}
