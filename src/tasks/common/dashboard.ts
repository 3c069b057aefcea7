import * as vscode from 'vscode';
import { ClientError } from '../../base/errors.ts';
import { errorText, explainError, quote, showExplanation, showMessage } from '../../platform/notify.ts';

/** The label of buttons and links that open the service's dashboard. */
export function openDashboardText(): string {
	return vscode.l10n.t('Open Dashboard');
}

/** `address` is the connection's `dashboardUrl`. */
export function openDashboard(address: string): Thenable<boolean> {
	return vscode.env.openExternal(vscode.Uri.parse(address, true));
}

/** Returns whether an error can only be fixed in the dashboard, as its message says. */
export function isForDashboard(error: unknown): boolean {
	return ClientError.is(error, 'source-link-missing') || ClientError.is(error, 'payment-required');
}

/** Shows why a task or a look-up failed. `label` and `dashboardUrl` are those of the connection. */
export async function showTaskProblem(error: unknown, label: string, dashboardUrl: string | undefined): Promise<void> {
	const explanation = explainError(error, label);
	if (dashboardUrl === undefined || !isForDashboard(error)) {
		await showExplanation(explanation);
		return;
	}
	const open = openDashboardText();
	if ((await showMessage('error', explanation.message, open)) === open) {
		await openDashboard(dashboardUrl);
	}
}

/** Explains why the list of tasks could not be read. For the list, 403 has a meaning of its own (cloud-tasks.md, Errors). */
export function explainList(error: unknown, label: string): string {
	return ClientError.is(error, 'forbidden')
		? vscode.l10n.t(
				'You aren’t a member of the selected team. Select a different team in the service’s dashboard, or use the key of a different account.',
			) + quote(error.serviceMessage)
		: errorText(error, label);
}
