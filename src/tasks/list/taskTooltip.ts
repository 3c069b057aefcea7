import * as vscode from 'vscode';
import { oneLine } from '../../base/plainText.ts';
import type { ExecutionExtras } from '../../contract/agents.ts';
import type { AgentTask } from '../../contract/agentTasks.ts';
import { agentNames, isRace } from '../../contract/taskResults.ts';
import { isActiveTask, type Task } from '../../contract/tasks.ts';
import { costText } from '../../platform/amounts.ts';
import { openDashboardText } from '../common/dashboard.ts';
import { outcome, rowWords } from '../common/messages.ts';
import { servedText, usageText } from '../common/usage.ts';
import type { FollowState } from '../model/followState.ts';
import { outcomeOf } from '../model/taskGroups.ts';
import { repositoryName } from '../model/taskRow.ts';

const MAXIMUM_PROMPT = 500;
const MAXIMUM_ERROR = 300;
const MAXIMUM_NAME = 80;

/**
 * Shows the details of a task that have no room in its row, in six lines: the prompt; the state, with its error; the
 * agents and models with their providers; the outcome, its cost and share of the limit; the place; and the time.
 * Another line only says that something has to be fixed in the service's dashboard. All of it comes from the service
 * and is shown as plain text. Addresses that can be opened are in the menu; the only link is to `dashboardUrl` of the
 * connection.
 */
export function taskTooltip(
	task: Task,
	follow: FollowState | undefined,
	dashboardUrl: string | undefined,
): vscode.MarkdownString {
	const tooltip = new Tooltip(oneLine(task.prompt ?? '', MAXIMUM_PROMPT) || rowWords.untitled);
	tooltip.line(stateText(task, follow));
	if (task.isEmptyGitUser === true) {
		tooltip.line(vscode.l10n.t('The source hosting isn’t linked to the account.'));
		if (dashboardUrl !== undefined) {
			tooltip.link(openDashboardText(), dashboardUrl);
		}
	}
	tooltip.line(joined([...workersOf(task), sandboxText(task, task.errand)]));
	tooltip.line(joined([changesOf(task), ...testsOf(task.errand), usedText(task)]));
	tooltip.line(placeText(task));
	tooltip.line(joined([...timesOf(task), vscode.l10n.t('ID {0}', oneLine(task.id, MAXIMUM_NAME))]));
	return tooltip.text;
}

const joined = (parts: readonly (string | undefined)[]): string => parts.filter(Boolean).join(' · ');

const name = (text: string | undefined): string => oneLine(text ?? '', MAXIMUM_NAME);

function stateText(task: Task, follow: FollowState | undefined): string {
	const kind = outcomeOf(task);
	const state = kind === 'active' ? name(task.status) || rowWords.running : outcome(kind);
	const progress = kind === 'active' && task.progress !== undefined ? rowWords.percent(task.progress) : undefined;
	const known = joined([state, name(task.badge), progress, follow && rowWords.follow(follow)]);
	const error = oneLine(task.error ?? '', MAXIMUM_ERROR);
	return error === '' ? known : vscode.l10n.t('{0}: {1}', known, error);
}

/** Returns each agent, with its model, and with its state if there are several. */
function workersOf(task: Task): string[] {
	if (!isRace(task)) {
		return [joined([name(task.selectedAgent), servedText(task.errand) ?? name(task.selectedModel)])];
	}
	const names = agentNames(task);
	return (task.agentExecutions ?? []).map(({ status }, at) => [names[at], name(status)].filter(Boolean).join(' '));
}

function changesOf({ diffStats }: Task): string | undefined {
	const { totalLinesAdded = 0, totalLinesRemoved = 0, totalFilesChanged = 0 } = diffStats ?? {};
	return diffStats && rowWords.changes(totalLinesAdded, totalLinesRemoved, totalFilesChanged);
}

/** If a service does not report what tasks use, their cost is unknown, which is not the same as none. */
function usedText(task: Task): string {
	return task.errand === undefined && !isActiveTask(task) ? costText({ known: 'nothing' }) : usageText(task.errand);
}

