import * as vscode from 'vscode';
import type { FormRefusal } from '../../agents/session/events.ts';
import { gitReason } from '../../base/gitReason.ts';
import { gitFailure } from '../../platform/gitRefusalMessages.ts';
import type { RefusalReason } from '../model/approvalPolicy.ts';

/** Returns why a request or a form of an agent was refused without a question; undefined for anything else. */
export function refusalText(how: RefusalReason | FormRefusal | string): string | undefined {
	switch (how) {
		case 'secret':
			return vscode.l10n.t('it asks for a key or password, which belongs in the agent’s own settings');
		case 'address':
			return vscode.l10n.t('it asks to open an address');
		case 'unreadable':
			return vscode.l10n.t('it lists more than can be shown');
		case 'nothing-said':
			return vscode.l10n.t('it doesn’t say what it’s for');
		case 'only-always':
			return vscode.l10n.t('the agent asks for permanent permission');
		case 'beside':
			return vscode.l10n.t('it’s outside the repositories, where nothing is saved');
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
