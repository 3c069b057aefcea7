import * as vscode from 'vscode';
import { defined } from '../../base/defined.ts';
import { escapeIcons, oneLine } from '../../base/plainText.ts';
import type { LaunchFinding } from '../../contract/editorPipe.ts';
import { timeLimitText } from '../../platform/amounts.ts';
import { executeCommand } from '../../platform/commands.ts';
import { commands } from '../../platform/ids.ts';
import { openSetting } from '../../platform/settings.ts';
import { openDashboard, openDashboardText } from '../common/dashboard.ts';
import {
	type ChangeChoice,
	type CommitChoice,
	type Finding,
	isBlocker,
	type LaunchDecisions,
	type LaunchFacts,
	type LaunchPlan,
} from '../model/findings.ts';
import type { TaskConnection } from '../model/taskConnection.ts';
import { type FindingFix, shortName } from './findingText.ts';
import { agentName, choiceName, type LaunchChoices } from './launchChoices.ts';
import { type NeedsActions, needsFixes } from './needsFixes.ts';
import { choiceText, destinationText, findingText, type PreflightNames, sentText } from './preflightMessages.ts';

const MAXIMUM_PROMPT = 120;

/** A row of the preflight. `id` identifies it when the rows are redrawn. */
export interface PreflightRow extends vscode.QuickPickItem {
	id: string;
}

/** Everything that the rows show. */
export interface PreflightView {
	prompt: string;
	connection: TaskConnection;
	choices: LaunchChoices;
	/** The repository's name. */
	repository: string;
	hasOtherRepositories: boolean;
	/** The name of the local branch. */
	branch: string;
	/** Undefined until the facts are known. */
	facts: LaunchFacts | undefined;
	/** Undefined where something prevents the task. */
	plan: LaunchPlan | undefined;
	findings: readonly Finding[];
	fixesOf(finding: Finding): readonly FindingFix[];
}

/** The findings, then the choices, and at the end what will be sent. */
export function preflightRows(view: PreflightView): PreflightRow[] {
	const { connection, choices, findings } = view;
	const { agents, installDependencies, maxDuration } = choices;
	return [
		...findings.map(finding => findingRow(view, finding)),
		{ id: 'separator', label: vscode.l10n.t('Task'), kind: vscode.QuickPickItemKind.Separator },
		choiceRow('prompt', 'edit', vscode.l10n.t('Prompt'), oneLine(view.prompt, MAXIMUM_PROMPT)),
		...(view.hasOtherRepositories
			? [choiceRow('repository', 'repo', vscode.l10n.t('Repository'), view.repository)]
			: []),
		choiceRow('branch', 'git-branch', vscode.l10n.t('Branch'), shortName(view.branch)),
		choiceRow(
			'agents',
			'robot',
			agents.length > 1 ? vscode.l10n.t('Agents') : vscode.l10n.t('Agent'),
			agents.map(choice => choiceName(connection, choice)).join(', ') || vscode.l10n.t('as the service decides'),
		),
		choiceRow(
			'dependencies',
			'package',
			vscode.l10n.t('Dependencies'),
			installDependencies ? vscode.l10n.t('installed first') : vscode.l10n.t('not installed'),
		),
		choiceRow(
			'duration',
			'clock',
			vscode.l10n.t('Time'),
			maxDuration > 0 ? timeLimitText(maxDuration) : vscode.l10n.t('as the service decides'),
		),
		startRow(view),
	];
}

function choiceRow(id: string, icon: string, label: string, description: string): PreflightRow {
	return { id, label: `$(${icon}) ${label}`, description: escapeIcons(description) };
}

function findingRow(view: PreflightView, finding: Finding): PreflightRow {
	const { icon, label, description, detail } = findingText(finding, namesOf(view));
	const [fix, ...others] = view.fixesOf(finding);
	const tooltip = others.length === 0 ? fix?.title : vscode.l10n.t('Show What Else Can Be Done');
	return {
		id: finding.kind,
		label: `$(${icon}) ${escapeIcons(label)}`,
		...defined({
			description: description === undefined ? undefined : escapeIcons(description),
			detail: detail === '' ? undefined : escapeIcons(detail),
			buttons: fix && [{ iconPath: new vscode.ThemeIcon(fix.icon), tooltip }],
		}),
	};
}

function startRow(view: PreflightView): PreflightRow {
	const sent = sentTexts(view);
	if (!sent) {
		const blocker = view.findings.find(isBlocker);
		return {
			id: 'start',
			label: `$(circle-slash) ${vscode.l10n.t('The task cannot be started yet')}`,
			description: blocker ? escapeIcons(findingText(blocker, namesOf(view)).label) : '',
		};
	}
	return {
		id: 'start',
		label: `$(play) ${vscode.l10n.t('Start Task')}`,
		description: escapeIcons(sent.what),
		detail: escapeIcons(sent.where),
	};
}

