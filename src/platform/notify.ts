import * as vscode from 'vscode';
import { ClientError, causesOf, describeError, type HelpfulAction, UserFacingError } from '../base/errors.ts';
import { networkFaultOf } from '../base/networkFault.ts';
import { oneLine } from '../base/plainText.ts';
import { executeCommand } from './commands.ts';
import { type CommandId, commands } from './ids.ts';
import { inertText } from './inertText.ts';
import { networkFaultWords } from './networkFaultMessages.ts';

/** What is shown for an error: one or two sentences (cause, next step) and at most one button. */
export interface Explanation {
	message: string;
	action?: { label: string; command: CommandId };
}

/** The length to which a service's text is cut when one of our sentences repeats it. */
const MAXIMUM_QUOTE = 200;

/** Returns a service's message in quotation marks, after a space; empty if there is none. */
export function quote(text: string | undefined, maximum = MAXIMUM_QUOTE): string {
	const line = oneLine(text ?? '', maximum);
	return line === '' ? '' : ` ${vscode.l10n.t('It said: “{0}”', line)}`;
}

/** Returns the button for the action that helps. */
export function helpfulButton(action: HelpfulAction): NonNullable<Explanation['action']> {
	switch (action) {
		case 'manageKeys':
			return { label: vscode.l10n.t('Manage Keys'), command: commands.manageKeys };
		case 'showLog':
			return { label: vscode.l10n.t('Show Log'), command: commands.showLog };
		case 'switchConnection':
			return { label: vscode.l10n.t('Switch Connection'), command: commands.switchConnection };
	}
}

/** Names the cause and the next step. `connection` is the label of the connection that was used. */
export function explainError(error: unknown, connection: string): Explanation {
	const manageKeys = helpfulButton('manageKeys');
	const showLog = helpfulButton('showLog');
	const switchConnection = helpfulButton('switchConnection');
	// Another error may have wrapped it on its way up.
	const userFacing = [...causesOf(error)].find(cause => cause instanceof UserFacingError);
	if (userFacing) {
		const { message, action } = userFacing;
		return action ? { message, action: helpfulButton(action) } : { message };
	}
	if (!(error instanceof ClientError)) {
		return {
			message: vscode.l10n.t(
				'Errand ran into a fault of its own: {0}. The log has more.',
				oneLine(describeError(error), MAXIMUM_QUOTE),
			),
			action: showLog,
		};
	}
	const said = quote(error.serviceMessage);
	switch (error.code) {
		case 'no-key':
			return { message: vscode.l10n.t('{0} needs a key. Add one to go on.', connection), action: manageKeys };
		case 'unauthorised':
			return {
				message: vscode.l10n.t('{0} did not accept the key. Check or replace it.', connection) + said,
				action: manageKeys,
			};
		case 'plan-required':
			return {
				message:
					vscode.l10n.t(
						'The plan of this account on {0} does not include this. Change the plan in the service’s dashboard, or use the key of another account.',
						connection,
					) + said,
				action: manageKeys,
			};
		case 'forbidden':
			return {
				message:
					vscode.l10n.t('{0} refused: this account may not do that. Use the key of one that may.', connection) + said,
				action: manageKeys,
			};
		case 'not-found':
			if (error.isPage) {
				return { message: pageText(connection), action: showLog };
			}
			return {
				message:
					vscode.l10n.t(
						'{0} does not know what was asked for. Refresh, or check the address of the connection.',
						connection,
					) + said,
			};
		case 'source-link-missing':
			return {
				message:
					vscode.l10n.t('{0} has no link to your source hosting. Link it in the service’s dashboard.', connection) +
					said,
			};
		case 'invalid-request':
			return error.wasSent
				? { message: vscode.l10n.t('{0} did not accept the request.', connection) + said }
				: { message: vscode.l10n.t('The request was not sent: {0}', error.message) };
		case 'payment-required':
			return {
				message:
					vscode.l10n.t(
						'The credit or the quota of the account on {0} is used up. Add to it in the service’s dashboard, then try again.',
						connection,
					) + said,
			};
		case 'too-large':
			return { message: vscode.l10n.t('The request is too large for {0}. Send less.', connection) + said };
		case 'rate-limited':
			return {
				message:
					(error.retryAfterMs === undefined
						? vscode.l10n.t('{0} is receiving too many requests. Try again in a moment.', connection)
						: vscode.l10n.t(
								'{0} is receiving too many requests. Try again in {1} s.',
								connection,
								Math.ceil(error.retryAfterMs / 1000),
							)) + said,
			};
		case 'server':
		case 'upstream': {
			// A page comes from a gateway in front of the service, which is itself what failed.
			const isBehind = error.code === 'upstream' && !error.isPage;
			const words = isBehind
				? vscode.l10n.t(
						'{0} got no answer from a service behind it, such as a model provider or your source hosting. Try again in a moment.',
						connection,
					)
				: vscode.l10n.t('{0} failed while it answered. Try again.', connection);
			return { message: words + said, action: showLog };
		}
		case 'offline': {
			const fault = networkFaultOf(error);
			return {
				message: fault
					? networkFaultWords(fault, connection, error.wasSent)
					: vscode.l10n.t('{0} cannot be reached. Check the network or the address, then try again.', connection),
				action: showLog,
			};
		}
		case 'timeout':
			return { message: vscode.l10n.t('{0} did not answer in time. Try again.', connection), action: showLog };
		case 'aborted':
			return { message: vscode.l10n.t('Stopped.') };
		case 'truncated':
			return { message: vscode.l10n.t('The reply was cut off before its end. What came is kept. Try again.') };
		case 'bad-response':
			return { message: badResponseText(error, connection) + said, action: showLog };
		case 'not-supported':
			return {
				message: vscode.l10n.t('{0} has no address for this. Choose another connection.', connection),
				action: switchConnection,
			};
		default:
			return { message: vscode.l10n.t('{0} failed ({1}). Try again.', connection, error.code) + said, action: showLog };
	}
}

