import type { LaunchPlace, LaunchTarget } from './launchTarget.ts';

/** What a service answered when it was asked whether it knows the repository. */
export type ServiceLook =
	| { kind: 'asking' }
	/** The connection has no look-ups, or the address is of a form that they cannot name. */
	| { kind: 'not-asked' }
	/** `branches`: those that it sees there, none where they could not be read; `isWhole`: it sees no others. */
	| { kind: 'known'; branches: ReadonlySet<string>; isWhole: boolean }
	| { kind: 'unlisted' }
	| { kind: 'no-link' }
	| { kind: 'failed'; reason: string };

export interface LaunchFacts {
	target: LaunchTarget;
	/** Commits that only the branch here has, and only the one there; undefined where git cannot tell. */
	ahead: number | undefined;
	behind: number | undefined;
	/** Paths with uncommitted changes on the chosen branch, sorted. */
	changed: readonly string[];
	/** Repositories inside this one with changes of their own, sorted. */
	nested: readonly string[];
	/** A merge with conflicts is under way. */
	hasConflicts: boolean;
	repositoryKind: 'plain' | 'worktree' | 'submodule';
	/** The remote's address holds a name or a password, which is not sent. */
	hasCredentials: boolean;
	/** The name begins with what programs take for an option. */
	isNameUnsafe: boolean;
	service: ServiceLook;
	/** The service said of the latest task that it ran without a source-hosting account. */
	isEmptyGitUser: boolean;
	/** The setting's agent, where the connection does not offer it. */
	unknownAgent: string | undefined;
}

export type CommitChoice = 'push' | 'scratch' | 'leave';
export type ChangeChoice = 'leave' | 'scratch';

/** What the user chose where there is a choice; undefined: the default. */
export interface LaunchDecisions {
	commits?: CommitChoice | undefined;
	changes?: ChangeChoice | undefined;
}

export type Blocker =
	| { kind: 'no-remote' }
	| { kind: 'unusable-remote'; remote: string }
	| { kind: 'only-on-remote'; remote: string }
	| { kind: 'unsafe-name' };

export type Finding =
	| Blocker
	| { kind: 'not-on-remote'; remote: string; choices: readonly CommitChoice[]; chosen: CommitChoice }
	| {
			kind: 'unpushed';
			remote: string;
			/** Undefined where git cannot tell. */
			ahead: number | undefined;
			behind: number | undefined;
			choices: readonly CommitChoice[];
			chosen: CommitChoice;
	  }
	| { kind: 'behind'; remote: string; behind: number }
	| { kind: 'changes'; files: readonly string[]; choices: readonly ChangeChoice[]; chosen: ChangeChoice }
	| { kind: 'conflicts'; files: readonly string[] }
	| { kind: 'nested'; folders: readonly string[] }
	| { kind: 'service'; look: ServiceLook }
	| { kind: 'empty-git-user' }
	| { kind: 'worktree' }
	| { kind: 'submodule' }
	| { kind: 'credentials' }
	| { kind: 'unknown-agent'; agent: string };

/** What happens between the user's yes and the request. */
export interface LaunchPlan {
	repoUrl: string;
	/** The branch that the service starts from; undefined: the scratch branch, whose name is made when it is. */
	branch: string | undefined;
	/** The commit that the service starts from; undefined for one that is yet to be made. */
	commit: string | undefined;
	push: { remote: string; commit: string; to: string; isNew: boolean } | undefined;
	/** `remote`: undefined where the branch is made in the working repository itself. */
	scratch: { parent: string; withChanges: boolean; remote: string | undefined } | undefined;
}

const BLOCKERS: ReadonlySet<Finding['kind']> = new Set<Blocker['kind']>([
	'no-remote',
	'unusable-remote',
	'only-on-remote',
	'unsafe-name',
]);

export function isBlocker(finding: Finding): finding is Blocker {
	return BLOCKERS.has(finding.kind);
}

/** Everything that the user should know before the task is sent: what hinders first, then what is asked, then what is said. */
export function findFindings(facts: LaunchFacts, decisions: LaunchDecisions): Finding[] {
	const { target, changed, repositoryKind } = facts;
	const found: Finding[] = [];
	if (facts.isNameUnsafe) {
		found.push({ kind: 'unsafe-name' });
	}
	if (!target.ok) {
		found.push(
			target.problem === 'no-remote' ? { kind: 'no-remote' } : { kind: target.problem, remote: target.remote },
		);
	}
	if (target.ok) {
		const changes = changesFinding(facts, decisions);
		const commits = commitsFinding(facts, target, decisions, isScratch(changes));
		found.push(...(commits ? [commits] : []), ...(changes ? [changes] : []));
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
	if (facts.hasCredentials) {
		found.push({ kind: 'credentials' });
	}
	if (facts.isEmptyGitUser) {
		found.push({ kind: 'empty-git-user' });
	}
	if (target.ok && facts.service.kind !== 'not-asked') {
		found.push({ kind: 'service', look: facts.service });
	}
	return found;
}

/** Undefined where something hinders the task. */
export function planLaunch(facts: LaunchFacts, decisions: LaunchDecisions): LaunchPlan | undefined {
	const { target } = facts;
	if (!target.ok || facts.isNameUnsafe) {
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

function isScratch(finding: Finding | undefined): boolean {
	return finding?.kind === 'changes' && finding.chosen === 'scratch';
}

function changesFinding(
	{ target, changed, hasConflicts }: LaunchFacts,
	{ changes }: LaunchDecisions,
): (Finding & { kind: 'changes' }) | undefined {
	// What a merge has left half done is no state to hand to anybody.
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
): Finding | undefined {
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
	// A push that would throw commits away there is never offered.
	const isPlainPush = ahead !== undefined && ahead > 0 && behind === 0;
	const choices: readonly CommitChoice[] = isPlainPush ? ['push', 'leave', 'scratch'] : ['leave', 'scratch'];
	return { kind: 'unpushed', remote, ahead, behind, ...choose(choices) };
}
