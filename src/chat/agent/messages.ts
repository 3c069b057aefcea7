import * as vscode from 'vscode';
import type { StopReason } from '../../agents/session/events.ts';
import { gitReason } from '../../base/gitReason.ts';
import { gitFailure } from '../../platform/gitRefusalMessages.ts';
import type { RefusalReason } from '../model/approvalPolicy.ts';

/** Returns why a request of an agent was refused without a question; undefined for anything else. */
export function refusalText(how: RefusalReason | string): string | undefined {
	switch (how) {
		case 'unreadable':
			return vscode.l10n.t('it names more than can be shown');
		case 'nothing-said':
			return vscode.l10n.t('it does not say what it is for');
		case 'only-always':
			return vscode.l10n.t('the agent wants it allowed for good');
		case 'beside':
			return vscode.l10n.t('it lies beside the repositories, where nothing is kept');
		default:
			return undefined;
	}
}

/** Returns why an agent has ended its turn early; undefined where it is done, or was stopped. */
export function endedText(label: string, reason: StopReason): string | undefined {
	switch (reason) {
		case 'end_turn':
			return undefined;
		case 'max_tokens':
			return vscode.l10n.t(
				'{0} ended because its model’s reply was cut at its maximum length. Choose a model with longer replies, or ask for less at once.',
				label,
			);
		case 'max_turn_requests':
			return vscode.l10n.t(
				'{0} ended because it has asked its model as often as it may in one turn. Tell it to go on, or ask for less at once.',
				label,
			);
		case 'refusal':
			return vscode.l10n.t('{0} ended because its model refuses to do this. Put it differently.', label);
		case 'cancelled':
			return vscode.l10n.t('{0} ended its turn as if somebody had stopped it. Try again.', label);
	}
}

/** Says why git failed, in a sentence of ours where there is one. */
export function gitFailureText(error: unknown): string {
	return gitFailure(error, gitReason(error)).message;
}
