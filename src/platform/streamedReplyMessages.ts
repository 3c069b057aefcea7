import * as vscode from 'vscode';
import { readSetting } from './settings.ts';

/** Returns whether encrypted replies are asked for in one sealed piece each. */
export function areRepliesWhole(): boolean {
	return readSetting('errand.channel.wholeReplies') === true;
}

/**
 * Says, without a full stop, what nobody can prove about an encrypted reply that comes in parts: the contract gives a
 * stream neither an order nor an end that is signed.
 */
export function streamedReplyWords(): string {
	return vscode.l10n.t('Each part is signed; order and completeness of a streamed reply are not proven');
}
