import path from 'node:path';
import * as vscode from 'vscode';
import { UserFacingError } from '../../base/errors.ts';
import { shortName } from '../../base/plainText.ts';
import type { GitPlace } from '../../platform/git.ts';
import { runGit } from '../../platform/gitCommand.ts';
import { askModal } from '../../platform/notify.ts';
import { findMissingFiles, getMissingFiles } from '../../platform/partialClone.ts';

/**
 * Asks before it fetches the files that a partial clone lacks, because an agent works on a copy of all of them. Throws
 * a UserFacingError if they are still missing in the end, and rejects when git fails.
 */
export async function getWholeFiles(place: GitPlace): Promise<void> {
	const { gitPath, directory } = place;
	const head = await runGit(gitPath, directory, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']).catch(() => '');
	const commit = head.trim();
	const missing = commit === '' ? undefined : await findMissingFiles(place, commit);
	if (missing === undefined) {
		return;
	}
	const [name, remote] = [shortName(path.basename(directory)), shortName(missing.remote)];
	const get = vscode.l10n.t('Get Them');
	const chosen = await askModal(
		vscode.l10n.t('“{0}” is a partial clone, and an agent needs all files of its branch.', name),
		vscode.l10n.t('Missing objects: {0}. Git downloads them from {1}.', missing.objects, remote),
		get,
	);
	if (chosen !== get) {
		throw new UserFacingError(
			vscode.l10n.t(
				'An agent needs all files of the branch, but “{0}” is a partial clone with some of them only on {1}. Send the message again and get them.',
				name,
				remote,
			),
		);
	}
	await getMissingFiles(place, commit, missing.remote);
}
