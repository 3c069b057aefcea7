import * as vscode from 'vscode';
import { gitReason } from '../../base/gitReason.ts';
import { escapeIcons, shortName } from '../../base/plainText.ts';
import { getGitApi, placeOf } from '../../platform/git.ts';
import { stepActionNames } from '../../platform/stepMessages.ts';
import type { ComparedRange, FilesOfStep } from '../api.ts';
import { compareRanges } from '../apply/commitRanges.ts';
import { checkOutFailure } from './branchSubject.ts';
import { addDetachedWorktree } from './checkOut.ts';
import { askForFolder } from './checkOutCommand.ts';
import type { Dialogs } from './dialogs.ts';

/**
 * Shows the files as of a step of an agent as the user chooses: compared with the start, or those of one repository in a
 * new worktree. Rejects with a UserFacingError.
 */
export async function showFilesOfStep(
	{ title, start, name, repositories, read }: FilesOfStep,
	dialogs: Dialogs,
): Promise<void> {
	const how = await dialogs.choose(
		stepActionNames.files,
		[
			{ label: vscode.l10n.t('Compare with Start'), description: start, value: 'compare' as const },
			...(repositories > 1
				? []
				: [
						{
							label: vscode.l10n.t('Open in Worktree…'),
							description: vscode.l10n.t('all files, in a new folder'),
							value: 'worktree' as const,
						},
					]),
		],
		{ placeHolder: escapeIcons(title) },
	);
	const parts = how && (await read(how));
	if (how === 'compare' && parts) {
		await compareRanges(vscode.l10n.t('Until Step {0}', title), parts);
	} else if (parts?.[0]) {
		await openInWorktree(parts[0], title, name, dialogs);
	}
}

async function openInWorktree(
	{ range: { repository, to } }: ComparedRange,
	title: string,
	name: string,
	dialogs: Dialogs,
): Promise<void> {
	const folder = await askForFolder(repository, name, dialogs);
	if (folder === undefined) {
		return;
	}
	const place = placeOf(await getGitApi(), repository);
	try {
		await dialogs.during(vscode.l10n.t('Creating a worktree for “{0}”…', shortName(title)), () =>
			addDetachedWorktree(place, to, folder),
		);
	} catch (error) {
		throw checkOutFailure(error, vscode.l10n.t('Git couldn’t create the worktree: {0}', gitReason(error)));
	}
	await dialogs.openFolder(folder);
}
