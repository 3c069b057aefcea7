import * as vscode from 'vscode';
import { describeError } from '../../base/errors.ts';
import { oneLine, shortName } from '../../base/plainText.ts';
import { type Applied, NotEdited, type Result } from './applyChanges.ts';
import type { Running } from './applyRecord.ts';
import { type Change, type ChangeOutcome, type ChangeRefusal, ConcurrentChangeError } from './change.ts';

const MAXIMUM_REASON = 120;

/** The maximum number of files that a message names. */
const MAXIMUM_NAMED = 3;

/** Returns why a change cannot be applied, as the end of a sentence or for a row. */
export function refusalWords(reason: ChangeRefusal): string {
	switch (reason) {
		case 'outside':
			return vscode.l10n.t('outside this workspace');
		case 'gits':
			return vscode.l10n.t('a file that belongs to Git');
		case 'link':
			return vscode.l10n.t('a link, or reached by one');
		case 'case':
			return vscode.l10n.t('differs from another name only by case');
		case 'windowsName':
			return vscode.l10n.t('a name that Windows doesn’t allow');
		case 'inTheWay':
			return vscode.l10n.t('something else is in its place');
		case 'readOnly':
			return vscode.l10n.t('read-only here');
		case 'unsaved':
			return vscode.l10n.t('has unsaved changes; save it first');
		case 'encoding':
			return vscode.l10n.t('open in the editor with content that differs from the disk');
		case 'tooLarge':
			return vscode.l10n.t('too large; check out the branch to get it');
		case 'deletedHere':
			return vscode.l10n.t('not among your files: deleted, or excluded by a sparse checkout');
		case 'editedHere':
			return vscode.l10n.t('deleted by the task, but edited by you');
		case 'bothAdded':
			return vscode.l10n.t('you have a different file with this name');
		case 'notText':
			return vscode.l10n.t('edited by you, and can’t be merged line by line');
		case 'submodule':
			return vscode.l10n.t('a submodule');
		case 'ignored':
			return vscode.l10n.t('ignored by git');
		case 'unreadableName':
			return vscode.l10n.t('its name isn’t UTF-8');
		case 'filtered':
			return vscode.l10n.t('stored by a filter such as Git LFS, which runs only when Git checks out a branch');
		case 'missing':
			return vscode.l10n.t('its content isn’t in the repository');
		case 'changedMeanwhile':
			return vscode.l10n.t('changed in the meantime, so it wasn’t touched');
	}
}

/** Returns the outcome of a change for a row; empty for a change that simply applies. */
export function outcomeWords(outcome: ChangeOutcome): string {
	switch (outcome.kind) {
		case 'applies':
			return '';
		case 'conflicts':
			return vscode.l10n.t('conflicts with your edits');
		case 'there':
			return vscode.l10n.t('already applied');
		case 'cannot':
			return refusalWords(outcome.reason);
	}
}

/** Returns whether a change has written something. */
export function isWritten({ kind }: Result): boolean {
	return kind === 'applies' || kind === 'conflicts';
}

/** Returns whether every file has the changes, without a conflict. */
export function isComplete({ results }: Applied<Change>): boolean {
	return results.every(({ result }) => result.kind === 'applies' || result.kind === 'there');
}

/** Returns the result of an application as one message. */
export function appliedWords({ results, isRecorded }: Applied<Change>): string {
	const written = results.filter(({ result }) => isWritten(result)).length;
	const conflicts = results.reduce((sum, { result }) => sum + (result.kind === 'conflicts' ? result.count : 0), 0);
	return [
		withConflicts(countWords(written, results.length), conflicts),
		...leftWords(results, result => result.kind === 'there', vscode.l10n.t('already applied')),
		...refusedWords(results),
		...(isRecorded ? [] : [vscode.l10n.t('This is too large to undo here.')]),
	].join(' ');
}

function countWords(written: number, all: number): string {
	if (written < all) {
		return vscode.l10n.t('Applied {0} of {1} files', written, all);
	}
	return all === 1 ? vscode.l10n.t('Applied 1 file') : vscode.l10n.t('Applied {0} files', all);
}

function withConflicts(applied: string, conflicts: number): string {
	if (conflicts === 0) {
		return vscode.l10n.t('{0}.', applied);
	}
	return conflicts === 1
		? vscode.l10n.t('{0}, 1 conflict.', applied)
		: vscode.l10n.t('{0}, {1} conflicts.', applied, conflicts);
}

