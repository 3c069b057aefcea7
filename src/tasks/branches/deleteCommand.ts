import * as vscode from 'vscode';
import { UserFacingError } from '../../base/errors.ts';
import { gitReason } from '../../base/gitReason.ts';
import { shortName } from '../../base/plainText.ts';
import type { TaskResult } from '../../contract/taskResults.ts';
import { gitFailure } from '../../platform/gitRefusalMessages.ts';
import { readBranchCommit } from '../launch/repositoryFacts.ts';
import { makeScratchBranch, removeScratchBranch, type ScratchBranch } from '../launch/scratchBranches.ts';
import { type BranchSubject, readBranch, readTip, shownFolder } from './branchSubject.ts';
import type { Dialogs } from './dialogs.ts';
import { countLost, listPushRemotes, readRemoteBranch } from './remoteBranch.ts';

interface DeleteListener {
	/** Forgets the facts known about a deleted branch. */
	forgetBranch(result: TaskResult): Promise<void>;
	explain(error: unknown): void;
}

/**
 * Deletes the branch of a task, here and on remotes, after a confirmation for each. A branch that has moved since the
 * question stays. Throws a UserFacingError.
 */
export async function deleteTaskBranch(
	subject: BranchSubject,
	dialogs: Dialogs,
	{ forgetBranch, explain }: DeleteListener,
): Promise<void> {
	const tip = await readTip(subject, dialogs);
	const local = await readBranch(subject, subject.result.branch, tip);
	if (local.worktree !== undefined) {
		throw new UserFacingError(
			vscode.l10n.t(
				'“{0}” is checked out in {1}, so it isn’t deleted. Check out another branch there, then try again.',
				shortName(local.name),
				shownFolder(local.worktree),
			),
		);
	}
	const deleted: ScratchBranch[] = [];
	const branches = [
		...(local.commit === undefined ? [] : [{ name: local.name, commit: local.commit, remote: undefined }]),
		...(await branchesOnRemotes(subject, tip)),
	];
	try {
		for (const branch of branches) {
			if (!(await isAgreed(subject, dialogs, branch))) {
				break;
			}
			await deleteNow(subject, dialogs, branch);
			deleted.push(branch);
		}
	} finally {
		await subject.repository.opened?.status().catch(() => {});
		if (deleted.length > 0) {
			// The commits stay in the repository for a while, so that the branch can be restored.
			await forgetBranch(subject.result).catch(explain);
			// The notification is not awaited, because it may stay for a long time.
			offerUndo(subject, dialogs, deleted).catch(explain);
		}
	}
}

/** Lists the remotes on which the branch is at a commit that is known here. */
async function branchesOnRemotes({ repository, result }: BranchSubject, tip: string): Promise<ScratchBranch[]> {
	const { place, remote: own } = repository;
	const { gitPath, directory } = place;
	const found: ScratchBranch[] = [];
	for (const { name: remote } of await listPushRemotes(place)) {
		const known = await readBranchCommit(gitPath, directory, { name: result.branch, remote });
		if (remote !== own && known === undefined) {
			continue;
		}
		const there = await readRemoteBranch(place, remote, result.branch, tip).catch((error: unknown) => {
			throw gitFailure(error, vscode.l10n.t('Git couldn’t reach {0}: {1}', shortName(remote), gitReason(error)));
		});
		const isUnknown = there.standing.kind === 'diverged' && Number.isNaN(there.standing.ahead);
		if (there.commit !== undefined && !isUnknown) {
			found.push({ name: result.branch, commit: there.commit, remote });
		}
	}
	return found;
}

async function isAgreed(
	{ repository }: BranchSubject,
	dialogs: Dialogs,
	{ name, commit, remote }: ScratchBranch,
): Promise<boolean> {
	const reference = remote === undefined ? `refs/heads/${name}` : `refs/remotes/${remote}/${name}`;
	const lost = await countLost(repository.place, commit, [reference]);
	const shown = shortName(name);
	const button = vscode.l10n.t('Delete');
	const question =
		remote === undefined
			? vscode.l10n.t('Delete the branch “{0}” in this repository?', shown)
			: vscode.l10n.t('Delete the branch “{0}” on {1}?', shown, shortName(remote));
	let loss = vscode.l10n.t('All of its commits are on another branch or tag.');
	if (lost === 1) {
		loss = vscode.l10n.t('1 commit isn’t on any other branch and would be lost.');
	} else if (lost > 1) {
		loss = vscode.l10n.t('{0} commits aren’t on any other branch and would be lost.', lost);
	}
	return (await dialogs.ask(question, loss, button)) === button;
}

async function deleteNow({ repository }: BranchSubject, dialogs: Dialogs, branch: ScratchBranch): Promise<void> {
	const shown = shortName(branch.name);
	try {
		await dialogs.during(vscode.l10n.t('Deleting the branch “{0}”…', shown), () =>
			removeScratchBranch(repository.place, branch),
		);
	} catch (error) {
		throw gitFailure(
			error,
			vscode.l10n.t('Git couldn’t delete “{0}”, so it wasn’t changed: {1}', shown, gitReason(error)),
		);
	}
}

async function offerUndo(
	{ repository }: BranchSubject,
	dialogs: Dialogs,
	deleted: readonly ScratchBranch[],
): Promise<void> {
	const undo = vscode.l10n.t('Undo');
	const shown = shortName(deleted[0]?.name ?? '');
	const places = deleted.map(({ remote }) => (remote === undefined ? vscode.l10n.t('here') : shortName(remote)));
	const message = vscode.l10n.t('Deleted the branch “{0}” ({1}).', shown, places.join(', '));
	if ((await dialogs.tell('information', message, undo)) !== undo) {
		return;
	}
	for (const branch of deleted) {
		try {
			await makeScratchBranch(repository.place, branch);
		} catch (error) {
			throw gitFailure(
				error,
				vscode.l10n.t('Git couldn’t restore “{0}” at {1}: {2}', shown, branch.commit, gitReason(error)),
			);
		}
	}
	await repository.opened?.status().catch(() => {});
}