/** Returns how the tests that the service ran have ended, and whether the work has changed any tests. */
function testsOf({ tests, testFilesChanged = 0 }: Partial<ExecutionExtras> = {}): (string | undefined)[] {
	const changed =
		testFilesChanged === 1
			? vscode.l10n.t('1 test file changed')
			: vscode.l10n.t('{0} test files changed', testFilesChanged);
	return [tests && rowWords.tests(tests), testFilesChanged === 0 ? undefined : changed];
}

/** Returns the repository and the branches, and the pull request. */
function placeText({ repoUrl, selectedBranch, branchName, prNumber, merged }: Task): string {
	const start = name(selectedBranch);
	const result = name(branchName);
	return joined([
		repoUrl === undefined ? undefined : repositoryName(repoUrl),
		result === '' ? start : start === '' ? result : vscode.l10n.t('{0}, from {1}', result, start),
		prNumber === undefined ? undefined : rowWords.pullRequest(prNumber),
		merged === true ? vscode.l10n.t('merged') : undefined,
	]);
}

function timesOf({ createdAt, completedAt, creatorName }: Task): (string | undefined)[] {
	const started = localTime(createdAt);
	const ended = localTime(completedAt);
	return [
		started === undefined ? undefined : vscode.l10n.t('Started {0}', started),
		creatorName === undefined ? undefined : vscode.l10n.t('by {0}', name(creatorName)),
		ended === undefined ? undefined : vscode.l10n.t('ended {0}', ended),
	];
}

/** The same about one agent of a task that has several: its state, its models and its use. */
export function resultTooltip(task: Task, position: number): vscode.MarkdownString {
	const { status, errand } = task.agentExecutions?.[position] ?? {};
	const tooltip = new Tooltip(agentNames(task)[position] ?? '');
	tooltip.line(name(status));
	tooltip.line(joined([servedText(errand) ?? name(task.selectedAgents?.[position]?.model), sandboxText(task, errand)]));
	tooltip.line(joined([...testsOf(errand), usageText(errand)]));
	return tooltip.text;
}

export function agentTaskTooltip(task: AgentTask): vscode.MarkdownString {
	const tooltip = new Tooltip(oneLine(task.taskId, MAXIMUM_NAME));
	for (const [label, value = ''] of [
		[vscode.l10n.t('State'), task.status],
		[vscode.l10n.t('Model'), task.model],
		[vscode.l10n.t('Run'), task.runId],
		[vscode.l10n.t('Created'), localTime(task.createdAt)],
		[vscode.l10n.t('Started'), localTime(task.startedAt)],
		[vscode.l10n.t('Ended'), localTime(task.completedAt)],
	]) {
		tooltip.line(value === '' ? '' : `${label}: ${oneLine(value, MAXIMUM_ERROR)}`);
	}
	return tooltip.text;
}

function sandboxText(task: Task, { sandboxed }: Partial<ExecutionExtras> = {}): string | undefined {
	if (sandboxed === undefined) {
		return undefined;
	}
	if (isActiveTask(task)) {
		return sandboxed ? vscode.l10n.t('Runs in a sandbox') : vscode.l10n.t('Runs without a sandbox');
	}
	return sandboxed ? vscode.l10n.t('Ran in a sandbox') : vscode.l10n.t('Ran without a sandbox');
}

class Tooltip {
	readonly text = new vscode.MarkdownString();

	constructor(title: string) {
		this.text.appendText(withoutAddresses(title));
	}

	/** Adds nothing for an empty text. */
	line(text: string): void {
		if (text !== '') {
			this.text.appendMarkdown('\n\n');
			this.text.appendText(withoutAddresses(text));
		}
	}

	/** Adds a link after the previous line. A parsed URL contains nothing that could end the brackets around it. */
	link(label: string, address: string): void {
		this.text.appendMarkdown(` [${label}](<${new URL(address).href}>)`);
	}
}

/** The editor turns addresses in plain text into links as well; a zero-width character inside them prevents that. */
function withoutAddresses(text: string): string {
	return text
		.replace(/:(?=\/\/)/g, ':\u2060')
		.replace(/\bwww\./gi, match => `${match.slice(0, 3)}\u2060.`)
		.replaceAll('@', '\u2060@');
}

function localTime(timestamp: string | undefined): string | undefined {
	const date = new Date(timestamp ?? Number.NaN);
	return Number.isNaN(date.getTime()) ? undefined : date.toLocaleString(vscode.env.language);
}
