import { existsSync } from 'node:fs';
import path from 'node:path';
import * as vscode from 'vscode';
import { isWithin } from '../../base/filePlace.ts';
import { gitReason } from '../../base/gitReason.ts';
import { shortName } from '../../base/plainText.ts';
import type { GitPlace } from '../../platform/git.ts';
import { readBranchCommit } from '../launch/repositoryFacts.ts';
import {
	type BranchSubject,
	checkOutFailure,
	offerFolder,
	openedRepository,
	readBranch,
	readTip,
	shownFolder,
} from './branchSubject.ts';
import { addWorktree, type CheckOut, checkOut } from './checkOut.ts';
import type { Dialogs } from './dialogs.ts';
import { isSameFolder, isUsableName, type LocalBranch } from './localBranch.ts';
import { changeFiles, tellDone } from './stashAside.ts';

/** Checks the branch of a task out in the folder that this window shows. Throws a UserFacingError. */
export async function checkOutBranch(subject: BranchSubject, dialogs: Dialogs): Promise<void> {
	const { result } = subject;
	const opened = await openedRepository(subject, dialogs);
	if (!opened) {
		return;
	}
	const tip = await readTip(subject, dialogs);
	const local = await readBranch(subject, result.branch, tip);
	if (local.worktree !== undefined) {
		await checkedOutAlready(subject, dialogs, local);
		return;
	}
	const chosen = await settleName(subject, dialogs, local, tip);
	if (!chosen) {
		return;
	}
	const changed = await checkOutOrAsk(subject, dialogs, chosen);
	if (changed) {
		await opened.status().catch(() => {});
		tellDone(dialogs, vscode.l10n.t('“{0}” is checked out.', shortName(chosen.local.name)), changed.stash);
	}
}

/** Opens the branch of a task in a worktree, in a window of its own. Throws a UserFacingError. */
export async function openWorktree(subject: BranchSubject, dialogs: Dialogs): Promise<void> {
	const { repository, result } = subject;
	const { place } = repository;
	const tip = await readTip(subject, dialogs);
	const local = await readBranch(subject, result.branch, tip);
	if (local.worktree !== undefined) {
		if (repository.opened && (await isSameFolder(local.worktree, place.directory))) {
			void dialogs.tell(
				'information',
				vscode.l10n.t(
					'“{0}” is already checked out in this window. To open it in its own folder, check out another branch first.',
					shortName(local.name),
				),
			);
			return;
		}
		await dialogs.openFolder(local.worktree);
		return;
	}
	const chosen = await settleName(subject, dialogs, local, tip);
	if (chosen) {
		const { name } = chosen.local;
		await openNewWorktree(place, { name, title: name }, dialogs, folder => addWorktree(place, chosen, folder));
	}
}

/**
 * Asks for a new folder, has a worktree made there by `add`, and opens it. `name` is what the folder is named for.
 * Throws a UserFacingError.
 */
export async function openNewWorktree(
	{ directory }: GitPlace,
	{ name, title }: { name: string; title: string },
	dialogs: Dialogs,
	add: (folder: string) => Promise<void>,
): Promise<void> {
	const folder = await askForFolder(directory, name, dialogs);
	if (folder === undefined) {
		return;
	}
	try {
		await dialogs.during(vscode.l10n.t('Creating a worktree for “{0}”…', shortName(title)), () => add(folder));
	} catch (error) {
		throw checkOutFailure(error, vscode.l10n.t('Git couldn’t create the worktree: {0}', gitReason(error)));
	}
	await dialogs.openFolder(folder);
}

/** Returns a new folder beside the repository for a branch. */
function proposeFolder(directory: string, branch: string): string {
	const safe = branch
		.replace(/[^\p{L}\p{N}._-]+/gu, '-')
		.replace(/^[.-]+|[.-]+$/g, '')
		.slice(0, 60);
	const beside = path.join(path.dirname(directory), `${path.basename(directory)}-${safe || 'task'}`);
	let folder = beside;
	for (let count = 2; existsSync(folder); count++) {
		folder = `${beside}-${count}`;
	}
	return folder;
}

