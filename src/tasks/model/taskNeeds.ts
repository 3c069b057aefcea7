// The needs of a local service's task to which the user must consent, and the user's answers.
import {
	type AgentStatus,
	type Consent,
	type SandboxProblem,
	type SandboxStatus,
	sandboxProblem,
	type TaskCheck,
} from '../../contract/agents.ts';

/**
 * The result of asking the local service for the needs of a task. Nothing is shown while it is being asked, as most
 * tasks need nothing.
 */
export type NeedsState =
	| { kind: 'not-asked' }
	| { kind: 'asking' }
	| { kind: 'failed'; reason: string }
	| { kind: 'known'; check: TaskCheck };

/** The user's answers for one repository, which hold once the task is started. */
export interface NeedsAnswers {
	/** The reason for the missing sandbox despite which agents may run. Undefined takes an answer back. */
	unsandboxed?: SandboxProblem | undefined;
	/** An answer for exactly these hosts. */
	dependencies?: { hosts: readonly string[]; allowsScripts: boolean };
	/** Whether tasks of the repository may search the web. */
	search?: boolean;
}

type Dependencies = NonNullable<TaskCheck['dependencies']>;

/** The answer on whether dependencies may be installed, and their install scripts run; undefined until there is one. */
export type DependenciesAnswer = 'with-scripts' | 'without-scripts' | undefined;

export type NeedsFinding =
	| { kind: 'unusable-agents'; agents: readonly AgentStatus[] }
	| { kind: 'sandbox-required'; sandbox: SandboxStatus }
	| { kind: 'unsandboxed'; sandbox: SandboxStatus; isAllowed: boolean }
	| {
			kind: 'installation';
			commands: readonly Dependencies['commands'][number][];
			hosts: readonly string[];
			/** The hosts to which the user logs in, because agents cannot. */
			withLogin: readonly string[];
			allowed: DependenciesAnswer;
	  }
	| { kind: 'no-dependencies' }
	| { kind: 'shown-dependencies'; folders: readonly string[] }
	/** `packages` as `mocha@^11.0.0`. */
	| { kind: 'unmet-dependencies'; packages: readonly string[] }
	/** `isKept`: the service has the consent already. */
	| { kind: 'search'; model: string; isAllowed: boolean; isKept: boolean }
	| { kind: 'unpriced'; models: readonly string[] }
	| { kind: 'needs-unknown'; reason: string };

/** The user's choices on which needs depend. */
export interface NeedsChoices {
	installDependencies: boolean;
	/** True if no agent may run without a sandbox. */
	isSandboxRequired: boolean;
}

/** Returns what the user should know about the needs of a task, and the questions to be answered before it starts. */
export function needsFindings(look: NeedsState, answers: NeedsAnswers, choices: NeedsChoices): NeedsFinding[] {
	if (look.kind !== 'known') {
		return look.kind === 'failed' ? [{ kind: 'needs-unknown', reason: look.reason }] : [];
	}
	const { sandbox, unusable, asksForUnsandboxed, unpricedModels, dependencies, ownDependencies, search } = look.check;
	const { shown, unmet } = ownDependencies;
	const found: NeedsFinding[] = [];
	if (unusable.length > 0) {
		found.push({ kind: 'unusable-agents', agents: unusable });
	}
	if (asksForUnsandboxed) {
		found.push(
			choices.isSandboxRequired
				? { kind: 'sandbox-required', sandbox }
				: { kind: 'unsandboxed', sandbox, isAllowed: answers.unsandboxed === sandboxProblem(sandbox) },
		);
	}
	if (search) {
		const { model, allowed } = search;
		found.push({ kind: 'search', model, isAllowed: allowed || answers.search === true, isKept: allowed });
	}
	if (unpricedModels.length > 0) {
		found.push({ kind: 'unpriced', models: unpricedModels });
	}
	if (choices.installDependencies && dependencies) {
		found.push({
			kind: 'installation',
			commands: dependencies.commands,
			hosts: dependencies.hosts,
			withLogin: dependencies.withLogin,
			allowed: dependenciesAnswer(dependencies, answers),
		});
	} else if (choices.installDependencies && shown.length === 0) {
		found.push({ kind: 'no-dependencies' });
	}
	if (shown.length > 0) {
		found.push({ kind: 'shown-dependencies', folders: shown });
	}
	if (unmet.length > 0) {
		found.push({ kind: 'unmet-dependencies', packages: unmet });
	}
	return found;
}

/**
 * Returns the consents to be given to the service when a repository's task starts: the answers that it does not have
 * yet.
 */
export function consentsOf(look: NeedsState, answers: NeedsAnswers, repoUrl: string): Consent[] {
	if (look.kind !== 'known') {
		return [];
	}
	const { sandbox, asksForUnsandboxed, dependencies, search } = look.check;
	const problem = sandboxProblem(sandbox);
	const allowed = dependencies ? dependenciesAnswer(dependencies, answers) : undefined;
	const known = dependencies && keptAnswer(dependencies);
	return [
		...(search && !search.allowed && answers.search ? [{ kind: 'search' as const, repoUrl }] : []),
		...(asksForUnsandboxed && answers.unsandboxed === problem
			? [{ kind: 'unsandboxed' as const, repoUrl, problem }]
			: []),
		...(dependencies && allowed !== undefined && allowed !== known
			? [
					{
						kind: 'dependencies' as const,
						repoUrl,
						hosts: dependencies.hosts,
						allowsScripts: allowed === 'with-scripts',
					},
				]
			: []),
	];
}

/** An answer for hosts other than those needed now does not count. */
function dependenciesAnswer(dependencies: Dependencies, { dependencies: answer }: NeedsAnswers): DependenciesAnswer {
	const isForThese = answer !== undefined && listOf(answer.hosts) === listOf(dependencies.hosts);
	return isForThese ? wordOf(answer.allowsScripts) : keptAnswer(dependencies);
}

function keptAnswer({ allowed, allowsScripts }: Dependencies): DependenciesAnswer {
	return allowed ? wordOf(allowsScripts) : undefined;
}

const wordOf = (allowsScripts: boolean) => (allowsScripts ? 'with-scripts' : 'without-scripts');
const listOf = (hosts: readonly string[]) => JSON.stringify([...hosts].sort());
