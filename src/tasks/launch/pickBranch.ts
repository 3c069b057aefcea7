import * as vscode from 'vscode';
import { UserFacingError } from '../../base/errors.ts';
import { escapeIcons, oneLine } from '../../base/plainText.ts';
import type { GitApi, GitRepository } from '../../platform/git.ts';
import { gitFailure } from '../../platform/gitRefusalMessages.ts';
import { type Branch, orderBranches } from '../model/branches.ts';
import { pickFromMany } from './pickFromMany.ts';
import { repositoryName } from './pickRepository.ts';
import { listBranches } from './repositoryFacts.ts';

export const SHORT_COMMIT = 7;
const MAXIMUM_NAME = 120;

/** All branches that the repository knows. Throws a sentence when it has none, or cannot be read. */
export async function readBranchesOf(git: GitApi, repository: GitRepository): Promise<Branch[]> {
	const remotes = repository.state.remotes.map(({ name }) => name);
	let branches: Branch[];
	try {
		branches = await listBranches(git.git.path, repository.rootUri.fsPath, remotes);
	} catch (error) {
		throw gitFailure(
			error,
			vscode.l10n.t(
				'Git could not read the branches of “{0}”. See what “Git: Show Git Output” says, then try again.',
				repositoryName(repository),
			),
		);
	}
	if (branches.length === 0) {
		throw new UserFacingError(
			vscode.l10n.t(
				'“{0}” has no commit yet, so there is no branch to start from. Make a first commit, then start the task.',
				repositoryName(repository),
			),
		);
	}
	return branches;
}

/** A branch that a service sees at the remote, and git here does not know. */
export interface HostedBranch {
	name: string;
	remote: string;
	/** The service's label. */
	seenBy: string;
}

/** The branch the task starts from, the current one first. `hosted` may bring more. Undefined: dismissed. */
export async function pickBranch(
	repository: GitRepository,
	branches: readonly Branch[],
	hosted?: Promise<readonly HostedBranch[]>,
): Promise<Branch | undefined> {
	const { HEAD } = repository.state;
	const current = HEAD?.name;
	const items = orderBranches(branches, current).map(branch => {
		const isCurrent = branch.remote === undefined && branch.name === current;
		const name = oneLine(branch.name, MAXIMUM_NAME);
		const where = branch.remote === undefined ? '' : vscode.l10n.t('only on {0}', oneLine(branch.remote, MAXIMUM_NAME));
		const notes = [isCurrent ? vscode.l10n.t('current') : where, branch.commit.slice(0, SHORT_COMMIT)];
		return {
			label: `$(${branch.remote === undefined ? 'git-branch' : 'cloud'}) ${escapeIcons(name)}`,
			description: escapeIcons(notes.filter(Boolean).join(' · ')),
			branch,
		};
	});
	const isDetached = HEAD?.commit !== undefined && current === undefined;
	const picked = await pickFromMany(
		isDetached
			? vscode.l10n.t('Start Task: HEAD is detached at {0}, choose a branch', HEAD.commit?.slice(0, SHORT_COMMIT) ?? '')
			: vscode.l10n.t('Start Task: Branch'),
		vscode.l10n.t('The branch of “{0}” that the task starts from', repositoryName(repository)),
		items,
		hosted?.then(found => found.map(hostedItem)),
	);
	return picked?.branch;
}

/** Its commit is not known: the service starts from whatever is there. */
function hostedItem({ name, remote, seenBy }: HostedBranch) {
	return {
		label: `$(cloud) ${escapeIcons(oneLine(name, MAXIMUM_NAME))}`,
		description: escapeIcons(
			vscode.l10n.t('only on {0}, seen by {1}', oneLine(remote, MAXIMUM_NAME), oneLine(seenBy, MAXIMUM_NAME)),
		),
		branch: { name, remote, commit: '', committedAt: 0, upstream: undefined },
	};
}

/**
 * The branch that is wished for, or the current one; where HEAD is on none, the one that the user picks. Throws a sentence
 * where there is no branch of the wished name. Undefined: dismissed.
 */
export async function chooseFirstBranch(
	git: GitApi,
	repository: GitRepository,
	wished: string | undefined,
): Promise<Branch | undefined> {
	const branches = await readBranchesOf(git, repository);
	const name = wished ?? repository.state.HEAD?.name;
	const found =
		branches.find(branch => branch.remote === undefined && branch.name === name) ??
		(wished === undefined ? undefined : branches.find(branch => branch.name === name));
	if (wished !== undefined && !found) {
		throw new UserFacingError(
			vscode.l10n.t(
				'“{0}” has no branch “{1}”. Fetch it, or start the task with another branch.',
				repositoryName(repository),
				oneLine(wished, MAXIMUM_NAME),
			),
		);
	}
	return found ?? pickBranch(repository, branches);
}
