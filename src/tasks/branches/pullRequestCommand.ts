import * as vscode from 'vscode';
import { UserFacingError } from '../../base/errors.ts';
import { escapeIcons, shortName } from '../../base/plainText.ts';
import type { Task } from '../../contract/tasks.ts';
import { readBranchCommit } from '../launch/repositoryFacts.ts';
import { SCRATCH_PREFIX } from '../launch/scratchBranches.ts';
import { comparePage, type HostKind, hostKindOf, hostOf, likelyBases, type NamedRemote } from '../model/comparePage.ts';
import { readServiceAddress } from '../model/serviceAddress.ts';
import { type BranchSubject, readTip } from './branchSubject.ts';
import { headBranch } from './checkOut.ts';
import type { Dialogs } from './dialogs.ts';
import { pushTo } from './pushCommand.ts';
import { listPushRemotes, readRemoteBranch } from './remoteBranch.ts';

/** The extension for pull requests on GitHub. Its command always takes the branch that is checked out. */
const EXTENSION = 'GitHub.vscode-pull-request-github';
const CREATE = 'pr.create';

/** The state key of the user's answers about unknown hosts. */
const HOST_KINDS = 'errand.tasks.hostKinds';

/** The software that an unknown host may run. Product names are the same in every language. */
const NAMES: Readonly<Partial<Record<HostKind, string>>> = {
	github: 'GitHub Enterprise',
	gitlab: 'GitLab',
	gitea: 'Gitea, Forgejo',
	bitbucketServer: 'Bitbucket Data Center',
	azure: 'Azure DevOps Server',
};

/**
 * Opens the pull request that the service names for a task. Resolves with false if it names none, and throws a
 * UserFacingError if its address is not safe to open.
 */
export async function openNamedPullRequest({ prUrl, repoUrl }: Task, dialogs: Dialogs): Promise<boolean> {
	if (prUrl === undefined) {
		return false;
	}
	const url = readServiceAddress(prUrl, { allowsLoopback: false });
	if (!url) {
		throw new UserFacingError(
			vscode.l10n.t(
				'The service reports an address for the pull request that isn’t an https address, so it wasn’t opened: {0}',
				shortName(prUrl),
			),
		);
	}
	const open = vscode.l10n.t('Open');
	const isExpected = repoUrl !== undefined && hostOf(repoUrl) === url.host;
	const question = vscode.l10n.t('Open the pull request on {0}?', url.origin);
	const detail = vscode.l10n.t('The service reports this address, but the repository is on a different host.');
	if (isExpected || (await dialogs.ask(question, detail, open)) === open) {
		await dialogs.openAddress(url.href);
	}
	return true;
}

/**
 * Opens a way to create a pull request for a branch: GitHub's own extension if it can do so, or else the page of the
 * host. Throws a UserFacingError.
 */
export async function createPullRequest(
	subject: BranchSubject,
	dialogs: Dialogs,
	globalState: vscode.Memento,
	hasExtension: (id: string) => boolean,
): Promise<void> {
	const { repository, result, task } = subject;
	const { place } = repository;
	const remotes = (await listPushRemotes(place)).filter(({ address }) => hostOf(address) !== undefined);
	const head = await chooseHead(subject, dialogs, remotes);
	if (!head) {
		return;
	}
	const kind = await findHostKind(head.address, globalState, dialogs);
	if (kind === undefined || !(await isPushed(subject, dialogs, head))) {
		return;
	}
	if (kind === 'github' && hasExtension(EXTENSION) && (await headBranch(place)) === result.branch) {
		await dialogs.runCommand(CREATE, { repoPath: place.directory, compareBranch: result.branch });
		return;
	}
	const bases = likelyBases(head, remotes);
	const base =
		bases.length === 1
			? bases[0]
			: await dialogs.choose(vscode.l10n.t('Open Pull Request'), bases.map(choiceOf), {
					placeHolder: vscode.l10n.t('Select the repository to merge “{0}” into', shortName(result.branch)),
				});
	if (!base) {
		return;
	}
	const { selectedBranch } = task;
	// A scratch branch exists only for the task, so no pull request goes there.
	const baseBranch = selectedBranch?.startsWith(SCRATCH_PREFIX) ? undefined : selectedBranch;
	const page = comparePage(kind, { head: head.address, branch: result.branch, base: base.address, baseBranch });
	if (page === undefined) {
		throw new UserFacingError(
			vscode.l10n.t(
				'The address of {0} isn’t a repository of that kind: {1}. Create the pull request on its page yourself.',
				shortName(head.name),
				shortName(head.address),
			),
		);
	}
	await dialogs.openAddress(page);
}