/** Asks for a new folder beside the repository. */
async function askForFolder(directory: string, branch: string, dialogs: Dialogs): Promise<string | undefined> {
	const resolve = (text: string) => path.resolve(path.dirname(directory), text.trim());
	const typed = await dialogs.input(
		vscode.l10n.t('Open in Worktree'),
		vscode.l10n.t('A new folder for “{0}”', shortName(branch)),
		proposeFolder(directory, branch),
		text => {
			const folder = resolve(text);
			if (text.trim() === '') {
				return vscode.l10n.t('Enter the path of a folder.');
			}
			if (existsSync(folder)) {
				return vscode.l10n.t('This path already exists. Enter a different one.');
			}
			return folder === directory || isWithin(directory, folder)
				? vscode.l10n.t('This path is inside the repository. Enter one outside it.')
				: undefined;
		},
	);
	return typed === undefined ? undefined : resolve(typed);
}

/** The branch is checked out somewhere: tells the user where. */
async function checkedOutAlready(
	{ repository: { place } }: BranchSubject,
	dialogs: Dialogs,
	{ name, worktree = '' }: LocalBranch,
): Promise<void> {
	if (await isSameFolder(worktree, place.directory)) {
		void dialogs.tell('information', vscode.l10n.t('“{0}” is already checked out here.', shortName(name)));
		return;
	}
	const message = vscode.l10n.t('“{0}” is checked out in {1}.', shortName(name), shownFolder(worktree));
	await offerFolder(dialogs, message, worktree);
}

/**
 * Returns the branch to check out and its local name. A local branch of that name stays as it is if it has commits of
 * its own and lacks some of the task's. Resolves with undefined when dismissed.
 */
async function settleName(
	subject: BranchSubject,
	dialogs: Dialogs,
	local: LocalBranch,
	tip: string,
): Promise<CheckOut | undefined> {
	const { repository, result } = subject;
	const { remote, place } = repository;
	const follows = remote === undefined ? undefined : { remote, branch: result.branch };
	if (local.standing.kind !== 'diverged') {
		return { local, tip, follows };
	}
	const shown = shortName(local.name);
	const rename = vscode.l10n.t('Use Another Name');
	const { ahead, behind } = local.standing;
	const chosen = await dialogs.ask(
		vscode.l10n.t('A different branch “{0}” already exists here.', shown),
		vscode.l10n.t(
			'Commits only on your branch: {0}. Commits only on the task’s branch: {1}. You can check out the task’s branch under a different name; yours isn’t changed.',
			ahead,
			behind,
		),
		rename,
	);
	if (chosen !== rename) {
		return undefined;
	}
	let proposed = `${local.name}-task`;
	for (let count = 2; await exists(subject, proposed); count++) {
		proposed = `${local.name}-task-${count}`;
	}
	const typed = (
		await dialogs.input(
			vscode.l10n.t('Check Out Branch'),
			vscode.l10n.t('The name of the local branch that tracks “{0}”', shown),
			proposed,
			text => (text.trim() === '' ? vscode.l10n.t('Enter a name.') : undefined),
		)
	)?.trim();
	if (typed === undefined) {
		return undefined;
	}
	if (!(await isUsableName(place, typed)) || (await exists(subject, typed))) {
		void dialogs.tell(
			'warning',
			vscode.l10n.t('“{0}” isn’t a valid name for a new branch. Enter a different one.', shortName(typed)),
		);
		return undefined;
	}
	return { local: await readBranch(subject, typed, tip), tip, follows };
}

async function exists({ repository }: BranchSubject, name: string): Promise<boolean> {
	const { gitPath, directory } = repository.place;
	return (await readBranchCommit(gitPath, directory, { name, remote: undefined })) !== undefined;
}

/** Resolves with undefined if nothing was checked out here. */
function checkOutOrAsk(subject: BranchSubject, dialogs: Dialogs, chosen: CheckOut) {
	const branch = chosen.local.name;
	const shown = shortName(branch);
	return changeFiles(subject, dialogs, {
		branch,
		run: () => checkOut(subject.repository.place, chosen),
		explain: error =>
			checkOutFailure(
				error,
				vscode.l10n.t(
					'Git couldn’t check out “{0}”: {1} If it changed files before it failed, the Source Control view shows them.',
					shown,
					gitReason(error),
				),
			),
		question: files =>
			files === 1
				? vscode.l10n.t('Checking out “{0}” would overwrite 1 file.', shown)
				: vscode.l10n.t('Checking out “{1}” would overwrite {0} files.', files, shown),
		instead: { button: vscode.l10n.t('Open in Worktree'), run: () => openWorktree(subject, dialogs) },
	});
}
