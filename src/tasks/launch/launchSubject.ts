import path from 'node:path';
import * as vscode from 'vscode';
import { UserFacingError } from '../../base/errors.ts';
import { gitReason } from '../../base/gitReason.ts';
import { shortName } from '../../base/plainText.ts';
import { hasCredentials } from '../../base/remoteUrl.ts';
import type { GitApi, GitRepository } from '../../platform/git.ts';
import { gitFailure } from '../../platform/gitRefusalMessages.ts';
import { findMissingFiles } from '../../platform/partialClone.ts';
import { readRemoteAddress, remoteDirectory } from '../../platform/remotes.ts';
import type { Branch } from '../model/branches.ts';
import type { LaunchFacts, ServiceCheck } from '../model/findings.ts';
import { launchTarget } from '../model/launchTarget.ts';
import type { TaskConnection } from '../model/taskConnection.ts';
import { type HostedBranch, pickBranch, readBranchesOf, repositoryName } from './openRepositories.ts';
import {
	type Changes,
	countCommits,
	listChanges,
	listSubmodules,
	readBranchCommit,
	readCloneKinds,
	readRepositoryKind,
} from './repositoryFacts.ts';

/** A repository of this window, with the API that reads and changes it. */
export interface OpenedRepository {
	git: GitApi;
	repository: GitRepository;
}

/** The subject of a task: a repository and one of its branches. */
export interface LaunchSubject {
	readonly name: string;
	/** Identifies the repository. The user's choices are remembered under this key. */
	readonly key: string;
	/** Undefined for a repository that is not open in this window, from which nothing can be pushed. */
	readonly opened: OpenedRepository | undefined;
	/** The name of the local branch. */
	readonly branch: string;
	/** Reads the current state. Throws a UserFacingError if the branch is gone. */
	gather(): Promise<GitFacts>;
	/**
	 * Lets the user choose the branch; dismissing keeps the current one. `look` is the service's report about the
	 * repository.
	 */
	chooseBranch(facts: GitFacts | undefined, look: Promise<ServiceCheck> | undefined): Promise<void>;
}

/** A repository that is open in this window. */
export class OpenSubject implements LaunchSubject {
	readonly opened: OpenedRepository;
	private readonly connection: TaskConnection;
	private chosen: Branch;
	private branches: readonly Branch[] = [];

	constructor(opened: OpenedRepository, connection: TaskConnection, branch: Branch) {
		this.opened = opened;
		this.connection = connection;
		this.chosen = branch;
	}

	get name(): string {
		return repositoryName(this.opened.repository);
	}

	get key(): string {
		return this.opened.repository.rootUri.fsPath;
	}

	get branch(): string {
		return this.chosen.name;
	}

	async gather(): Promise<GitFacts> {
		const { git, repository } = this.opened;
		const { facts, branch, branches } = await gatherFacts(git, repository, this.chosen, this.connection.isLocal);
		// The local git does not know a branch that only the service sees.
		if (!branch && this.chosen.commit !== '') {
			throw new UserFacingError(
				vscode.l10n.t(
					'Branch “{0}” no longer exists. Start the task again with a different branch. Your prompt is kept.',
					shortName(this.chosen.name),
				),
			);
		}
		this.chosen = branch ?? this.chosen;
		this.branches = branches;
		return facts;
	}

	async chooseBranch(facts: GitFacts | undefined, look: Promise<ServiceCheck> | undefined): Promise<void> {
		const hosted = this.hostedBranches(facts, look);
		this.chosen = (await pickBranch(this.opened.repository, this.branches, hosted)) ?? this.chosen;
	}

	/** Returns the branches that the service sees and the local git does not know. */
	private async hostedBranches(
		facts: GitFacts | undefined,
		answer: Promise<ServiceCheck> | undefined,
	): Promise<HostedBranch[]> {
		const target = facts?.target;
		const look = await answer;
		if (!target?.ok || target.kind !== 'remote' || target.remote === undefined || look?.kind !== 'known') {
			return [];
		}
		const { remote } = target;
		const fetched = new Set(this.branches.filter(branch => branch.remote === remote).map(({ name }) => name));
		return [...look.branches]
			.filter(name => !fetched.has(name))
			.map(name => ({ name, remote, seenBy: this.connection.label }));
	}
}

