// What a task of the local service needs that somebody has to allow, and what the user answers to that.
import {
	type AgentStatus,
	type Consent,
	type SandboxProblem,
	type SandboxStatus,
	sandboxProblem,
	type TaskCheck,
} from '../../contract/agents.ts';

/**
 * The result of asking the local service what a task would need. Nothing is shown while it is being asked, as most
 * tasks need nothing.
 */
export type NeedsLook =
	| { kind: 'not-asked' }
	| { kind: 'asking' }
	| { kind: 'failed'; reason: string }
	| { kind: 'known'; check: TaskCheck };

/** The user's answers for one repository, which hold once the task is started. */
export interface NeedsAnswers {
	/** Agents may run although there is no sandbox for this reason. Undefined takes an answer back. */
	unsandboxed?: SandboxProblem | undefined;
	/** An answer for exactly these hosts. */
	dependencies?: { hosts: readonly string[]; allowsScripts: boolean };
}

type Dependencies = NonNullable<TaskCheck['dependencies']>;

/** Whether dependencies may be installed, and whether their install scripts may run; undefined until that is answered. */
export type DependenciesAnswer = 'with-scripts' | 'without-scripts' | undefined;

export type NeedsFinding =
	| { kind: 'unusable-agents'; agents: readonly AgentStatus[] }
	| { kind: 'sandbox-required'; sandbox: SandboxStatus }
	| { kind: 'unsandboxed'; sandbox: SandboxStatus; isAllowed: boolean }
	| {
			kind: 'installation';
			commands: readonly Dependencies['commands'][number][];
			hosts: readonly string[];
			/** The hosts that the user logs in to, as agents cannot. */
			withLogin: readonly string[];
			allowed: DependenciesAnswer;
	  }
	| { kind: 'no-dependencies' }
	| { kind: 'shown-dependencies'; folders: readonly string[] }
	/** `packages` as `mocha@^11.0.0`. */
	| { kind: 'unmet-dependencies'; packages: readonly string[] }
	| { kind: 'unpriced'; models: readonly string[] }
	| { kind: 'needs-unknown'; reason: string };

/** What the user has chosen that needs depend on. */
export interface NeedsChoices {
	installDependencies: boolean;
	/** Whether no agent runs without a sandbox. */
	isSandboxRequired: boolean;
}

/** Returns what the user should know about the needs of a task, and what has to be answered before it starts. */
export function needsFindings(look: NeedsLook, answers: NeedsAnswers, choices: NeedsChoices): NeedsFinding[] {
	if (look.kind !== 'known') {
		return look.kind === 'failed' ? [{ kind: 'needs-unknown', reason: look.reason }] : [];
	}
	const { sandbox, unusable, asksForUnsandboxed, unpricedModels, dependencies, ownDependencies } = look.check;
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

/** Returns whether the task cannot start before something is done about it. */
export function blocksTask(finding: NeedsFinding): boolean {
	switch (finding.kind) {
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

/** Returns whether something can be done about it, before or after which it stands in the same place. */
export function isAnswerable({ kind }: NeedsFinding): boolean {
	switch (kind) {
		case 'unusable-agents':
		case 'sandbox-required':
		case 'unsandboxed':
		case 'installation':
			return true;
		default:
			return false;
	}
}

/** Returns what the service is told about a repository when its task starts: the answers that it does not have yet. */
export function consentsOf(look: NeedsLook, answers: NeedsAnswers, repoUrl: string): Consent[] {
	if (look.kind !== 'known') {
		return [];
	}
	const { sandbox, asksForUnsandboxed, dependencies } = look.check;
	const problem = sandboxProblem(sandbox);
	const allowed = dependencies ? dependenciesAnswer(dependencies, answers) : undefined;
	const known = dependencies && keptAnswer(dependencies);
	return [
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

/** An answer for other hosts than those that are needed now does not count. */
function dependenciesAnswer(dependencies: Dependencies, { dependencies: answer }: NeedsAnswers): DependenciesAnswer {
	const isForThese = answer !== undefined && listOf(answer.hosts) === listOf(dependencies.hosts);
	return isForThese ? wordOf(answer.allowsScripts) : keptAnswer(dependencies);
}

function keptAnswer({ allowed, allowsScripts }: Dependencies): DependenciesAnswer {
	return allowed ? wordOf(allowsScripts) : undefined;
}

const wordOf = (allowsScripts: boolean) => (allowsScripts ? 'with-scripts' : 'without-scripts');
const listOf = (hosts: readonly string[]) => JSON.stringify([...hosts].sort());
