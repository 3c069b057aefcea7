import * as vscode from 'vscode';

const MAXIMUM_MINUTES = 7 * 24 * 60;

/** Asks for the duration in seconds; 0 leaves it to the service. Dismissing keeps the current value. */
export async function askDuration(seconds: number): Promise<number> {
	const answer = await vscode.window.showInputBox({
		title: vscode.l10n.t('Start Task: Time'),
		prompt: vscode.l10n.t('Minutes that the task may take. Empty: as the service decides.'),
		value: seconds > 0 ? String(Math.ceil(seconds / 60)) : '',
		ignoreFocusOut: true,
		validateInput: text =>
			text.trim() === '' || (/^\d+$/.test(text.trim()) && Number(text) >= 1 && Number(text) <= MAXIMUM_MINUTES)
				? undefined
				: vscode.l10n.t('Enter whole minutes, from 1 to {0}.', MAXIMUM_MINUTES),
	});
	return answer === undefined ? seconds : Number(answer.trim()) * 60;
}
