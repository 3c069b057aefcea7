import * as vscode from 'vscode';
import { UserFacingError } from '../../base/errors.ts';
import { gitReason } from '../../base/gitReason.ts';
import { shortName } from '../../base/plainText.ts';
import { gitFailure } from '../../platform/gitRefusalMessages.ts';
import { FilesInTheWay, stashFiles } from './blockingFiles.ts';
import { type BranchSubject, listNames } from './branchSubject.ts';
import type { Dialogs } from './dialogs.ts';

/** An action that changes files, and that the user's files can be in the way of. */
interface FileChange<T> {
	/** The branch from which the files are taken. */
	branch: string;
	/** Rejects with FilesInTheWay, after which nothing has changed. */
	run(): Promise<T>;
	/** Describes a failure for another reason. */
	explain(error: unknown): UserFacingError;
	/** Asks what to do about this many files. */
	question(files: number): string;
	/** Another button of the question, with the action that it runs in place of the change. */
	instead?: { button: string; run(): Promise<void> };
}

/**
 * Makes a change. If files are in the way, asks the user, stashes them on a yes and then makes the change. Resolves
 * with its outcome and the name of the stash, if one was made, or with undefined if nothing was changed. Throws a
 * UserFacingError.
 */
export async function changeFiles<T>(
	{ repository }: BranchSubject,
	dialogs: Dialogs,
	{ branch, run, explain, question, instead }: FileChange<T>,
): Promise<{ outcome: T; stash: string | undefined } | undefined> {
	let files: readonly string[];
	try {
		return { outcome: await run(), stash: undefined };
	} catch (error) {
		if (!(error instanceof FilesInTheWay)) {
			throw explain(error);
		}
		({ files } = error);
	}
	const button = vscode.l10n.t('Stash These Files');
	const state = vscode.l10n.t('Your changes there aren’t committed. Nothing has been changed yet.');
	const others = instead ? [instead.button] : [];
	const answer = await dialogs.ask(question(files.length), `${state}\n\n${listNames(files)}`, button, ...others);
	if (answer !== button) {
		await (answer === instead?.button && instead?.run());
		return undefined;
	}
	const stash = vscode.l10n.t('Before {0}', shortName(branch));
	try {
		await stashFiles(repository.place, files, stash);
	} catch (error) {
		throw gitFailure(error, vscode.l10n.t('Git couldn’t stash the files: {0} Nothing was changed.', gitReason(error)));
	}
	try {
		return { outcome: await run(), stash };
	} catch (error) {
		const { message, cause } = explain(error);
		throw new UserFacingError(withStash(message, stash), { cause });
	}
}

/** Returns a text that also says where the files are now that were in the way. */
export function withStash(text: string, stash: string | undefined): string {
	return stash === undefined
		? text
		: `${text} ${vscode.l10n.t('Your changes are in the stash “{0}”. Use “Git: Apply Stash…” to restore them.', stash)}`;
}

/**
 * Tells the user the result. The button also keeps the notification from hiding all but the first line about a stash.
 */
export function tellDone(dialogs: Dialogs, done: string, stash: string | undefined): void {
	const view = vscode.l10n.t('View Stash…');
	// The notification is not awaited, because it may stay for a long time.
	void dialogs
		.tell('information', withStash(done, stash), ...(stash === undefined ? [] : [view]))
		.then(chosen => chosen === view && dialogs.runCommand('git.stashView'));
}
