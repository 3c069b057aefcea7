import * as vscode from 'vscode';
import { commands } from '../../platform/ids.ts';
import { type Explanation, explainError, helpfulButton } from '../../platform/notify.ts';
import type { ChatNotice, SendRefusal } from '../conversation/chatOptions.ts';
import { failureNotice, type OpenFailure } from '../conversation/openConversations.ts';
import type { FinishProblem } from '../model/conversation.ts';
import type { TurnMode } from '../model/mode.ts';
import { noEncryptedModeText } from '../protocol/labels.ts';
import type { Repair } from '../storage/conversationStore.ts';

export function noModelText(connection: string): string {
	return vscode.l10n.t('{0} has no model for chat. Set errand.chat.model or switch the connection.', connection);
}

export function noticeText(notice: ChatNotice): string {
	switch (notice.kind) {
		case 'repaired':
			return repairsText(notice.repairs);
		case 'unreadable':
			return vscode.l10n.t(
				'Couldn’t open saved conversations: {0}. Their files are unchanged.',
				systemReason(notice.code),
			);
		case 'newer':
			return notice.count === 1
				? vscode.l10n.t('A conversation was written by a later version of Errand. Update Errand to open it.')
				: vscode.l10n.t(
						'{0} conversations were written by a later version of Errand. Update Errand to open them.',
						notice.count,
					);
		case 'branched':
			return vscode.l10n.t(
				'Another window changed this conversation. This window continues in a copy; both are saved.',
			);
		case 'not-kept':
			return vscode.l10n.t(
				'The encrypted conversation wasn’t saved and was lost when its window closed or reloaded. This is a new conversation, and it isn’t encrypted.',
			);
		case 'save-failed':
			return vscode.l10n.t(
				'Couldn’t save the conversation: {0}. Keep this window open: Errand tries again with the next change.',
				systemReason(notice.code),
			);
	}
}

export function openFailureText(failure: OpenFailure): string {
	return failure.kind === 'missing'
		? vscode.l10n.t('This conversation was deleted in another window.')
		: noticeText(failureNotice(failure));
}

/** Returns the meaning of a file-system error, as the end of a sentence. */
export function systemReason(code: string | undefined): string {
	switch (code) {
		case 'ENOSPC':
		case 'EDQUOT':
			return vscode.l10n.t('the disk is full');
		case 'EACCES':
		case 'EPERM':
			return vscode.l10n.t('the editor has no permission to write to its storage folder');
		case 'EROFS':
			return vscode.l10n.t('the disk is read-only');
		default:
			return code === undefined
				? vscode.l10n.t('the system refused access')
				: vscode.l10n.t('the system refused access ({0})', code);
	}
}

function repairsText(repairs: readonly Repair[]): string {
	const kept = repairs.reduce((sum, repair) => sum + repair.kept, 0);
	if (repairs.length > 1) {
		return vscode.l10n.t(
			'{0} saved conversations were damaged. {1} messages were recovered; the damaged files were set aside, not deleted.',
			repairs.length,
			kept,
		);
	}
	const expected = repairs[0]?.expected;
	if (kept === 0) {
		return vscode.l10n.t('Couldn’t read a saved conversation. Its file was set aside, not deleted.');
	}
	return expected !== undefined && expected > kept
		? vscode.l10n.t(
				'A saved conversation was damaged. {0} of {1} messages were recovered; the damaged file was set aside, not deleted.',
				kept,
				expected,
			)
		: vscode.l10n.t(
				'A saved conversation was damaged. {0} messages were recovered; the damaged file was set aside, not deleted.',
				kept,
			);
}

export function finishExplanation(problem: FinishProblem, hasThought: boolean): Explanation {
	switch (problem) {
		case 'empty':
			return {
				message: hasThought
					? vscode.l10n.t('The model finished thinking without giving an answer.')
					: vscode.l10n.t('The model’s reply was empty.'),
			};
		case 'length':
			return { message: vscode.l10n.t('The reply ends here because it reached the model’s length limit.') };
		case 'filtered':
			return { message: vscode.l10n.t('The reply ends here because the service’s content filter stopped it.') };
	}
}

/** Says why a mode cannot be used with a connection. */
export function noModeText(mode: TurnMode, connection: string): string {
	return mode === 'search'
		? vscode.l10n.t('{0} has no search model. Switch the connection to search the web.', connection)
		: vscode.l10n.t('{0} has no image model. Switch the connection to make images.', connection);
}

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
