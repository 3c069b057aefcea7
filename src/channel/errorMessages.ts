import * as vscode from 'vscode';
import { ClientError } from '../base/errors.ts';
import { RefusedAttestation } from '../client/channel/verdicts.ts';
import { commands, internalCommands } from '../platform/ids.ts';
import { type Explanation, explainError } from '../platform/notify.ts';
import { checkLabel, noChannelText, resentText } from './messages.ts';

/**
 * Explains an error of the channel. `wasStreamed`: the reply was requested in parts, and could be requested whole.
 * Nothing that failed verification was shown, and nothing was sent unencrypted.
 */
export function explainChannelError(
	error: unknown,
	connection: string,
	{ wasStreamed = false }: { wasStreamed?: boolean } = {},
): Explanation {
	const action = { label: vscode.l10n.t('Show Encryption Evidence'), command: commands.showAttestation };
	const startNew = { label: vscode.l10n.t('New Encrypted Conversation'), command: commands.newEncryptedConversation };
	if (!ClientError.is(error)) {
		return explainError(error, connection);
	}
	if (error.cause instanceof RefusedAttestation) {
		return { message: refusalText(error.cause, connection, error.wasSent), action };
	}
	switch (error.code) {
		case 'tampered':
			return {
				message: vscode.l10n.t(
					'The reply of {0} was modified in transit, or came from someone else. The encrypted session has ended, and that part of the reply isn’t shown. Start a new encrypted conversation.',
					connection,
				),
				action: startNew,
			};
		case 'session-expired':
			return {
				message: vscode.l10n.t(
					'{0} ended the encrypted session and doesn’t accept a new one. Try again in a moment.',
					connection,
				),
				action,
			};
		case 'too-large':
			return {
				message: vscode.l10n.t(
					'The conversation is too long for the encrypted channel of {0}. Start a new encrypted conversation.',
					connection,
				),
				action: startNew,
			};
		case 'not-found':
			return {
				message: vscode.l10n.t(
					'{0} has no encrypted channel at its address. Check the host with “Errand: Switch or Add Connection”. For the organization’s host, check the model and its provider too.',
					connection,
				),
			};
		case 'bad-response':
			return wasStreamed && error.redirectedTo === undefined
				? {
						message: vscode.l10n.t(
							'{0} didn’t stream a valid encrypted reply, so nothing is shown. The session continues. Request whole replies, or check the address if a sign-in page or a proxy responded.',
							connection,
						),
						action: { label: vscode.l10n.t('Request Whole Replies'), command: internalCommands.askForWholeReplies },
					}
				: explainError(error, connection);
		case 'truncated':
			return {
				message: vscode.l10n.t(
					'The reply was cut off, and the channel can’t tell what’s missing. Each part that arrived is genuine and is kept.',
				),
			};
		case 'not-supported':
			return {
				message: noChannelText(connection),
				action: { label: vscode.l10n.t('Switch Connection'), command: commands.switchConnection },
			};
		default:
			return explainError(error, connection);
	}
}

/** `wasSent`: the message was sent once, encrypted under the previous attestation. */
function refusalText(refused: RefusedAttestation, connection: string, wasSent: boolean): string {
	const reason = refusalReason(refused, connection);
	return wasSent
		? `${vscode.l10n.t('Not sent again: {0}', reason)} ${resentText()}`
		: vscode.l10n.t('Nothing was sent: {0}', reason);
}

/** Returns the end of a sentence. */
function refusalReason({ refusal, verdicts }: RefusedAttestation, connection: string): string {
	switch (refusal) {
		case 'failed': {
			const failed = verdicts.find(({ check, verdict }) => verdict === 'fail' && check !== 'memory');
			return vscode.l10n.t(
				'the attestation of {0} failed the check “{1}”.',
				connection,
				failed ? checkLabel(failed.check) : '',
			);
		}
		case 'declined':
			return vscode.l10n.t('the attestation of {0} has changed, and you didn’t continue.', connection);
		case 'proof-demanded':
			return vscode.l10n.t('errand.channel.requireHardwareProof requires proof that {0} doesn’t provide.', connection);
	}
}
