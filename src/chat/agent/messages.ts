import * as vscode from 'vscode';
import type { FormRefusal } from '../../agents/session/events.ts';
import { gitReason } from '../../base/gitReason.ts';
import { gitFailure } from '../../platform/gitRefusalMessages.ts';
import type { RefusalReason } from '../model/approvalPolicy.ts';

/** Returns why a request or a form of an agent was refused without a question; undefined for anything else. */
export function refusalText(how: RefusalReason | FormRefusal | string): string | undefined {
	switch (how) {
		case 'secret':
			return vscode.l10n.t('it asks for a key or password, which belongs into the agent’s own settings');
		case 'address':
			return vscode.l10n.t('it wants an address opened');
		case 'unreadable':
			return vscode.l10n.t('it names more than can be shown');
		case 'nothing-said':
			return vscode.l10n.t('it does not say what it is for');
		case 'only-always':
			return vscode.l10n.t('the agent wants it allowed for good');
		case 'beside':
			return vscode.l10n.t('it lies beside the repositories, where nothing is kept');
		case 'plan':
			return vscode.l10n.t('this turn only plans');
		default:
			return undefined;
	}
}

/** Says why git failed, in a sentence of Errand's if there is one. */
export function gitFailureText(error: unknown): string {
	return gitFailure(error, gitReason(error)).message;
}
