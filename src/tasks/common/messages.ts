import * as vscode from 'vscode';
import { oneLine } from '../../base/plainText.ts';
import type { AgentTask } from '../../contract/agentTasks.ts';
import { changesText, costText, formatNumber } from '../../platform/amounts.ts';
import { type FollowState, staleSince } from '../model/followState.ts';
import type { TaskFilter } from '../model/taskFilter.ts';
import { dayOf, type TaskGroup, type TaskOutcome } from '../model/taskGroups.ts';
import type { RowWords } from '../model/taskRow.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export const rowWords: RowWords = {
	untitled: vscode.l10n.t('Untitled task'),
	queued: vscode.l10n.t('queued'),
	running: vscode.l10n.t('running'),
	saving: vscode.l10n.t('saving'),
	stopping: vscode.l10n.t('stopping'),
	noSandbox: vscode.l10n.t('no sandbox'),
	tests: outcome =>
		({
			passed: vscode.l10n.t('tests passed'),
			failed: vscode.l10n.t('tests failed'),
			'not-run': vscode.l10n.t('tests couldn’t be run'),
		})[outcome],
	cost: costText,
	archived: vscode.l10n.t('archived'),
	percent: progress => vscode.l10n.t('{0} %', progress),
	outcome,
	changes: changesText,
	agents: count => vscode.l10n.t('{0} agents', count),
	pullRequest: prNumber => vscode.l10n.t('PR {0}', prNumber),
	age(milliseconds) {
		if (milliseconds < MINUTE) {
			return vscode.l10n.t('now');
		}
		if (milliseconds < HOUR) {
			return vscode.l10n.t('{0} min', Math.floor(milliseconds / MINUTE));
		}
		return milliseconds < DAY
			? vscode.l10n.t('{0} h', Math.floor(milliseconds / HOUR))
			: vscode.l10n.t('{0} d', Math.floor(milliseconds / DAY));
	},
	follow(state) {
		switch (state.kind) {
			case 'connecting':
				return vscode.l10n.t('connecting');
			case 'live':
				return vscode.l10n.t('live');
			case 'reconnecting':
				return reconnectingText(state);
			case 'failed':
				return vscode.l10n.t('not followed: {0}', state.reason);
			case 'ended':
				return undefined;
		}
	},
};

function reconnectingText(state: FollowState & { kind: 'reconnecting' }): string {
	const line = vscode.l10n.t('reconnecting at line {0}', formatNumber(state.nextIndex));
	const since = staleSince(state, Date.now());
	return since === undefined ? line : vscode.l10n.t('not updated since {0}, {1}', clockTime(since), line);
}

export function outcome(kind: Exclude<TaskOutcome, 'active'>): string {
	return {
		completed: vscode.l10n.t('completed'),
		failed: vscode.l10n.t('failed'),
		interrupted: vscode.l10n.t('interrupted'),
		stopped: vscode.l10n.t('stopped'),
		timeout: vscode.l10n.t('ran out of time'),
	}[kind];
}

/** The words and lines for a log channel's own messages. */
export const followWords = {
	/** `cause` is the service's or the network's own message on one line; it may be empty. */
	reconnecting(nextIndex: number, attempt: number, cause: string): string {
		const line =
			attempt === 1
				? vscode.l10n.t('connection lost at line {0}, reconnecting', formatNumber(nextIndex))
				: vscode.l10n.t('connection lost at line {0}, reconnecting ({1})', formatNumber(nextIndex), attempt);
		return stateLine(cause === '' ? line : `${line}: ${cause}`);
	},
	resumed: (nextIndex: number) => stateLine(vscode.l10n.t('reconnected at line {0}', formatNumber(nextIndex))),
	missing: (from: number, to: number) =>
		stateLine(
			from === to
				? vscode.l10n.t('entry {0} is missing: the service didn’t send it, or it’s too long', formatNumber(from))
				: vscode.l10n.t(
						'entries {0}–{1} are missing: the service didn’t send them, or they’re too long',
						formatNumber(from),
						formatNumber(to),
					),
		),
	/** Returns the line which says that nothing before the entry `firstIndex` is shown. */
	leftOut: (firstIndex: number) =>
		stateLine(vscode.l10n.t('entries before {0} aren’t shown here', formatNumber(firstIndex))),
	/** The last line of a log whose task has ended. `text` says in which way. */
	ended: (text: string) => stateLine(text),
	/** The last line of a log that is no longer followed. `reason` is a sentence. */
	notFollowed: (reason: string) => stateLine(vscode.l10n.t('no longer followed: {0}', reason)),
};

