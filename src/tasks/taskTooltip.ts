import * as vscode from 'vscode';
import { oneLine, plainText } from '../base/plainText.ts';
import type { AgentTask } from '../contract/agentTasks.ts';
import type { Task } from '../contract/tasks.ts';
import { openDashboardText } from './common/dashboard.ts';
import { rowWords } from './common/messages.ts';
import type { FollowState } from './model/followState.ts';

const MAXIMUM_PROMPT = 1500;
const MAXIMUM_VALUE = 300;

/** The maximum number of list items that are named. */
const MAXIMUM_LISTED = 10;

/**
 * Shows everything about a task that the row has no room for: each field of the contract's Task table that has a value.
 * All of it comes from the service and is shown as plain text, without links, images or HTML. The only link is to
 * `dashboardUrl` of the connection, where something can be fixed there.
 */
export function taskTooltip(
	task: Task,
	follow: FollowState | undefined,
	dashboardUrl: string | undefined,
): vscode.MarkdownString {
	const tooltip = new Tooltip(plainText((task.prompt ?? '').slice(0, MAXIMUM_PROMPT)).trim() || rowWords.untitled);
	const stats = task.diffStats;
	tooltip.line(vscode.l10n.t('State'), task.status);
	tooltip.line(vscode.l10n.t('Error'), task.error);
	tooltip.line(vscode.l10n.t('Following'), follow && rowWords.follow(follow));
	tooltip.line(vscode.l10n.t('Progress'), task.progress === undefined ? undefined : rowWords.percent(task.progress));
	tooltip.line(
		vscode.l10n.t('Changes'),
		stats && rowWords.changes(stats.totalLinesAdded ?? 0, stats.totalLinesRemoved ?? 0, stats.totalFilesChanged ?? 0),
	);
	tooltip.line(vscode.l10n.t('Agent'), [task.selectedAgent, task.selectedModel].filter(Boolean).join(', '));
	tooltip.line(
		vscode.l10n.t('Agents'),
		task.agentExecutions
			?.slice(0, MAXIMUM_LISTED)
			.map(({ agent, status, branchName }) => [agent, status, branchName].filter(Boolean).join(' '))
			.join(', '),
	);
	tooltip.line(vscode.l10n.t('Repository'), task.repoUrl);
	tooltip.line(vscode.l10n.t('Started from'), task.selectedBranch);
	tooltip.line(vscode.l10n.t('Result branch'), task.branchName);
	tooltip.line(vscode.l10n.t('Pull request'), [task.prNumber, task.prUrl].filter(Boolean).join(' '));
	tooltip.line(vscode.l10n.t('Merged'), yesOrNo(task.merged));
	tooltip.line(vscode.l10n.t('Installs dependencies'), yesOrNo(task.installDependencies));
	tooltip.line(
		vscode.l10n.t('At most'),
		task.maxDuration === undefined ? undefined : vscode.l10n.t('{0} min', Math.round(task.maxDuration / 6) / 10),
	);
	tooltip.line(vscode.l10n.t('Batch'), task.batchId);
	tooltip.line(vscode.l10n.t('Badge'), task.badge);
	tooltip.line(vscode.l10n.t('Sandbox'), [task.sandboxId, task.sandboxUrl].filter(Boolean).join(' '));
	tooltip.line(vscode.l10n.t('Automatic deployment'), yesOrNo(task.autoDeployEnabled));
	// contract: not shown, the content of these two fields; they are shown as they are.
	tooltip.line(vscode.l10n.t('Deployment settings'), asText(deploymentSettings(task)));
	tooltip.line(vscode.l10n.t('Deployments'), task.deployments?.slice(0, MAXIMUM_LISTED).map(asText).join(', '));
	tooltip.line(
		vscode.l10n.t('Created by'),
		[task.creatorName, task.userId].filter((name, at, all) => name && all.indexOf(name) === at).join(', '),
	);
	tooltip.line(vscode.l10n.t('Creator’s image'), task.creatorImage);
	tooltip.line(vscode.l10n.t('Team'), task.teamId);
	tooltip.line(
		vscode.l10n.t('Source hosting'),
		task.isEmptyGitUser === true ? vscode.l10n.t('not linked to the creator’s account') : undefined,
	);
	if (task.isEmptyGitUser === true && dashboardUrl !== undefined) {
		tooltip.link(openDashboardText(), dashboardUrl);
	}
	tooltip.line(vscode.l10n.t('Created'), localTime(task.createdAt));
	tooltip.line(vscode.l10n.t('Changed'), localTime(task.updatedAt));
	tooltip.line(vscode.l10n.t('Ended'), localTime(task.completedAt));
	tooltip.line(vscode.l10n.t('Id'), task.id);
	return tooltip.text;
}

export function agentTaskTooltip(task: AgentTask): vscode.MarkdownString {
	const tooltip = new Tooltip(oneLine(task.taskId, MAXIMUM_VALUE));
	tooltip.line(vscode.l10n.t('State'), task.status);
	tooltip.line(vscode.l10n.t('Model'), task.model);
	tooltip.line(vscode.l10n.t('Run'), task.runId);
	tooltip.line(vscode.l10n.t('Created'), localTime(task.createdAt));
	tooltip.line(vscode.l10n.t('Started'), localTime(task.startedAt));
	tooltip.line(vscode.l10n.t('Ended'), localTime(task.completedAt));
	return tooltip.text;
}

class Tooltip {
	readonly text = new vscode.MarkdownString();

	constructor(title: string) {
		this.text.appendText(withoutAddresses(title));
	}

	line(label: string, value: string | number | undefined): void {
		if (value !== undefined && value !== '') {
			this.text.appendMarkdown('\n\n');
			this.text.appendText(withoutAddresses(`${label}: ${oneLine(String(value), MAXIMUM_VALUE)}`));
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

/** Finds the one documented field without a fixed name, which begins with the name of a deployment host. */
function deploymentSettings(task: Task): unknown {
	return Object.entries(task).find(([name]) => name.endsWith('DeploymentSettings'))?.[1];
}

function asText(value: unknown): string | undefined {
	return value === undefined || value === null
		? undefined
		: typeof value === 'string'
			? value
			: JSON.stringify(value)?.slice(0, MAXIMUM_VALUE);
}

function yesOrNo(value: boolean | undefined): string | undefined {
	return value === undefined ? undefined : value ? vscode.l10n.t('yes') : vscode.l10n.t('no');
}

function localTime(timestamp: string | undefined): string | undefined {
	const date = new Date(timestamp ?? Number.NaN);
	return Number.isNaN(date.getTime()) ? undefined : date.toLocaleString(vscode.env.language);
}
