import { withoutEndSlashes } from '../../base/endSlashes.ts';
import type { KnownCost } from '../../base/knownCost.ts';
import { firstLine, oneLine } from '../../base/plainText.ts';
import type { TestOutcome } from '../../contract/agents.ts';
import { isRace } from '../../contract/taskResults.ts';
import type { Task } from '../../contract/tasks.ts';
import type { FollowState } from './followState.ts';
import { costOf, type Usage } from './modelUse.ts';
import { endedAt, outcomeOf, type TaskOutcome, timeOf } from './taskGroups.ts';

/** The words of a row, in the editor's language. */
export interface RowWords {
	untitled: string;
	queued: string;
	/** For a running task whose progress is not known. */
	running: string;
	saving: string;
	stopping: string;
	/** For a task whose agent works without a sandbox. */
	noSandbox: string;
	/** The outcome of the tests that the service ran after the agent. */
	tests(outcome: TestOutcome): string;
	/** The cost, as far as it is known. */
	cost(cost: KnownCost): string;
	/** For a task that the user has archived. */
	archived: string;
	percent(progress: number): string;
	outcome(outcome: Exclude<TaskOutcome, 'active'>): string;
	changes(added: number, removed: number, files: number): string;
	pullRequest(number: number): string;
	/** For a prompt that several agents got. */
	agents(count: number): string;
	age(milliseconds: number): string;
	/** Describes the state in a word or two, or returns undefined if there is nothing to say. */
	follow(state: FollowState): string | undefined;
}

export interface RowFacts {
	/** The title that distinguishes the task from others whose prompt begins alike (`distinctTitles`). */
	title?: string | undefined;
	/** The repository's name, if it is not one of the window's repositories. */
	repository?: string | undefined;
	/** Milliseconds since the epoch. */
	now: number;
	follow: FollowState | undefined;
	/** True if a stop was requested but is not confirmed yet. */
	isStopping: boolean;
	isArchived?: boolean;
}

export interface TaskRow {
	label: string;
	description: string;
	/** The text for screen readers. */
	accessibleLabel: string;
	icon: { id: string; color: string | undefined };
	isActive: boolean;
	/** True if it has ended with work that can be kept. */
	isKeepable: boolean;
}

const MAXIMUM_LABEL = 80;
const MAXIMUM_NAME = 60;
const MAXIMUM_ERROR = 120;

/** The icons by outcome: the codicon and the theme's own colour for such a state. */
export const outcomeIcons: Record<Exclude<TaskOutcome, 'active'>, TaskRow['icon']> = {
	completed: { id: 'pass', color: 'testing.iconPassed' },
	failed: { id: 'error', color: 'testing.iconFailed' },
	interrupted: { id: 'debug-disconnect', color: 'testing.iconErrored' },
	stopped: { id: 'circle-slash', color: 'testing.iconSkipped' },
	timeout: { id: 'watch', color: 'testing.iconErrored' },
};

/** Returns the task's prompt as a title. */
export function taskTitle(task: Task, untitled: string, maximum = MAXIMUM_LABEL): string {
	return firstLine(task.prompt ?? '', maximum) || untitled;
}

/** Returns whether the task was ended with work of its agent that can still be kept. */
export function canKeepWork({ errand }: Pick<Task, 'errand'>): boolean {
	return errand?.canKeep === true;
}

/** Returns `owner/name` of a repository's address, or as much of it as there is. */
export function repositoryName(repoUrl: string): string {
	const path = withoutEndSlashes(repoUrl.replaceAll('\\', '/')).replace(/\.git$/, '');
	return oneLine(path.split(/[/:]/).slice(-2).join('/'), MAXIMUM_NAME);
}

/**
 * Returns a row's text in a fixed order: progress or outcome, a missing sandbox, tests and cost, agent, branch, then
 * the age or the state of following, then the error.
 */
