import * as vscode from 'vscode';
import { readSetting } from './settings.ts';

/** Returns whether encrypted replies are requested in one sealed piece each. */
export function areRepliesWhole(): boolean {
	return readSetting('errand.channel.wholeReplies') === true;
}

/**
 * Says, without a full stop, what cannot be proven about an encrypted reply that comes in parts: the contract gives a
 * stream no signed order or end.
 */
export function streamedReplyWords(): string {
	return vscode.l10n.t('Each part is signed; order and completeness of a streamed reply aren’t proven');
}
