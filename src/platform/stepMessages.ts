// What is said about the states of an agent's files after its steps, of tasks and in the chat alike.
import * as vscode from 'vscode';
import { shortName } from '../base/plainText.ts';

interface Missing {
	reason: 'too-large' | 'ignored' | 'submodule' | 'special';
	names: readonly string[];
}

/** What restricts the use of a state: another moment than that of its step, and names that it lacks. */
export interface KeptLimits {
	approximate: boolean;
	notKept?: readonly Missing[] | undefined;
}

/** Returns in a word each what restricts the use of a step's state. */
export function stepMarks({ approximate, notKept }: KeptLimits): string[] {
	return [
		...(approximate ? [vscode.l10n.t('approximate')] : []),
		...(notKept?.length ? [vscode.l10n.t('incomplete')] : []),
	];
}

/** Returns the same in sentences. */
export function stepLimits({ approximate, notKept = [] }: KeptLimits): string[] {
	return [
		...(approximate
			? [vscode.l10n.t('Something else changed files during this step, so these may be the files of a moment later.')]
			: []),
		...notKept.map(({ reason, names }) => notKeptText(reason, names.map(shortName).join(', '))),
	];
}

function notKeptText(reason: Missing['reason'], names: string): string {
	return {
		'too-large': vscode.l10n.t('Not kept because it’s too large: {0}.', names),
		ignored: vscode.l10n.t('Not kept because Git ignores it: {0}.', names),
		submodule: vscode.l10n.t('Not kept because it belongs to another repository: {0}.', names),
		special: vscode.l10n.t('Not kept because it isn’t a regular file or can’t be read: {0}.', names),
	}[reason];
}

/** What can be done with a state. */
export const stepActionNames = {
	changes: vscode.l10n.t('Changes of This Step'),
	files: vscode.l10n.t('Files as of Here'),
	continue: vscode.l10n.t('Continue from Here…'),
	take: vscode.l10n.t('Take Until Here'),
};
