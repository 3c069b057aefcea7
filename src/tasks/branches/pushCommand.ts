import * as vscode from 'vscode';
import { UserFacingError } from '../../base/errors.ts';
import { escapeIcons, shortName } from '../../base/plainText.ts';
import { runGit } from '../../platform/gitCommand.ts';
import { commands } from '../../platform/ids.ts';
import { pushCommit } from '../common/pushCommit.ts';
import type { NamedRemote } from '../model/comparePage.ts';
import { type BranchSubject, openedRepository, readTip } from './branchSubject.ts';
import type { Dialogs } from './dialogs.ts';
import { followRemote, readLocalBranch } from './localBranch.ts';
import { countNew, listPushRemotes, readRemoteBranch } from './remoteBranch.ts';

/** Pushes the branch of a task to a remote after a confirmation. Throws a UserFacingError. */
export async function pushTaskBranch(subject: BranchSubject, dialogs: Dialogs): Promise<void> {
	const remote = await chooseRemote(subject, dialogs);
	if (remote && (await pushTo(subject, dialogs, remote))) {
		const open = vscode.l10n.t('Open Pull Request');
		const message = vscode.l10n.t('“{0}” is on {1}.', shortName(subject.result.branch), shortName(remote.name));
		if ((await dialogs.tell('information', message, open)) === open) {
			await dialogs.runCommand(commands.openTaskPullRequest, {
				taskId: subject.task.id,
				resultKey: subject.result.key,
			});
		}
	}
}

/**
 * Lets the user choose a remote if there are several. Resolves with undefined when dismissed, and throws a
 * UserFacingError if there is none.
 */
async function chooseRemote({ repository, result }: BranchSubject, dialogs: Dialogs): Promise<NamedRemote | undefined> {
	const remotes = await listPushRemotes(repository.place);
	const [first] = remotes;
	if (!first) {
		throw new UserFacingError(
			vscode.l10n.t('The repository has no remote. Add one with “Git: Add Remote…”, then try again.'),
		);
	}
	return remotes.length === 1
		? first
		: dialogs.choose(
				vscode.l10n.t('Push Branch'),
				remotes.map(remote => ({
					label: escapeIcons(shortName(remote.name)),
					description: escapeIcons(shortName(remote.address)),
					value: remote,
				})),
				{
					placeHolder: vscode.l10n.t('Select a remote for “{0}”', shortName(result.branch)),
					active:
						repository.remote === undefined
							? undefined
							: (remotes.find(({ name }) => name === repository.remote) ?? first),
				},
			);
}

/**
 * Pushes the branch to a remote after a confirmation, with the editor's own git and never by force. Resolves with true
 * if something was pushed, and throws a UserFacingError.
 */
export async function pushTo(subject: BranchSubject, dialogs: Dialogs, remote: NamedRemote): Promise<boolean> {
	const { repository, result } = subject;
	const { place } = repository;
	const branch = shortName(result.branch);
	const opened = await openedRepository(subject, dialogs);
	if (!opened) {
		return false;
	}
	const tip = await readTip(subject, dialogs);
	const local = await readLocalBranch(place, result.branch, tip);
	// Commits that the user has added to the branch are pushed too.
	const commit = local.standing.kind === 'ahead' && local.commit !== undefined ? local.commit : tip;
	const there = await look(subject, dialogs, remote, commit);
	if (there?.standing.kind === 'same' || there?.standing.kind === 'ahead') {
		void dialogs.tell(
			'information',
			vscode.l10n.t('{0} is already up to date with “{1}”.', shortName(remote.name), branch),
		);
		return false;
	}
	if (there?.standing.kind === 'diverged') {
		throw new UserFacingError(
			vscode.l10n.t(
				'“{0}” has commits on {1} that aren’t here, so it wasn’t pushed. Fetch and merge them, then try again.',
				branch,
				shortName(remote.name),
			),
		);
	}
	const commits =
		there?.standing.kind === 'behind' ? there.standing.commits : await countNew(place, remote.name, commit);
	const push = vscode.l10n.t('Push');
	const agreed = await dialogs.ask(
		vscode.l10n.t('Push “{0}” to {1}?', branch, shortName(remote.name)),
		[
			vscode.l10n.t('Address: {0}', shortName(remote.address)),
			vscode.l10n.t('Commits: {0}', commits),
			...(there && there.commit === undefined ? [vscode.l10n.t('This creates the branch there.')] : []),
		].join('\n'),
		push,
	);
	if (agreed !== push) {
		return false;
	}
	await pushCommit(opened, { remote: remote.name, commit, to: result.branch }, dialogs.during);
	if (local.commit !== undefined && !(await followsAny(subject, local.name))) {
		await followRemote(place, local.name, remote.name, result.branch, commit);
	}
	await opened.status().catch(() => {});
	return true;
}

/** Returns the remote's state of the branch, or undefined if Errand cannot find out, so that the push itself must. */
async function look(subject: BranchSubject, dialogs: Dialogs, remote: NamedRemote, commit: string) {
	const { place } = subject.repository;
	const title = vscode.l10n.t('Checking the branch on {0}…', shortName(remote.name));
	return dialogs
		.during(title, () => readRemoteBranch(place, remote.name, subject.result.branch, commit))
		.catch(() => undefined);
}

async function followsAny({ repository }: BranchSubject, local: string): Promise<boolean> {
	const { gitPath, directory } = repository.place;
	const ask = ['config', '--get', `branch.${local}.remote`];
	return (await runGit(gitPath, directory, ask).catch(() => '')) !== '';
}