function badResponseText({ isPage, status, redirectedTo }: ClientError, connection: string): string {
	if (isPage) {
		return pageText(connection);
	}
	if (redirectedTo !== undefined) {
		return vscode.l10n.t(
			'{0} sends the request on to {1}, as for a login or because it has moved. A key is not sent there. Check the address of the connection, and whether the network asks for a login first.',
			connection,
			oneLine(redirectedTo, MAXIMUM_QUOTE),
		);
	}
	return status !== undefined && status >= 300 && status < 400
		? vscode.l10n.t(
				'{0} sends the request on to where it may not go (HTTP {1}). Check the address of the connection.',
				connection,
				status,
			)
		: vscode.l10n.t(
				'{0} answered with something that is not in its contract. Check its address, then try again.',
				connection,
			);
}

function pageText(connection: string): string {
	return vscode.l10n.t(
		'A web page answered in place of {0}, such as one for a login. Check the address of the connection, and whether the network asks for a login first.',
		connection,
	);
}

/** Shows a notification and resolves with the button that was chosen. The message may repeat foreign text. */
export function showMessage(
	severity: 'information' | 'warning' | 'error',
	message: string,
	...buttons: string[]
): Thenable<string | undefined> {
	const text = inertText(message);
	switch (severity) {
		case 'information':
			return vscode.window.showInformationMessage(text, ...buttons);
		case 'warning':
			return vscode.window.showWarningMessage(text, ...buttons);
		case 'error':
			return vscode.window.showErrorMessage(text, ...buttons);
	}
}

/** Asks in a modal dialog, with the same care. Resolves with the chosen button, or undefined for none. */
export function askModal(message: string, detail: string, ...buttons: string[]): Thenable<string | undefined> {
	return vscode.window.showWarningMessage(inertText(message), { modal: true, detail: inertText(detail) }, ...buttons);
}

/** Shows an explanation as a notification; its button runs the command. Resolves when it was dismissed or followed. */
export async function showExplanation(explanation: Explanation): Promise<void> {
	const { message, action } = explanation;
	const chosen = await showMessage('error', message, ...(action ? [action.label] : []));
	if (action && chosen === action.label) {
		await executeCommand(action.command);
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
