import { append } from '../../base/append.ts';
import type { LaunchPlace, LaunchTarget } from './launchTarget.ts';
import { blocksTask, isAnswerable, type NeedsFinding } from './taskNeeds.ts';

/** The result of asking a service whether it knows the repository. */
export type ServiceCheck =
	| { kind: 'asking' }
	/** The connection has no look-ups, or they cannot name an address of this form. */
	| { kind: 'not-asked' }
	/**
	 * `branches` are those that the service sees, or none if they could not be read. `isWhole`: there are no others.
	 */
	| { kind: 'known'; branches: ReadonlySet<string>; isWhole: boolean }
	| { kind: 'unlisted' }
	| { kind: 'no-link' }
	| { kind: 'failed'; reason: string };

/** A repository that lacks earlier content, or earlier commits, or shows only a part of its files. */
export type CloneKind = 'partial-clone' | 'shallow-clone' | 'sparse-checkout';

export interface Submodule {
	name: string;
	/** True if its files are there, so that an agent can read them. */
	isCheckedOut: boolean;
}

export interface LaunchFacts {
	target: LaunchTarget;
	/**
	 * The number of commits that only the local branch has, and that only the remote one has; undefined if git cannot
	 * tell.
	 */
	ahead: number | undefined;
	behind: number | undefined;
	/** The paths with uncommitted changes on the chosen branch, sorted. */
	changed: readonly string[];
	/** The nested repositories with changes of their own, sorted. */
	nested: readonly string[];
	/** True if a merge with conflicts is in progress. */
	hasConflicts: boolean;
	repositoryKind: 'plain' | 'worktree' | 'submodule';
	/** The ways in which the working repository is not a complete clone, if the local service clones it. */
	cloneKinds: readonly CloneKind[];
	/** The objects of the branch that are missing in the repository that the local service clones. */
	missingFiles: { remote: string; objects: number } | undefined;
	/** The submodules of the branch that the local service clones, sorted. */
	submodules: readonly Submodule[];
	/** True if the remote's address contains a user name or a password, which is not sent. */
	hasCredentials: boolean;
	/** True if a name begins with a hyphen, so that programs take it for an option. */
	isNameUnsafe: boolean;
	service: ServiceCheck;
	/** True if the service reported that the latest task ran without a source-hosting account. */
	isEmptyGitUser: boolean;
	/** The agent of the settings, if the connection does not offer it. */
	unknownAgent: string | undefined;
	/** The needs of the task, with the user's answers. Only the local service is asked for them. */
	needs: readonly NeedsFinding[];
}

export type CommitChoice = 'push' | 'scratch' | 'leave';
export type ChangeChoice = 'leave' | 'scratch';

/** The user's choices; undefined for the default. */
export interface LaunchDecisions {
	commits?: CommitChoice | undefined;
	changes?: ChangeChoice | undefined;
}

export type Blocker =
	| { kind: 'no-remote' }
	| { kind: 'unusable-remote'; remote: string }
	| { kind: 'only-on-remote'; remote: string }
	| { kind: 'unsafe-name' }
	| { kind: 'missing-files'; remote: string; objects: number };

/** Something that the user should know, decide or fix before a task starts. */
export type PreflightFinding =
	| Blocker
	| NeedsFinding
	| { kind: 'not-on-remote'; remote: string; choices: readonly CommitChoice[]; chosen: CommitChoice }
	| {
			kind: 'unpushed';
			remote: string;
			/** Undefined if git cannot tell. */
			ahead: number | undefined;
			behind: number | undefined;
			choices: readonly CommitChoice[];
			chosen: CommitChoice;
	  }
	| { kind: 'behind'; remote: string; behind: number }
	| { kind: 'changes'; files: readonly string[]; choices: readonly ChangeChoice[]; chosen: ChangeChoice }
	| { kind: 'conflicts'; files: readonly string[] }
	| { kind: 'nested'; folders: readonly string[] }
	| { kind: 'service'; look: ServiceCheck }
	| { kind: 'empty-git-user' }
	| { kind: 'worktree' }
	| { kind: 'submodule' }
	| { kind: CloneKind }
	| { kind: 'submodules'; submodules: readonly Submodule[] }
	| { kind: 'credentials' }
	| { kind: 'unknown-agent'; agent: string };

/** The actions between the user's confirmation and the request. */
export interface LaunchPlan {
	repoUrl: string;
	/** The branch from which the service starts; undefined for a scratch branch, which is named when it is made. */
	branch: string | undefined;
	/** The commit from which the service starts; undefined if it does not exist yet. */
	commit: string | undefined;
	push: { remote: string; commit: string; to: string; isNew: boolean } | undefined;
	/** `remote` is undefined if the branch is made in the working repository itself. */
	scratch: { parent: string; withChanges: boolean; remote: string | undefined } | undefined;
}

/** Returns whether the finding must be resolved before the task can start. */
export function isBlocker(finding: PreflightFinding): boolean {
	switch (finding.kind) {
		case 'no-remote':
		case 'unusable-remote':
		case 'only-on-remote':
		case 'unsafe-name':
		case 'missing-files':
			return true;
		case 'unusable-agents':
		case 'sandbox-required':
		case 'unsandboxed':
		case 'installation':
			return blocksTask(finding);
		default:
			return false;
	}
}

