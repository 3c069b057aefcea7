import * as vscode from 'vscode';
import type { FormRefusal } from '../../agents/session/events.ts';
import { gitReason } from '../../base/gitReason.ts';
import { gitFailure } from '../../platform/gitRefusalMessages.ts';
import type { RefusalReason } from '../model/approvalPolicy.ts';

const refusalTexts: Partial<Record<string, string>> = {
	secret: vscode.l10n.t('it asks for a key or password, which belongs in the agent’s own settings'),
	address: vscode.l10n.t('it asks to open an address'),
	unreadable: vscode.l10n.t('it lists more than can be shown'),
	'nothing-said': vscode.l10n.t('it doesn’t say what it’s for'),
	'only-always': vscode.l10n.t('the agent asks for permanent permission'),
	beside: vscode.l10n.t('it’s outside the repositories, where nothing is saved'),
	plan: vscode.l10n.t('this turn only plans'),
} satisfies Partial<Record<RefusalReason | FormRefusal, string>>;

/** Returns why a request or a form of an agent was refused without a question; undefined for anything else. */
export function refusalText(how: string): string | undefined {
	return refusalTexts[how];
}

/** Says why git failed, in a sentence of Errand's if there is one. */
export function gitFailureText(error: unknown): string {
	return gitFailure(error, gitReason(error)).message;
}