/** The facts that git knows; the service and the settings add the rest. */
export type GitFacts = Omit<LaunchFacts, 'service' | 'isEmptyGitUser' | 'unknownAgent' | 'needs'>;

/**
 * Reads the current state of the repository and changes nothing. Throws a UserFacingError when the branches cannot be
 * read.
 */
export async function gatherFacts(
	git: GitApi,
	repository: GitRepository,
	chosen: Pick<Branch, 'name' | 'remote'>,
	isLocal: boolean,
): Promise<{ facts: GitFacts; branch: Branch | undefined; branches: Branch[] }> {
	const gitPath = git.git.path;
	const directory = repository.rootUri.fsPath;
	await repository.status().catch(() => {});
	const branches = await readBranchesOf(git, repository);
	const branch = branches.find(({ name, remote }) => name === chosen.name && remote === chosen.remote);
	const remotes = await Promise.all(
		repository.state.remotes.map(async ({ name, fetchUrl, pushUrl }) => ({
			name,
			// The git extension reports the address as configured, which may use the user's abbreviation.
			url: (await readRemoteAddress(gitPath, directory, name)) ?? fetchUrl ?? pushUrl ?? '',
		})),
	);
	const origin = remotes.find(({ name }) => name === 'origin');
	const originDirectory = isLocal && origin ? await remoteDirectory(origin.url, directory) : undefined;
	const target = launchTarget({
		isLocal,
		repositoryPath: directory,
		branch: branch ?? { ...chosen, commit: '', committedAt: 0, upstream: undefined },
		branches,
		remotes,
		originDirectory:
			originDirectory === undefined
				? undefined
				: {
						path: originDirectory,
						// The ceiling keeps git from using a repository above the directory instead of the one in it.
						commit: await readBranchCommit(
							gitPath,
							originDirectory,
							{ name: chosen.name, remote: undefined },
							path.dirname(originDirectory),
						),
					},
	});
	const isCurrent = branch !== undefined && branch.remote === undefined && repository.state.HEAD?.name === branch.name;
	const cloned = target.ok && target.kind !== 'remote' ? target.repoUrl : undefined;
	const start = target.ok ? (target.there ?? target.here) : undefined;
	const [counts, changes, repositoryKind, cloneKinds, missingFiles, submodules] = await Promise.all([
		target.ok && target.here !== undefined && target.there !== undefined && target.here !== target.there
			? countCommits(gitPath, directory, target.here, target.there)
			: undefined,
		isCurrent ? readChanges(gitPath, repository) : { files: [], nested: [], hasConflicts: false },
		readRepositoryKind(gitPath, directory),
		cloned === directory ? readCloneKinds(gitPath, directory) : [],
		cloned !== undefined && start !== undefined
			? findMissingFiles({ gitPath, directory: cloned }, start).catch(() => undefined)
			: undefined,
		cloned !== undefined && start !== undefined ? listSubmodules(gitPath, cloned, start) : [],
	]);
	const remote = remotes.find(({ name }) => target.ok && name === target.remote);
	return {
		branches,
		branch,
		facts: {
			target,
			ahead: counts?.ahead,
			behind: counts?.behind,
			changed: changes.files,
			nested: changes.nested,
			hasConflicts: changes.hasConflicts,
			repositoryKind,
			cloneKinds,
			missingFiles,
			submodules,
			hasCredentials: remote !== undefined && hasCredentials(remote.url),
			isNameUnsafe: [chosen.name, target.ok ? target.branch : '', remote?.name ?? ''].some(name =>
				name.startsWith('-'),
			),
		},
	};
}

async function readChanges(gitPath: string, repository: GitRepository): Promise<Changes> {
	try {
		return await listChanges(gitPath, repository.rootUri.fsPath);
	} catch (error) {
		throw gitFailure(
			error,
			vscode.l10n.t(
				'Git couldn’t read the changes in “{0}”: {1} Fix that, then start the task. Your prompt is kept.',
				repositoryName(repository),
				gitReason(error),
			),
		);
	}
}
