import * as vscode from 'vscode';
import { UserFacingError } from '../../base/errors.ts';
import type { GitApi, GitRepository } from '../../platform/git.ts';
import type { Branch } from '../model/branches.ts';
import type { ServiceCheck } from '../model/findings.ts';
import type { TaskConnection } from '../model/taskConnection.ts';
import { type GitFacts, gatherFacts } from './gatherFacts.ts';
import { type HostedBranch, pickBranch } from './pickBranch.ts';
import { repositoryName } from './pickRepository.ts';
import { shortName } from './preflightMessages.ts';

/** A repository of this window, with the API that reads and changes it. */
export interface OpenedRepository {
	git: GitApi;
	repository: GitRepository;
}

/** What a task works on: a repository and one of its branches. */
export interface LaunchSubject {
	readonly name: string;
	/** Identifies the repository. The user's choices are remembered under this key. */
	readonly key: string;
	/** Undefined for a repository that is not open in this window, from which nothing can be pushed. */
	readonly opened: OpenedRepository | undefined;
	/** The name of the local branch. */
	readonly branch: string;
	/** Reads the current state. Throws a UserFacingError where the branch is gone. */
	gather(): Promise<GitFacts>;
	/**
	 * Lets the user choose the branch; dismissing keeps the current one. `look` is what the service reports about the
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
		// Git on this machine does not know a branch that only the service sees.
		if (!branch && this.chosen.commit !== '') {
			throw new UserFacingError(
				vscode.l10n.t(
					'Branch “{0}” is gone. Start the task again and choose another; the prompt is kept.',
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

	/** The branches that the service sees and git on this machine does not know. */
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
