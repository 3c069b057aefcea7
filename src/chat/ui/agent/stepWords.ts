// The words for the steps of an agent. Text from the agent itself is hostile and is shown as plain text.
import * as l10n from '@vscode/l10n';
import type { ToolKind } from '../../../agents/session/events.ts';
import { waitingStep } from '../../model/agentWork.ts';
import type { ReplyView } from '../../protocol/protocol.ts';
import type { ApprovalView, StepView, WorkView } from '../../protocol/workProtocol.ts';
import type { CodiconName } from '../codicon.ts';
import { formatDuration } from '../format.ts';
import { showControls } from '../markdown.ts';

/** The length of the part of a command that is read out with its question, in UTF-16 code units. */
const SPOKEN_LENGTH = 300;

const ICONS: Record<ToolKind, CodiconName> = {
	read: 'file',
	edit: 'edit',
	delete: 'trash',
	move: 'move',
	search: 'search',
	execute: 'terminal',
	fetch: 'globe',
	think: 'lightbulb',
	switch_mode: 'shield',
	compact: 'file-text',
	notice: 'info',
	other: 'tools',
};

export function stepIcon({ kind, diffs, form }: StepView): CodiconName {
	if (form) {
		return 'comment';
	}
	return kind === 'edit' && diffs !== undefined ? 'diff' : ICONS[kind];
}

/** Returns the agent's title or, without one, the command or the word for the kind of step. */
export function titleOf({ title, command, kind }: StepView): string {
	return showControls(title.trim() || command?.trim() || kindWord(kind));
}

/** Returns the command to show beside the title, or an empty string if the title contains it or is the command. */
export function commandBeside({ title, command = '' }: StepView): string {
	const shown = title.trim() === '' || title.includes(command.trim()) ? '' : command.trim();
	const lines = shown.split('\n').map(line => line.trim());
	return showControls(lines.filter(line => line !== '').join(' ⏎ '));
}

/** A fact shown beside the title, from left to right. */
export interface StepFact {
	readonly kind: 'added' | 'removed' | 'allowed' | 'quiet' | 'failed' | 'stopped';
	readonly icon?: CodiconName;
	readonly words: string;
	/** Replaces the words where there is little room. If it is empty, only the icon is shown. */
	readonly short?: string;
	/** The words for screen readers, if they differ. */
	readonly spoken?: string;
}

export function factsOf(step: StepView, language: string): StepFact[] {
	const { state, approval, startedAt, endedAt, command, kind, isTaken, form } = step;
	if (form && approval) {
		return [formFact(approval)];
	}
	const isRefused = approval !== undefined && ['no', 'unanswered', 'refused'].includes(approval.state);
	const runs = kind === 'execute' || command !== undefined;
	const hasChanged = state === 'done' || (state === 'running' && !isRefused);
	return [
		...(approval === undefined || isRefused ? [] : allowedFact(approval)),
		...(hasChanged ? countsOf(step, language) : []),
		...(runs && endedAt !== undefined && !isRefused
			? [{ kind: 'quiet' as const, words: formatDuration(endedAt - startedAt, language) }]
			: []),
		...(isRefused ? [refusedFact(approval)] : stateFact(state)),
		...(isTaken === false
			? [{ kind: 'quiet' as const, icon: 'info' as const, words: l10n.t('Still in the copy') }]
			: []),
	];
}

function stateFact(state: StepView['state']): StepFact[] {
	switch (state) {
		case 'done':
			return [];
		case 'running':
			return [{ kind: 'quiet', icon: 'record', words: l10n.t('Running') }];
		case 'failed':
			return [{ kind: 'failed', icon: 'error', words: l10n.t('Failed') }];
		case 'stopped':
			return [{ kind: 'stopped', icon: 'circle-slash', words: l10n.t('Stopped') }];
	}
}

function countsOf({ diffs = [] }: StepView, language: string): StepFact[] {
	const number = new Intl.NumberFormat(language);
	const sum = (values: readonly (number | undefined)[]) =>
		values.some(value => value === undefined) ? 0 : values.reduce<number>((total, value) => total + (value ?? 0), 0);
	const added = sum(diffs.map(diff => diff.added));
	const removed = sum(diffs.map(diff => diff.removed));
	return countFacts(added, removed, number);
}

/** Returns the numbers of added and removed lines. Zero is left out. */
export function countFacts(added: number, removed: number, number: Intl.NumberFormat): StepFact[] {
	const facts: StepFact[] = [];
	if (added > 0) {
		const spoken = added === 1 ? l10n.t('1 line added') : l10n.t('{0} lines added', number.format(added));
		facts.push({ kind: 'added', words: `+${number.format(added)}`, spoken });
	}
	if (removed > 0) {
		const spoken = removed === 1 ? l10n.t('1 line removed') : l10n.t('{0} lines removed', number.format(removed));
		facts.push({ kind: 'removed', words: `−${number.format(removed)}`, spoken });
	}
	return facts;
}

function allowedFact({ state }: ApprovalView): StepFact[] {
	const allowed: Partial<Record<ApprovalView['state'], string>> = {
		once: l10n.t('Allowed once'),
		conversation: l10n.t('Allowed in this conversation'),
		setting: l10n.t('Allowed by your setting'),
		before: l10n.t('Allowed before'),
	};
	const words = allowed[state];
	return words === undefined ? [] : [{ kind: 'allowed', words, short: l10n.t('Allowed') }];
}

function formFact({ state, reason }: ApprovalView): StepFact {
	if (state === 'once') {
		return { kind: 'quiet', words: l10n.t('Answered') };
	}
	const words =
		state === 'no'
			? l10n.t('Declined')
			: reason === undefined
				? l10n.t('Not answered')
				: l10n.t('Declined: {0}', showControls(reason));
	const short = state === 'unanswered' ? words : l10n.t('Declined');
	return { kind: 'stopped', icon: 'circle-slash', words, short };
}