/**
 * Returns everything that the user should know before the task is sent: first the findings that prevent it, then those
 * that need a choice, then information.
 */
export function findFindings(facts: LaunchFacts, decisions: LaunchDecisions): PreflightFinding[] {
	const { target, changed, repositoryKind } = facts;
	const found: PreflightFinding[] = [];
	if (facts.isNameUnsafe) {
		found.push({ kind: 'unsafe-name' });
	}
	if (!target.ok) {
		found.push(
			target.problem === 'no-remote' ? { kind: 'no-remote' } : { kind: target.problem, remote: target.remote },
		);
	}
	if (facts.missingFiles) {
		found.push({ kind: 'missing-files', ...facts.missingFiles });
	}
	append(found, facts.needs.filter(isAnswerable));
	if (target.ok) {
		const changes = changesFinding(facts, decisions);
		const commits = commitsFinding(facts, target, decisions, isScratch(changes));
		append(
			found,
			[commits, changes].filter(finding => finding !== undefined),
		);
	}
	if (changed.length > 0 && facts.hasConflicts) {
		found.push({ kind: 'conflicts', files: changed });
	}
	if (facts.nested.length > 0) {
		found.push({ kind: 'nested', folders: facts.nested });
	}
	if (facts.unknownAgent !== undefined) {
		found.push({ kind: 'unknown-agent', agent: facts.unknownAgent });
	}
	if (repositoryKind !== 'plain') {
		found.push({ kind: repositoryKind });
	}
	append(
		found,
		facts.cloneKinds.map(kind => ({ kind })),
	);
	if (facts.submodules.length > 0) {
		found.push({ kind: 'submodules', submodules: facts.submodules });
	}
	if (facts.hasCredentials) {
		found.push({ kind: 'credentials' });
	}
	if (facts.isEmptyGitUser) {
		found.push({ kind: 'empty-git-user' });
	}
	append(
		found,
		facts.needs.filter(finding => !isAnswerable(finding)),
	);
	if (target.ok && facts.service.kind !== 'not-asked') {
		found.push({ kind: 'service', look: facts.service });
	}
	return found;
}

/** Returns undefined if something prevents the task. */
export function planLaunch(facts: LaunchFacts, decisions: LaunchDecisions): LaunchPlan | undefined {
	const { target } = facts;
	if (!target.ok || facts.isNameUnsafe || facts.missingFiles || facts.needs.some(blocksTask)) {
		return undefined;
	}
	const { repoUrl, branch, remote, there, here } = target;
	const changes = changesFinding(facts, decisions);
	const withChanges = isScratch(changes);
	const commits = commitsFinding(facts, target, decisions, withChanges);
	const choice = commits && 'chosen' in commits ? commits.chosen : 'leave';
	if (here !== undefined && (withChanges || choice === 'scratch')) {
		return {
			repoUrl,
			branch: undefined,
			commit: withChanges ? undefined : here,
			push: undefined,
			scratch: { parent: here, withChanges, remote },
		};
	}
	const isPush = choice === 'push' && here !== undefined && remote !== undefined;
	return {
		repoUrl,
		branch,
		commit: isPush ? here : there,
		push: isPush ? { remote, commit: here, to: branch, isNew: there === undefined } : undefined,
		scratch: undefined,
	};
}

function isScratch(finding: PreflightFinding | undefined): boolean {
	return finding?.kind === 'changes' && finding.chosen === 'scratch';
}

function changesFinding(
	{ target, changed, hasConflicts }: LaunchFacts,
	{ changes }: LaunchDecisions,
): (PreflightFinding & { kind: 'changes' }) | undefined {
	// An unfinished merge is not a state to hand to an agent.
	if (changed.length === 0 || hasConflicts || !target.ok || target.here === undefined) {
		return undefined;
	}
	return { kind: 'changes', files: changed, choices: ['leave', 'scratch'], chosen: changes ?? 'leave' };
}

function commitsFinding(
	{ ahead, behind, service }: LaunchFacts,
	{ remote, here, there, branch }: LaunchPlace,
	{ commits }: LaunchDecisions,
	goesAlong: boolean,
): PreflightFinding | undefined {
	if (remote === undefined || here === undefined) {
		return undefined;
	}
	const choose = (choices: readonly CommitChoice[]) => ({
		choices: goesAlong ? (['scratch'] as const) : choices,
		chosen: goesAlong ? ('scratch' as const) : commits && choices.includes(commits) ? commits : (choices[0] ?? 'leave'),
	});
	const isUnseen = service.kind === 'known' && service.isWhole && !service.branches.has(branch);
	if (there === undefined || isUnseen) {
		return { kind: 'not-on-remote', remote, ...choose(['push', 'scratch']) };
	}
	if (there === here) {
		return undefined;
	}
	if (ahead === 0 && behind !== undefined && behind > 0) {
		return { kind: 'behind', remote, behind };
	}
	// A push that would discard commits on the remote is never offered.
	const isPlainPush = ahead !== undefined && ahead > 0 && behind === 0;
	const choices: readonly CommitChoice[] = isPlainPush ? ['push', 'leave', 'scratch'] : ['leave', 'scratch'];
	return { kind: 'unpushed', remote, ahead, behind, ...choose(choices) };
}