/** Finds the remote that has the branch or is to get it. */
async function chooseHead(
	{ repository, result }: BranchSubject,
	dialogs: Dialogs,
	remotes: readonly NamedRemote[],
): Promise<NamedRemote | undefined> {
	const { gitPath, directory } = repository.place;
	if (remotes.length === 0) {
		throw new UserFacingError(
			vscode.l10n.t(
				'The repository has no hosted remote, so there’s no page for a pull request. Add one with “Git: Add Remote…”, then try again.',
			),
		);
	}
	const own = remotes.find(({ name }) => name === repository.remote);
	if (own) {
		return own;
	}
	const commits = await Promise.all(
		remotes.map(({ name }) => readBranchCommit(gitPath, directory, { name: result.branch, remote: name })),
	);
	const having = remotes.filter((_, position) => commits[position] !== undefined);
	const candidates = having.length > 0 ? having : remotes;
	return candidates.length === 1
		? candidates[0]
		: dialogs.choose(vscode.l10n.t('Open Pull Request'), candidates.map(choiceOf), {
				placeHolder: vscode.l10n.t('Select a remote for “{0}”', shortName(result.branch)),
			});
}

const choiceOf = (remote: NamedRemote) => ({
	label: escapeIcons(shortName(remote.name)),
	description: escapeIcons(shortName(hostOf(remote.address) ?? '')),
	value: remote,
});

/** Returns whether the remote has the branch as it is here; if not, offers to push it. */
async function isPushed(subject: BranchSubject, dialogs: Dialogs, remote: NamedRemote): Promise<boolean> {
	const { repository, result } = subject;
	if (repository.remote === remote.name) {
		return true;
	}
	const tip = await readTip(subject, dialogs);
	// If git cannot ask the remote, the page says whether the branch is there.
	const there = await readRemoteBranch(repository.place, remote.name, result.branch, tip).catch(() => undefined);
	if (there === undefined || (there.standing.kind !== 'missing' && there.standing.kind !== 'behind')) {
		return true;
	}
	return pushTo(subject, dialogs, remote);
}

/**
 * Returns the software of a remote's host: by its name, from an earlier answer of the user, or from a new one, which is
 * remembered. Resolves with undefined when dismissed or if the address names no host.
 */
async function findHostKind(
	address: string,
	globalState: vscode.Memento,
	dialogs: Dialogs,
): Promise<HostKind | undefined> {
	const host = hostOf(address);
	const known = hostKindOf(address);
	if (host === undefined || known !== undefined) {
		return known;
	}
	const kinds = globalState.get<Record<string, unknown>>(HOST_KINDS, {});
	const remembered = Object.hasOwn(kinds, host) ? kinds[host] : undefined;
	if (isHostKind(remembered)) {
		return remembered;
	}
	const chosen = await dialogs.choose(
		vscode.l10n.t('Open Pull Request'),
		Object.entries(NAMES).map(([kind, label]) => ({ label, value: kind as HostKind })),
		{ placeHolder: vscode.l10n.t('Select what {0} runs. Your selection is remembered.', host) },
	);
	if (chosen !== undefined) {
		await globalState.update(HOST_KINDS, { ...kinds, [host]: chosen });
	}
	return chosen;
}

function isHostKind(value: unknown): value is HostKind {
	return typeof value === 'string' && Object.hasOwn(NAMES, value);
}