function refusedFact({ state, reason }: ApprovalView): StepFact {
	const short = l10n.t('Not allowed');
	const words =
		state === 'unanswered'
			? l10n.t('Not allowed: no answer')
			: reason === undefined
				? short
				: l10n.t('Not allowed: {0}', showControls(reason));
	return { kind: 'stopped', icon: 'circle-slash', words, short };
}

/** Returns what a screen reader reads before the title in place of the icon; empty if the title begins with it. */
export function spokenKind(step: StepView): string {
	const word = step.form ? l10n.t('Question') : kindWord(step.kind);
	return titleOf(step).toLowerCase().startsWith(word.toLowerCase()) ? '' : l10n.t('{0}:', word);
}

function kindWord(kind: ToolKind): string {
	const words: Record<ToolKind, string> = {
		read: l10n.t('Read'),
		edit: l10n.t('Edit'),
		delete: l10n.t('Delete'),
		move: l10n.t('Move'),
		search: l10n.t('Search'),
		execute: l10n.t('Run'),
		fetch: l10n.t('Fetch'),
		think: l10n.t('Think'),
		switch_mode: l10n.t('Mode'),
		compact: l10n.t('Shorten the context'),
		notice: l10n.t('Notice'),
		other: l10n.t('Tool'),
	};
	return words[kind];
}

/** Summarises folded steps, such as `12 steps: 5 files read, 4 searches, 3 commands`. */
export function foldWords(steps: readonly StepView[], language: string): string {
	const number = new Intl.NumberFormat(language);
	const counts = new Map<ToolKind, number>();
	for (const { kind } of steps) {
		const group = ['switch_mode', 'compact', 'notice'].includes(kind) ? 'other' : kind;
		counts.set(group, (counts.get(group) ?? 0) + 1);
	}
	const kinds = [...counts].map(([kind, count]) => countWords(kind, count, number.format(count)));
	return l10n.t('{0} steps: {1}', number.format(steps.length), new Intl.ListFormat(language, LIST).format(kinds));
}

const LIST = { style: 'short', type: 'unit' } as const;

function countWords(kind: ToolKind, count: number, number: string): string {
	const words: Partial<Record<ToolKind, readonly [one: string, several: string]>> = {
		read: [l10n.t('1 file read'), l10n.t('{0} files read', number)],
		edit: [l10n.t('1 edit'), l10n.t('{0} edits', number)],
		delete: [l10n.t('1 deletion'), l10n.t('{0} deletions', number)],
		move: [l10n.t('1 move'), l10n.t('{0} moves', number)],
		search: [l10n.t('1 search'), l10n.t('{0} searches', number)],
		execute: [l10n.t('1 command'), l10n.t('{0} commands', number)],
		fetch: [l10n.t('1 page fetched'), l10n.t('{0} pages fetched', number)],
		think: [l10n.t('1 thought'), l10n.t('{0} thoughts', number)],
	};
	const [one, several] = words[kind] ?? [l10n.t('1 other'), l10n.t('{0} others', number)];
	return count === 1 ? one : several;
}

/** Returns whether a step is running or waiting for the user, which explains why nothing arrives. */
export function isBusy(work: WorkView | undefined): boolean {
	return work?.steps.some(({ state }) => state === 'running') ?? false;
}

/** Returns the name of the reply's agent or model. */
function awaited({ work, model }: ReplyView): string {
	return work?.label ?? model ?? l10n.t('Reply');
}

/** Says that nothing has arrived for a while, and why if the reason is known. */
export function waitingText(reply: ReplyView): string {
	return reply.waiting === 'loading'
		? l10n.t('Still waiting for {0}: its server is loading the model.', awaited(reply))
		: l10n.t('Still waiting for {0}.', awaited(reply));
}

/** Says what the agent is doing now, for a streaming reply. */
export function nowWords({ text, reasoning = '' }: ReplyView, work: WorkView): string {
	if (waitingStep(work)) {
		return l10n.t('waiting for your answer');
	}
	const running = work.steps.findLast(({ state }) => state === 'running');
	if (running) {
		return titleOf(running);
	}
	return text === '' && work.steps.length === 0 && reasoning !== '' ? l10n.t('thinking') : l10n.t('working');
}

/** Returns the question about a step. A command or changes take precedence over the kind that the agent states. */
export function questionOf({ kind, command, mcpTool, diffs = [], approval, form }: StepView): string {
	if (form) {
		return l10n.t('Answer this?');
	}
	const changes = approval?.changes ?? diffs;
	if (command !== undefined) {
		return l10n.t('Run this command?');
	}
	if (mcpTool !== undefined) {
		return l10n.t('Call this tool?');
	}
	if (kind === 'delete' && diffs.every(({ added }) => added === 0)) {
		return l10n.t('Delete this?');
	}
	if (changes.length > 1) {
		return l10n.t('Change these files?');
	}
	if (changes.length === 1) {
		return changes[0]?.isNew ? l10n.t('Create this file?') : l10n.t('Change this file?');
	}
	switch (kind) {
		case 'edit':
			return l10n.t('Change this file?');
		case 'move':
			return l10n.t('Move this?');
		case 'fetch':
			return l10n.t('Fetch this?');
		default:
			return l10n.t('Allow this?');
	}
}

/** Returns the question as a screen reader announces it. */
export function spokenQuestion(step: StepView, { label }: WorkView): string {
	const subject = showControls(step.command ?? step.title).slice(0, SPOKEN_LENGTH);
	return l10n.t('{0} asks: {1} {2}', label, questionOf(step), subject);
}