export const logDocumentWords = {
	cut: (characters: number) =>
		` ${stateLine(vscode.l10n.t('{0} more characters: export the log to read them', formatNumber(characters)))}`,
	leftOut: (count: number) =>
		stateLine(
			count === 1
				? vscode.l10n.t('1 earlier entry isn’t shown: export the log to read it')
				: vscode.l10n.t('{0} earlier entries aren’t shown: export the log to read them', formatNumber(count)),
		),
	empty: stateLine(vscode.l10n.t('no entries received yet')),
	triedAgain: stateLine(vscode.l10n.t('retrying every few seconds')),
};

export function serviceIsStopped(): string {
	return vscode.l10n.t('The local service is stopped.');
}

/** Formats the only kind of line by which Errand's own messages appear in a log. */
function stateLine(text: string): string {
	return `— ${text} —`;
}

export function groupLabel(group: TaskGroup, now: number): string {
	switch (group.kind) {
		case 'attention':
			return vscode.l10n.t('Needs attention');
		case 'active':
			return vscode.l10n.t('Active ({0})', formatNumber(group.tasks.length));
		case 'day':
			return dayLabel(group.id, now);
	}
}

/** The accessible label of a group of tasks. */
export function groupSpoken(group: TaskGroup, now: number): string {
	const label = group.kind === 'active' ? vscode.l10n.t('Active') : groupLabel(group, now);
	return countedLabel(label, group.tasks.length);
}

export function countedLabel(label: string, count: number): string {
	return count === 1
		? vscode.l10n.t('{0}, 1 task', label)
		: vscode.l10n.t('{0}, {1} tasks', label, formatNumber(count));
}

function dayLabel(day: string, now: number): string {
	if (day === 'unknown') {
		return vscode.l10n.t('Undated');
	}
	if (day === dayOf(now)) {
		return vscode.l10n.t('Today');
	}
	if (day === dayOf(now - DAY)) {
		return vscode.l10n.t('Yesterday');
	}
	// At noon, no switch to or from summer time can move the date to another day.
	const date = new Date(`${day}T12:00:00`);
	return date.toLocaleDateString(vscode.env.language, {
		weekday: 'short',
		day: 'numeric',
		month: 'short',
		year: date.getFullYear() === new Date(now).getFullYear() ? undefined : 'numeric',
	});
}

/** Formats a time as `HH:MM` in the editor's language. */
export function clockTime(time: number): string {
	return new Date(time).toLocaleTimeString(vscode.env.language, { hour: '2-digit', minute: '2-digit' });
}

export const filterWords = {
	anyStatus: vscode.l10n.t('Any state'),
	status: {
		active: vscode.l10n.t('Active'),
		completed: vscode.l10n.t('Completed'),
		failed: vscode.l10n.t('Failed'),
		stopped: vscode.l10n.t('Stopped'),
	} satisfies Record<NonNullable<TaskFilter['status']>, string>,
	kind: {
		all: vscode.l10n.t('Single tasks and batches'),
		tasks: vscode.l10n.t('Single tasks'),
		batch: vscode.l10n.t('Batches'),
	} satisfies Record<TaskFilter['kind'], string>,
	ownRepository: vscode.l10n.t('Only tasks of this repository'),
	archived: vscode.l10n.t('Show archived tasks'),
	text: (text: string) => vscode.l10n.t('Containing “{0}”', text),
};

/** Describes the filter for the view's state line, or returns undefined if nothing is filtered. */
export function filterLine({ kind, status, text, isOwnRepositoryOnly, showsArchived }: TaskFilter): string | undefined {
	const parts = [
		...(status === undefined ? [] : [filterWords.status[status]]),
		...(kind === 'all' ? [] : [filterWords.kind[kind]]),
		...(isOwnRepositoryOnly ? [filterWords.ownRepository] : []),
		...(showsArchived ? [vscode.l10n.t('with archived tasks')] : []),
		...(text === '' ? [] : [filterWords.text(text)]),
	];
	return parts.length === 0 ? undefined : vscode.l10n.t('Filter: {0}', parts.join(', '));
}

/** Describes an agent task's state. An unknown state is shown by its own name. */
export function agentTaskState({ status }: AgentTask): string {
	switch (status) {
		case 'queued':
		case 'running':
			return rowWords[status];
		case 'completed':
		case 'failed':
		case 'interrupted':
			return outcome(status);
		case 'cancelled':
			return outcome('stopped');
		default:
			return oneLine(status ?? '', 60);
	}
}
