import type { LaunchPlace, LaunchTarget, TargetBlocker } from './launchTarget.ts';
import type { NeedsFinding } from './taskNeeds.ts';

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

/** Something that the user should know, decide or fix before a task starts. */
export type PreflightFinding =
	| TargetBlocker
	| NeedsFinding
	| { kind: 'unsafe-name' }
	| { kind: 'missing-files'; remote: string; objects: number }
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
		case 'unusable-agents':
		case 'sandbox-required':
			return true;
		case 'unsandboxed':
			return !finding.isAllowed;
		case 'installation':
			return finding.allowed === undefined;
		default:
			return false;
	}
}

/** The needs that the user can answer. They stay in the same place before and after the answer. */
const ANSWERABLE: ReadonlySet<NeedsFinding['kind']> = new Set([
	'unusable-agents',
	'sandbox-required',
	'unsandboxed',
	'installation',
	'search',
]);

/**
 * Returns everything that the user should know before the task is sent: first the findings that prevent it, then those
 * that need a choice, then information.
 */
export function findFindings(facts: LaunchFacts, decisions: LaunchDecisions): PreflightFinding[] {
	const { target, changed, repositoryKind, needs, service } = facts;
	const changes = changesFinding(facts, decisions);
	const found: (PreflightFinding | false | undefined)[] = [
		facts.isNameUnsafe && { kind: 'unsafe-name' },
		!target.ok && target.blocker,
		facts.missingFiles && { kind: 'missing-files', ...facts.missingFiles },
		...needs.filter(({ kind }) => ANSWERABLE.has(kind)),
		target.ok && commitsFinding(facts, target, decisions, isScratch(changes)),
		changes,
		changed.length > 0 && facts.hasConflicts && { kind: 'conflicts', files: changed },
		facts.nested.length > 0 && { kind: 'nested', folders: facts.nested },
		facts.unknownAgent !== undefined && { kind: 'unknown-agent', agent: facts.unknownAgent },
		repositoryKind !== 'plain' && { kind: repositoryKind },
		...facts.cloneKinds.map(kind => ({ kind })),
		facts.submodules.length > 0 && { kind: 'submodules', submodules: facts.submodules },
		facts.hasCredentials && { kind: 'credentials' },
		facts.isEmptyGitUser && { kind: 'empty-git-user' },
		...needs.filter(({ kind }) => !ANSWERABLE.has(kind)),
		target.ok && service.kind !== 'not-asked' && { kind: 'service', look: service },
	];
	return found.filter(finding => finding !== undefined && finding !== false);
}

/** Returns undefined if something prevents the task. */
export function planLaunch(facts: LaunchFacts, decisions: LaunchDecisions): LaunchPlan | undefined {
	const { target } = facts;
	if (!target.ok || facts.isNameUnsafe || facts.missingFiles || facts.needs.some(isBlocker)) {
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