/** Returns what will be sent, and what becomes of it, in a line each; undefined while something prevents the task. */
export function sentTexts(view: PreflightView): { what: string; where: string } | undefined {
	const { facts, plan, connection, choices } = view;
	if (!facts || !plan) {
		return undefined;
	}
	const parts = {
		branch: view.branch,
		agents: choices.agents.map(choice => choiceName(connection, choice)),
		installs: choices.installDependencies,
		isUnsandboxed: view.findings.some(({ kind }) => kind === 'unsandboxed'),
		maxDuration: choices.maxDuration,
	};
	return { what: sentText(plan, facts, parts), where: destinationText(facts, connection.label) };
}

/** Returns the findings as sentences, for programs. */
export function launchFindings(view: PreflightView): LaunchFinding[] {
	return view.findings.map(finding => {
		const { label, description, detail } = findingText(finding, namesOf(view));
		return {
			text: description === undefined ? label : `${label}: ${description}`,
			isBlocking: isBlocker(finding),
			...defined({ detail: detail === '' ? undefined : detail }),
		};
	});
}

/** Returns what is so, as the row of the finding says it. */
export function findingLabel(view: PreflightView, finding: Finding): string {
	return findingText(finding, namesOf(view)).label;
}

function namesOf({ connection, choices, repository, branch }: PreflightView): PreflightNames {
	const [first] = choices.agents;
	return {
		connection: connection.label,
		repository,
		branch,
		agent: first?.agent === undefined ? '' : agentName(connection, first.agent),
	};
}

/** The effects that fixes have on the launch. */
export interface FixActions extends NeedsActions {
	/** The folder that the repository can be published from; undefined where it is not open in this window. */
	folder: vscode.Uri | undefined;
	dashboardUrl: string | undefined;
	decide(decision: LaunchDecisions): void;
	chooseBranch(): unknown;
	/** Reads the state of the repository again. */
	gather(): Promise<void>;
}

/** Returns the alternatives for a finding. Resolving with `leave` ends the launch. */
export function findingFixes(finding: Finding, actions: FixActions): FindingFix[] {
	const switchConnection = {
		icon: 'plug',
		title: vscode.l10n.t('Switch Connection'),
		run: async () => {
			await executeCommand(commands.switchConnection);
			// What was asked and confirmed for one connection is never sent to another.
			return 'leave';
		},
	};
	const { folder, dashboardUrl } = actions;
	const dashboardFixes =
		dashboardUrl === undefined
			? []
			: [
					{
						icon: 'link-external',
						title: openDashboardText(),
						run: () => openDashboard(dashboardUrl),
					},
				];
	switch (finding.kind) {
		case 'no-remote':
			return [
				{
					icon: 'cloud-upload',
					title: vscode.l10n.t('Publish Branch'),
					run: async () => {
						await vscode.commands.executeCommand('git.publish', folder);
						await actions.gather();
					},
				},
				switchConnection,
			];
		case 'unusable-remote':
			return [switchConnection];
		case 'only-on-remote':
		case 'unsafe-name':
			return [{ icon: 'git-branch', title: vscode.l10n.t('Choose Another Branch'), run: () => actions.chooseBranch() }];
		case 'not-on-remote':
		case 'unpushed':
			return finding.choices
				.filter(choice => choice !== finding.chosen)
				.map((choice: CommitChoice) => ({
					icon: 'arrow-swap',
					title: choiceText(choice, finding.kind),
					run: () => actions.decide({ commits: choice }),
				}));
		case 'changes':
			return finding.choices
				.filter(choice => choice !== finding.chosen)
				.map((choice: ChangeChoice) => ({
					icon: 'arrow-swap',
					title: choiceText(choice, finding.kind),
					run: () => actions.decide({ changes: choice }),
				}));
		case 'unknown-agent':
			return [
				{
					icon: 'settings-gear',
					title: vscode.l10n.t('Open Settings'),
					run: async () => {
						await openSetting('errand.tasks.agent');
						// The preflight list would cover the settings.
						return 'leave';
					},
				},
			];
		case 'empty-git-user':
			return dashboardFixes;
		case 'service':
			return finding.look.kind === 'known' || finding.look.kind === 'asking'
				? []
				: [{ icon: 'refresh', title: vscode.l10n.t('Ask Again'), run: () => actions.askAgain() }, ...dashboardFixes];
		case 'unusable-agents':
		case 'sandbox-required':
		case 'unsandboxed':
		case 'installation':
		case 'needs-unknown':
			return needsFixes(finding, actions);
		default:
			return [];
	}
}
