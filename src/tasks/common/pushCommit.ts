import * as vscode from 'vscode';
import { UserFacingError } from '../../base/errors.ts';
import { gitReason } from '../../base/gitReason.ts';
import { shortName } from '../../base/plainText.ts';
import type { GitRepository } from '../../platform/git.ts';

/**
 * Pushes a commit to the branch `to` of a remote, never by force. This is the editor's own push, so credentials, hooks and
 * output are the same as for any push by the user. `during` shows its title meanwhile. Throws a UserFacingError.
 */
export async function pushCommit(
	repository: GitRepository,
	{ remote, commit, to }: { remote: string; commit: string; to: string },
	during: (title: string, run: () => Promise<void>) => Promise<void>,
): Promise<void> {
	const names = [shortName(to), shortName(remote)];
	try {
		await during(vscode.l10n.t('Pushing “{0}” to {1}…', ...names), () =>
			repository.push(remote, `${commit}:refs/heads/${to}`, false),
		);
	} catch (error) {
		throw new UserFacingError(
			vscode.l10n.t('Git couldn’t push “{0}” to {1}: {2} {3}', ...names, gitReason(error), nextStep(error)),
			{ cause: error },
		);
	}
}

/** Returns the next step after a failed push, based on the error codes of the editor's git. */
function nextStep(error: unknown): string {
	switch ((error as { gitErrorCode?: unknown }).gitErrorCode) {
		case 'AuthenticationFailed':
		case 'PermissionDenied':
			return vscode.l10n.t('Check that your account has permission to push there, then try again.');
		case 'RemoteConnectionError':
			return vscode.l10n.t('Check the remote’s address and your access, then try again.');
		default:
			return vscode.l10n.t('See “Git: Show Git Output” for details.');
	}
}
