import * as vscode from 'vscode';
import { UserFacingError } from '../../base/errors.ts';
import { gitReason } from '../../base/gitReason.ts';
import { shortName } from '../../base/plainText.ts';
import { withoutCredentials } from '../../base/remoteUrl.ts';
import { readRemoteAddress } from '../../platform/remotes.ts';
import { type BranchSubject, checkOutFailure, listNames, openedRepository, readTip } from './branchSubject.ts';
import { headBranch } from './checkOut.ts';
import type { Dialogs } from './dialogs.ts';
import { type MergePreview, mergeBranch, previewMerge } from './mergeBranch.ts';
import { changeFiles, tellDone, withStash } from './stashAside.ts';

/**
 * Merges the branch of a task into the current one, after the user has confirmed the expected result. Throws a
 * UserFacingError.
 */
export async function mergeTaskBranch(subject: BranchSubject, dialogs: Dialogs): Promise<void> {
	const { repository, result } = subject;
	const { place } = repository;
	const branch = shortName(result.branch);
	const opened = await openedRepository(subject, dialogs);
	if (!opened) {
		return;
	}
	const current = await headBranch(place);
	if (current === undefined) {
		throw new UserFacingError(
			vscode.l10n.t('No branch is checked out here. Check out the one to merge into, then try again.'),
		);
	}
	const into = shortName(current);
	if (current === result.branch && repository.remote === undefined) {
		void dialogs.tell('information', vscode.l10n.t('“{0}” is the current branch.', branch));
		return;
	}
	const tip = await readTip(subject, dialogs);
	const preview = await previewMerge(place, tip).catch((error: unknown) => {
		throw failure(error, branch, into);
	});
	if (!(await isAgreed(dialogs, preview, branch, into))) {
		return;
	}
	const merged = await mergeOrAsk(subject, dialogs, tip, into);
	if (!merged) {
		return;
	}
	await opened.status().catch(() => {});
	if (merged.outcome === 'merged') {
		tellDone(dialogs, vscode.l10n.t('Merged “{0}” into “{1}”.', branch, into), merged.stash);
		return;
	}
	const show = vscode.l10n.t('Show Conflicts');
	const message = vscode.l10n.t(
		'Merged “{0}” into “{1}” with conflicts. Resolve them in the Source Control view, then commit, or undo the merge with “Git: Abort Merge”.',
		branch,
		into,
	);
	// The notification is not awaited, because it may stay for a long time.
	void dialogs.tell('warning', withStash(message, merged.stash), show).then(chosen => {
		if (chosen === show) {
			void dialogs.runCommand('workbench.view.scm');
		}
	});
}

async function isAgreed(dialogs: Dialogs, preview: MergePreview, branch: string, into: string): Promise<boolean> {
	const question = vscode.l10n.t('Merge “{0}” into “{1}”?', branch, into);
	const merge = vscode.l10n.t('Merge');
	switch (preview.kind) {
		case 'nothing':
			void dialogs.tell('information', vscode.l10n.t('“{0}” is already up to date with “{1}”.', into, branch));
			return false;
		case 'unrelated':
			throw new UserFacingError(
				vscode.l10n.t('“{0}” and “{1}” have no commits in common, so they can’t be merged.', branch, into),
			);
		case 'unfinished':
			throw new UserFacingError(
				vscode.l10n.t(
					'A merge, cherry-pick or revert is in progress here. Commit or abort it in the Source Control view, then try again.',
				),
			);
		case 'too-old':
			throw new UserFacingError(
				vscode.l10n.t(
					'This version of Git can’t preview a merge. Install Git 2.38 or later, or merge the branch yourself.',
				),
			);
		case 'clean': {
			const count =
				preview.files === 1
					? vscode.l10n.t('It merges without conflicts: 1 file changes.')
					: vscode.l10n.t('It merges without conflicts: {0} files change.', preview.files);
			const kind = preview.isFastForward
				? vscode.l10n.t('“{0}” is fast-forwarded.', into)
				: vscode.l10n.t('This creates a merge commit.');
			return (await dialogs.ask(question, `${count} ${kind}`, merge)) === merge;
		}
		case 'conflicts': {
			const anyway = vscode.l10n.t('Merge with Conflicts');
			const count =
				preview.files.length === 1
					? vscode.l10n.t('This leaves conflicts in 1 file, which you resolve in the editor:')
					: vscode.l10n.t('This leaves conflicts in {0} files, which you resolve in the editor:', preview.files.length);
			return (await dialogs.ask(question, `${count}\n\n${listNames(preview.files)}`, anyway)) === anyway;
		}
	}
}

async function mergeOrAsk(subject: BranchSubject, dialogs: Dialogs, tip: string, into: string) {
	const { place, remote } = subject.repository;
	const { branch } = subject.result;
	const address = remote === undefined ? undefined : await readRemoteAddress(place.gitPath, place.directory, remote);
	const from = { branch, address: address === undefined ? undefined : withoutCredentials(address) };
	const shown = shortName(branch);
	return changeFiles(subject, dialogs, {
		branch,
		run: () => mergeBranch(place, tip, from),
		explain: error => failure(error, shown, into),
		question: files =>
			files === 1
				? vscode.l10n.t('Merging “{0}” would overwrite 1 file.', shown)
				: vscode.l10n.t('Merging “{1}” would overwrite {0} files.', files, shown),
	});
}

function failure(error: unknown, branch: string, into: string): UserFacingError {
	return checkOutFailure(
		error,
		vscode.l10n.t('Git couldn’t merge “{0}” into “{1}”: {2}', branch, into, gitReason(error)),
	);
}
