import * as vscode from 'vscode';
import { UserFacingError } from '../../base/errors.ts';
import { gitReason } from '../../base/gitReason.ts';
import { shortName } from '../../base/plainText.ts';
import { gitFailure } from '../../platform/gitRefusalMessages.ts';
import { stashFiles } from './blockingFiles.ts';
import { type BranchSubject, listNames } from './branchSubject.ts';
import type { Dialogs } from './dialogs.ts';

/** Describes files that stand in the way, for a dialog. */
export function inTheWayText(files: readonly string[]): string {
	const state = vscode.l10n.t('What you have there is not committed. Nothing was changed so far.');
	return `${state}\n\n${listNames(files)}`;
}

/** Says where what stood in the way is now. */
export function stashNote(stash: string): string {
	return vscode.l10n.t('What stood in the way is in the stash “{0}”; “Git: Apply Stash…” brings it back.', stash);
}

/** Returns an error that says so too. */
export function withStashNote(error: UserFacingError, stash: string): UserFacingError {
	return new UserFacingError(`${error.message} ${stashNote(stash)}`, { cause: error.cause });
}

/** Stashes files and returns the name of the stash. Throws a UserFacingError. */
export async function stashAside(
	{ repository }: BranchSubject,
	files: readonly string[],
	branch: string,
): Promise<string> {
	const name = vscode.l10n.t('Before {0}', shortName(branch));
	try {
		await stashFiles(repository.place, files, name);
		return name;
	} catch (error) {
		throw gitFailure(error, vscode.l10n.t('Git could not stash the files: {0} Nothing was changed.', gitReason(error)));
	}
}

/** Says what was done and where the stash is. The button also keeps the notification from hiding all but its first line. */
export function tellOfStash(dialogs: Dialogs, done: string, stash: string): void {
	const view = vscode.l10n.t('View Stash…');
	// The notification is not awaited, because it may stay for a long time.
	void dialogs.tell('information', `${done} ${stashNote(stash)}`, view).then(chosen => {
		if (chosen === view) {
			void dialogs.runCommand('git.stashView');
		}
	});
}
