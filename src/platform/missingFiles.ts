import * as vscode from 'vscode';
import { gitReason } from '../base/gitReason.ts';
import { shortName } from '../base/plainText.ts';
import type { GitPlace } from './git.ts';
import { gitFailure } from './gitRefusalMessages.ts';
import { fetchMissingFiles } from './partialClone.ts';
import { withProgress } from './progressNotice.ts';

/** Fetches the missing files of a commit from the remote of a partial clone. Throws a UserFacingError. */
export async function getMissingFiles(place: GitPlace, commit: string, remote: string): Promise<void> {
	const title = vscode.l10n.t('Getting missing files from {0}…', shortName(remote));
	try {
		await withProgress(title, () => fetchMissingFiles(place, commit, remote), { isNotice: true });
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