/** Returns why there is nothing to apply. */
export function nothingWords(planned: readonly { change: Change; outcome: ChangeOutcome }[]): string {
	const results = planned.map(({ change, outcome }) => ({ change, result: outcome }));
	return [
		vscode.l10n.t('There’s nothing to apply.'),
		...leftWords(results, result => result.kind === 'there', vscode.l10n.t('already applied')),
		...refusedWords(results),
	].join(' ');
}

/** The reasons which only say that a file is no longer as an application had left it. */
const EDITED: ReadonlySet<ChangeRefusal> = new Set([
	'deletedHere',
	'editedHere',
	'bothAdded',
	'notText',
	'changedMeanwhile',
]);

/** Returns which files were taken back, and which stay because they have changed since. */
export function undoneWords({ results }: Applied<Change>): string {
	const undone = results.filter(({ result }) => result.kind === 'applies' || result.kind === 'there').length;
	const first =
		undone === 1
			? vscode.l10n.t('Undid the changes to 1 file.')
			: vscode.l10n.t('Undid the changes to {0} files.', undone);
	return [
		first,
		...leftWords(
			results,
			({ kind }) => kind === 'conflicts',
			vscode.l10n.t('undone except for lines that have changed since'),
		),
		...leftWords(
			results,
			result => result.kind === 'cannot' && EDITED.has(result.reason),
			vscode.l10n.t('changed since, so it’s left as it is'),
		),
		...refusedWords(results.filter(({ result }) => result.kind !== 'cannot' || !EDITED.has(result.reason))),
	].join(' ');
}

/**
 * Returns the result of an application, or of its undo, that was in progress when the window closed. `written` is the
 * number of changed files, if it is known.
 */
export function interruptedWords({ count, isUndo }: Running, written: number | undefined): string {
	if (isUndo) {
		return vscode.l10n.t('Undoing changes was interrupted when this window closed. Select Undo to continue.');
	}
	return written === undefined
		? vscode.l10n.t(
				'Applying changes to {0} files was interrupted when this window closed. Check the Source Control view for the files that have them, then apply them again for the rest.',
				count,
			)
		: vscode.l10n.t(
				'Applying changes was interrupted when this window closed: {0} of {1} files have them. Apply them again for the rest.',
				written,
				count,
			);
}

/** Returns the result of an application that ended after its window had closed, so that the user was not told. */
export function unattendedEndText({ isUndo }: Running): string {
	return isUndo
		? vscode.l10n.t('The changes were undone while this window was opening.')
		: vscode.l10n.t('The changes were applied while this window was opening. Review them in the Source Control view.');
}

type Results = Applied<Change>['results'];

function refusedWords(results: Results): string[] {
	const reasons = new Set(results.flatMap(({ result }) => (result.kind === 'cannot' ? [result.reason] : [])));
	const refused = [...reasons].flatMap(reason =>
		leftWords(results, result => result.kind === 'cannot' && result.reason === reason, refusalWords(reason)),
	);
	return [...refused, ...failedWords(results)];
}

function failedWords(results: Results): string[] {
	const causes = new Set(results.flatMap(({ result }) => (result.kind === 'failed' ? [causeWords(result.cause)] : [])));
	return [...causes].flatMap(words =>
		leftWords(results, result => result.kind === 'failed' && causeWords(result.cause) === words, words),
	);
}

function causeWords(cause: unknown): string {
	if (cause instanceof ConcurrentChangeError) {
		return refusalWords('changedMeanwhile');
	}
	if (cause instanceof NotEdited) {
		return vscode.l10n.t('the editor didn’t change it');
	}
	return oneLine(describeError(cause), MAXIMUM_REASON);
}

/** Names the files with such a result and says what is wrong with them. */
function leftWords(results: Results, isMeant: (result: Result) => boolean, words: string): string[] {
	const names = results.filter(({ result }) => isMeant(result)).map(({ change }) => shortName(pathOfChange(change)));
	if (names.length === 0) {
		return [];
	}
	const named = names.slice(0, MAXIMUM_NAMED).join(', ');
	const rest = names.length - MAXIMUM_NAMED;
	return [
		rest > 0 ? vscode.l10n.t('{0} and {1} more: {2}.', named, rest, words) : vscode.l10n.t('{0}: {1}.', named, words),
	];
}

const pathOfChange = ({ before, after }: Change) => (after ?? before)?.path ?? '';
