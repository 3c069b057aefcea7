import * as vscode from 'vscode';
import type { FollowWords } from './followLog.ts';
import type { Outcome, TaskGroup } from './model/taskGroups.ts';
import { dayOf } from './model/taskGroups.ts';
import type { RowWords } from './model/taskRow.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const number = (value: number) => value.toLocaleString(vscode.env.language);

export const rowWords: RowWords = {
	untitled: vscode.l10n.t('Untitled task'),
	queued: vscode.l10n.t('queued'),
	running: vscode.l10n.t('running'),
	saving: vscode.l10n.t('saving'),
	stopping: vscode.l10n.t('stopping'),
	percent: progress => vscode.l10n.t('{0} %', progress),
	outcome,
	changes: (added, removed, files) =>
		files === 1
			? vscode.l10n.t('+{0} −{1} in 1 file', number(added), number(removed))
			: vscode.l10n.t('+{0} −{1} in {2} files', number(added), number(removed), number(files)),
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
				return vscode.l10n.t('reconnecting at line {0}', number(state.nextIndex));
			case 'failed':
				return vscode.l10n.t('not followed: {0}', state.reason);
			case 'ended':
				return undefined;
		}
	},
};

export function outcome(kind: Exclude<Outcome, 'active'>): string {
	switch (kind) {
		case 'completed':
			return vscode.l10n.t('completed');
		case 'failed':
			return vscode.l10n.t('failed');
		case 'interrupted':
			return vscode.l10n.t('interrupted');
		case 'stopped':
			return vscode.l10n.t('stopped');
		case 'timeout':
			return vscode.l10n.t('ran out of time');
	}
}

export const followWords: FollowWords = {
	error: vscode.l10n.t('error'),
	warning: vscode.l10n.t('warning'),
	success: vscode.l10n.t('success'),
	reconnecting(nextIndex, attempt, cause) {
		const line =
			attempt === 1
				? vscode.l10n.t('connection lost at line {0}, reconnecting', number(nextIndex))
				: vscode.l10n.t('connection lost at line {0}, reconnecting ({1})', number(nextIndex), attempt);
		return stateLine(cause === '' ? line : `${line}: ${cause}`);
	},
	resumed: nextIndex => stateLine(vscode.l10n.t('connected again, going on at line {0}', number(nextIndex))),
	missing: (from, to) =>
		stateLine(
			from === to
				? vscode.l10n.t('entry {0} is missing: the service did not send it', number(from))
				: vscode.l10n.t('entries {0}–{1} are missing: the service did not send them', number(from), number(to)),
		),
};

/** The only lines in which a log speaks of ourselves. */
export function stateLine(text: string): string {
	return `— ${text} —`;
}

export function leftOut(firstIndex: number): string {
	return stateLine(vscode.l10n.t('what came before entry {0} is left out here', number(firstIndex)));
}

export function groupLabel(group: TaskGroup, now: number): string {
	switch (group.kind) {
		case 'attention':
			return vscode.l10n.t('Needs attention');
		case 'active':
			return vscode.l10n.t('Active ({0})', number(group.tasks.length));
		case 'day':
			return dayLabel(group.id, now);
	}
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
	// Noon: no change to or from summer time moves it to another day.
	const date = new Date(`${day}T12:00:00`);
	return date.toLocaleDateString(vscode.env.language, {
		weekday: 'short',
		day: 'numeric',
		month: 'short',
		...(date.getFullYear() === new Date(now).getFullYear() ? {} : { year: 'numeric' }),
	});
}

/** `HH:MM` as the editor's language writes it. */
export function clockTime(time: number): string {
	return new Date(time).toLocaleTimeString(vscode.env.language, { hour: '2-digit', minute: '2-digit' });
}
