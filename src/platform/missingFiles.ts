import * as vscode from 'vscode';
import { gitReason } from '../base/gitReason.ts';
import { shortName } from '../base/plainText.ts';
import type { GitPlace } from './git.ts';
import { gitFailure } from './gitRefusalMessages.ts';
import { inertText } from './inertText.ts';
import { fetchMissingFiles } from './partialClone.ts';

/** Fetches the missing files of a commit from the remote of a partial clone. Throws a UserFacingError. */
export async function getMissingFiles(place: GitPlace, commit: string, remote: string): Promise<void> {
	const title = vscode.l10n.t('Getting missing files from {0}…', shortName(remote));
	const options = { location: vscode.ProgressLocation.Notification, title: inertText(title) };
	try {
		await vscode.window.withProgress(options, () => fetchMissingFiles(place, commit, remote));
	} catch (error) {
		throw gitFailure(
			error,
			vscode.l10n.t(
				'Git couldn’t get the missing files from {0}: {1} Check your access, then try again.',
				shortName(remote),
				gitReason(error),
			),
		);
	}
}
