import * as vscode from 'vscode';
import { defined } from '../base/defined.ts';
import { ClientError, causesOf, describeError, type HelpfulAction, UserFacingError } from '../base/errors.ts';
import { type ExplainedFailure, explainFailure, MAXIMUM_QUOTE } from '../base/explainFailure.ts';
import { oneLine } from '../base/plainText.ts';
import { executeCommand } from './commands.ts';
import { type CommandId, commands, internalCommands } from './ids.ts';
import { inertText } from './inertText.ts';

/** The explanation of an error: one or two sentences (cause, next step) and at most one button. */
export interface Explanation {
	message: string;
	action?: { label: string; command: CommandId; argument?: string };
}

/** Returns a service's message in quotation marks, after a space; empty if there is none. */
export function quote(text: string | undefined, maximum = MAXIMUM_QUOTE): string {
	const line = oneLine(text ?? '', maximum);
	return line === '' ? '' : ` ${vscode.l10n.t('It said: “{0}”', line)}`;
}

/** Returns the button for the action that helps. `server` is the name of a model server's entry, for its key. */
export function helpfulButton(action: HelpfulAction, server?: string): NonNullable<Explanation['action']> {
	const atKey =
		server === undefined
			? { command: commands.manageKeys }
			: { command: internalCommands.changeServerKey, argument: server };
	return {
		changeKey: { label: vscode.l10n.t('Change Key…'), ...atKey },
		enterKey: { label: vscode.l10n.t('Enter Key…'), ...atKey },
		chooseModel: { label: vscode.l10n.t('Choose Model'), command: internalCommands.selectModel },
		manageKeys: { label: vscode.l10n.t('Manage Keys'), command: commands.manageKeys },
		showLog: { label: vscode.l10n.t('Show Log'), command: commands.showLog },
		switchConnection: { label: vscode.l10n.t('Switch Connection'), command: commands.switchConnection },
	}[action];
}

/**
 * Explains who failed and why, with the button that helps; the next step is in the sentence unless a button performs
 * it. `connection` is the label of the connection that was used. `hasRetry`: a button beside it asks again.
 */
export function explainError(error: unknown, connection: string, { hasRetry = false } = {}): Explanation {
	const { cause, step, isRetry = false, help } = explained(error, connection);
	const isByButton = (isRetry && hasRetry) || help?.action === 'changeKey' || help?.action === 'enterKey';
	const message = step === '' || isByButton ? cause : `${cause} ${step}`;
	return help ? { message, action: helpfulButton(help.action, help.server) } : { message };
}

/** Explains who failed and why, and the next step, for places without a button. */
export function errorText(error: unknown, connection: string): string {
	const { cause, step } = explained(error, connection);
	return step === '' ? cause : `${cause} ${step}`;
}

function explained(error: unknown, connection: string): ExplainedFailure {
	// Another error may have wrapped it on its way up.
	const userFacing = [...causesOf(error)].find(cause => cause instanceof UserFacingError);
	if (userFacing) {
		const { message, action } = userFacing;
		return { cause: message, step: '', ...defined({ help: action && { action } }) };
	}
	return error instanceof ClientError
		? explainFailure(error, { name: connection })
		: {
				cause: vscode.l10n.t(
					'Errand ran into an unexpected error: {0}. See the log for details.',
					oneLine(describeError(error), MAXIMUM_QUOTE),
				),
				step: '',
				help: { action: 'showLog' },
			};
}

const SHOW = {
	information: 'showInformationMessage',
	warning: 'showWarningMessage',
	error: 'showErrorMessage',
} as const;

/** Shows a notification and resolves with the button that was chosen. The message may repeat foreign text. */
export function showMessage(
	severity: keyof typeof SHOW,
	message: string,
	...buttons: string[]
): Thenable<string | undefined> {
	return vscode.window[SHOW[severity]](inertText(message), ...buttons);
}

/** Asks in a modal dialog, which may repeat foreign text too. Resolves with the chosen button, if any. */
export function askModal(message: string, detail: string, ...buttons: string[]): Thenable<string | undefined> {
	return vscode.window.showWarningMessage(inertText(message), { modal: true, detail: inertText(detail) }, ...buttons);
}

export function followAction<T>({ command, argument }: NonNullable<Explanation['action']>): Thenable<T> {
	return argument === undefined ? executeCommand<T>(command) : executeCommand<T>(command, argument);
}

/** Shows an explanation as a notification; its button runs the command. Resolves once it is dismissed or followed. */
export async function showExplanation(explanation: Explanation): Promise<void> {
	const { message, action } = explanation;
	const chosen = await showMessage('error', message, ...(action ? [action.label] : []));
	if (action && chosen === action.label) {
		await followAction(action);
	}
}

/**
 * Shows a message whose button performs an action, and reports an error of that action. It does not wait, because a
 * notification may stay for a long time.
 */
export function offer(
	message: string,
	button: string,
	run: () => PromiseLike<unknown>,
	explain: (error: unknown) => Explanation,
): void {
	const ask = async () => {
		if ((await showMessage('information', message, button)) === button) {
			await run();
		}
	};
	ask().catch(error => showExplanation(explain(error)));
}
