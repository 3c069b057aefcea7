import * as vscode from 'vscode';
import type { GitRepository } from '../../platform/git.ts';
import { escapeIcons, oneLine } from '../model/plainText.ts';
import type { LaunchTarget } from './model/launchTarget.ts';
import { SHORT_COMMIT } from './pickBranch.ts';

const MAXIMUM_NAME = 120;

export interface LaunchAgent {
	id: string;
	label?: string | undefined;
}

export interface LaunchSummary {
	connectionLabel: string;
	repository: GitRepository;
	target: LaunchTarget & { ok: true };
	/** Commits of the chosen branch that the place of the clone lacks; undefined where that is not known. */
	missingCommits: number | undefined;
	agents: readonly LaunchAgent[];
	agent: LaunchAgent | undefined;
	/** An agent of the settings that the connection does not offer. */
	unknownAgent: string | undefined;
	/** Empty where the service decides. */
	model: string;
	/** Seconds; 0 where the service decides. */
	maxDuration: number;
}

interface Row extends vscode.QuickPickItem {
	action: 'start' | 'agent' | 'none';
}

/** Says what will be sent and what the task will not see. Resolves with the agent once confirmed; undefined: dismissed. */
export async function confirmLaunch(summary: LaunchSummary): Promise<{ agent: LaunchAgent | undefined } | undefined> {
	for (let agent = summary.agent; ; ) {
		const row = await pickRow(rows({ ...summary, agent }));
		if (row?.action === 'start') {
			return { agent };
		}
		if (row?.action !== 'agent') {
			return undefined;
		}
		agent = (await pickAgent(summary.agents)) ?? agent;
	}
}

function rows(summary: LaunchSummary): Row[] {
	const { target, agent, agents } = summary;
	const result: Row[] = warnings(summary).map(([label, detail]) => ({
		label: `$(warning) ${escapeIcons(label)}`,
		detail: escapeIcons(detail),
		action: 'none',
	}));
	if (agents.length > 1) {
		result.push({
			label: `$(robot) ${vscode.l10n.t('Agent')}`,
			description: escapeIcons(vscode.l10n.t('{0}. Choose another…', nameOf(agent))),
			action: 'agent',
		});
	}
	const branch = oneLine(target.branch, MAXIMUM_NAME);
	const sent = [
		`${branch} @ ${target.commit.slice(0, SHORT_COMMIT)}`,
		...(agent ? [nameOf(agent)] : []),
		...(summary.model ? [oneLine(summary.model, MAXIMUM_NAME)] : []),
		...(summary.maxDuration > 0 ? [durationText(summary.maxDuration)] : []),
	];
	result.push({
		label: `$(play) ${vscode.l10n.t('Start Task')}`,
		description: escapeIcons(sent.join(', ')),
		detail: escapeIcons(destination(summary)),
		action: 'start',
	});
	return result;
}

/** What the task will not see, and what will be used instead of what was asked for. */
function warnings({ repository, target, missingCommits, unknownAgent, connectionLabel, agent }: LaunchSummary) {
	const found: [label: string, detail: string][] = [];
	const { mergeChanges, indexChanges, workingTreeChanges, untrackedChanges } = repository.state;
	const changed =
		mergeChanges.length + indexChanges.length + workingTreeChanges.length + (untrackedChanges?.length ?? 0);
	if (changed > 0) {
		found.push([
			changed === 1
				? vscode.l10n.t('1 uncommitted change is not included')
				: vscode.l10n.t('{0} uncommitted changes are not included', changed),
			vscode.l10n.t('The task starts from the last commit. Commit first if it needs them.'),
		]);
	}
	if (target.differs) {
		const place = oneLine(target.repoUrl, MAXIMUM_NAME);
		found.push(
			missingCommits === undefined || missingCommits === 0
				? [
						vscode.l10n.t('The branch is at another commit there than here'),
						vscode.l10n.t('The task starts from what {0} has.', place),
					]
				: [
						missingCommits === 1
							? vscode.l10n.t('1 unpushed commit is not included')
							: vscode.l10n.t('{0} unpushed commits are not included', missingCommits),
						vscode.l10n.t('The task starts from what {0} has. Push first if it needs them.', place),
					],
		);
	}
	if (unknownAgent !== undefined) {
		found.push([
			vscode.l10n.t(
				'{0} has no agent “{1}”, {2} is used',
				connectionLabel,
				oneLine(unknownAgent, MAXIMUM_NAME),
				nameOf(agent),
			),
			vscode.l10n.t('The setting “errand.tasks.agent” names it.'),
		]);
	}
	return found;
}

function destination({ target, connectionLabel }: LaunchSummary): string {
	const place = oneLine(target.repoUrl, MAXIMUM_NAME);
	switch (target.place) {
		case 'remote':
			return vscode.l10n.t('{0} clones {1}', connectionLabel, place);
		case 'origin-directory':
			return vscode.l10n.t('The result is a new branch in origin: {0}', place);
		case 'working-repository':
			return vscode.l10n.t('The result is a new branch in this repository: {0}', place);
	}
}

function durationText(seconds: number): string {
	return seconds % 60 === 0 ? vscode.l10n.t('{0} min at most', seconds / 60) : vscode.l10n.t('{0} s at most', seconds);
}

function nameOf(agent: LaunchAgent | undefined): string {
	return oneLine(agent?.label ?? agent?.id ?? '', MAXIMUM_NAME);
}

/** The row at the end is the one that Enter takes; a warning that is chosen changes nothing and stays. */
function pickRow(items: Row[]): Promise<Row | undefined> {
	const picker = vscode.window.createQuickPick<Row>();
	picker.title = vscode.l10n.t('Start Task: What will be sent');
	picker.placeholder = vscode.l10n.t('Enter starts the task');
	picker.ignoreFocusOut = true;
	picker.items = items;
	picker.activeItems = items.slice(-1);
	return new Promise(resolve => {
		picker.onDidAccept(() => {
			const [row] = picker.activeItems;
			if (row && row.action !== 'none') {
				resolve(row);
				picker.dispose();
			}
		});
		picker.onDidHide(() => {
			resolve(undefined);
			picker.dispose();
		});
		picker.show();
	});
}

async function pickAgent(agents: readonly LaunchAgent[]): Promise<LaunchAgent | undefined> {
	const picked = await vscode.window.showQuickPick(
		agents.map(agent => ({
			label: escapeIcons(nameOf(agent)),
			description: agent.label === undefined ? '' : escapeIcons(oneLine(agent.id, MAXIMUM_NAME)),
			agent,
		})),
		{ title: vscode.l10n.t('Start Task: Agent'), ignoreFocusOut: true },
	);
	return picked?.agent;
}
