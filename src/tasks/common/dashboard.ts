import * as vscode from 'vscode';
import { ClientError } from '../../client/core/errors.ts';
import { explainError, showExplanation, showMessage } from '../../platform/notify.ts';

/** What a button or a link to the service's dashboard says. */
export function openDashboardText(): string {
	return vscode.l10n.t('Open Dashboard');
}

/** `address`: the connection's `dashboardUrl`. */
export function openDashboard(address: string): Thenable<boolean> {
	return vscode.env.openExternal(vscode.Uri.parse(address, true));
}

/** Whether an error is put right in the dashboard and nowhere else, as its sentence says. */
export function isForDashboard(error: unknown): boolean {
	return ClientError.is(error, 'source-link-missing') || ClientError.is(error, 'payment-required');
}

/** Shows why a task or a look-up failed. `label` and `dashboardUrl` are the connection's, as far as it has them. */
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