export function describeTask(task: Task, facts: RowFacts, words: RowWords): TaskRow {
	const outcome = outcomeOf(task);
	const label = facts.title ?? taskTitle(task, words.untitled);
	const follow = facts.follow && words.follow(facts.follow);
	const parts =
		outcome === 'active'
			? [
					progressText(task, facts, words),
					task.errand?.sandboxed === false ? words.noSandbox : undefined,
					...names(task, words),
					facts.repository,
					// If a log is followed, its state says more than the age of the task.
					facts.follow ? undefined : ageText(timeOf(task.createdAt), facts, words),
					follow,
					errorText(task),
				]
			: [
					facts.isArchived === true ? words.archived : undefined,
					...(isRace(task) ? names(task, words) : []),
					outcomeText(task, outcome, words),
					...judgementOf(task.errand, words),
					...(isRace(task) ? [] : names(task, words)),
					facts.repository,
					task.prNumber === undefined ? undefined : words.pullRequest(task.prNumber),
					ageText(endedAt(task), facts, words),
					facts.follow?.kind === 'ended' ? undefined : follow,
					errorText(task),
				];
	const shown = parts.filter(part => part !== undefined && part !== '');
	// If the row shows the changes instead of the outcome, only the icon shows the outcome.
	const spoken = outcome === 'active' ? undefined : words.outcome(outcome);
	return {
		label,
		description: shown.join(' · '),
		accessibleLabel: [label, ...(spoken === undefined || shown.includes(spoken) ? [] : [spoken]), ...shown].join(', '),
		icon: outcome === 'active' ? activeIcon(task, facts) : outcomeIcons[outcome],
		isActive: outcome === 'active',
		isKeepable: outcome !== 'active' && canKeepWork(task),
	};
}

/** Returns the outcome of the tests and the cost of an agent, as far as the service reports them. */
export function judgementOf(
	errand: (Usage & { tests?: TestOutcome | undefined }) | undefined,
	words: Pick<RowWords, 'tests' | 'cost'>,
): string[] {
	const { tests } = errand ?? {};
	const cost = errand && costOf(errand);
	// The tooltip says if nothing is known about the cost.
	const isKnown = cost !== undefined && cost.known !== 'nothing';
	return [...(tests === undefined ? [] : [words.tests(tests)]), ...(isKnown ? [words.cost(cost)] : [])];
}

function names(task: Task, words: RowWords): (string | undefined)[] {
	if (isRace(task)) {
		// Each agent has a row of its own below.
		return [words.agents((task.agentExecutions ?? []).filter(({ errand }) => !errand?.composedOf).length)];
	}
	return [task.selectedAgent, task.branchName ?? task.selectedBranch].map(name => name && oneLine(name, MAXIMUM_NAME));
}

function errorText(task: Task): string | undefined {
	return task.error && oneLine(task.error, MAXIMUM_ERROR);
}

/**
 * The icon shows the state and does not spin, because a row must not look alive while nothing is received for its task.
 */
function activeIcon(task: Task, { follow }: RowFacts): TaskRow['icon'] {
	if (follow?.kind === 'reconnecting' || follow?.kind === 'failed') {
		return { id: 'sync-ignored', color: 'testing.iconQueued' };
	}
	switch (task.status) {
		case 'pending':
		case 'queued':
			return { id: 'circle-outline', color: 'testing.iconQueued' };
		case 'saving':
			return { id: 'save', color: 'charts.blue' };
		default:
			return { id: 'play-circle', color: 'charts.blue' };
	}
}

function progressText(task: Task, facts: RowFacts, words: RowWords): string {
	if (facts.isStopping) {
		return words.stopping;
	}
	switch (task.status) {
		case 'pending':
		case 'queued':
			return words.queued;
		case 'saving':
			return words.saving;
		case 'processing':
		case 'running':
		case undefined:
			return task.progress === undefined
				? words.running
				: words.percent(Math.round(Math.min(100, Math.max(0, task.progress))));
		default:
			return oneLine(task.status, MAXIMUM_NAME);
	}
}

function outcomeText(task: Task, outcome: Exclude<TaskOutcome, 'active'>, words: RowWords): string {
	const { totalLinesAdded, totalLinesRemoved, totalFilesChanged } = task.diffStats ?? {};
	if (outcome === 'completed' && totalFilesChanged !== undefined && totalFilesChanged > 0) {
		return words.changes(totalLinesAdded ?? 0, totalLinesRemoved ?? 0, totalFilesChanged);
	}
	return words.outcome(outcome);
}

function ageText(since: number, { now }: RowFacts, words: RowWords): string | undefined {
	return Number.isNaN(since) ? undefined : words.age(Math.max(0, now - since));
}

/** Returns whether a task has ended in a way that needs an explanation. */
export function hasFailed(task: Task): boolean {
	const outcome = outcomeOf(task);
	return outcome === 'failed' || outcome === 'timeout' || outcome === 'interrupted';
}
