import * as vscode from 'vscode';
import type { LinkProblem } from '../model/launchLink.ts';

/** Explains why nothing of a link is used, and what to do instead. */
export function linkProblemText(problem: LinkProblem): string {
	switch (problem) {
		case 'path':
			return vscode.l10n.t(
				'The link is none that Errand knows. A link that starts a task ends with “/start-task?prompt=…”.',
			);
		case 'no-prompt':
			return vscode.l10n.t('The link starts a task but brings no prompt. Start the task with a prompt of your own.');
		case 'too-long':
			return vscode.l10n.t('The link is too long, so nothing of it is used. Write the prompt yourself.');
		case 'repeated':
			return vscode.l10n.t('The link names a thing twice, so it is not clear what it means. Nothing of it is used.');
		case 'control':
			return vscode.l10n.t('The link holds characters that cannot be seen, so nothing of it is used.');
		case 'branch':
			return vscode.l10n.t('The link names a branch that begins with a hyphen, so nothing of it is used.');
	}
}
