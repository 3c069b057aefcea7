import * as vscode from 'vscode';
import { shortName } from '../../base/plainText.ts';
import { sandboxProblem } from '../../contract/agents.ts';
import { executeCommand } from '../../platform/commands.ts';
import { commands } from '../../platform/ids.ts';
import { openSetting } from '../../platform/settings.ts';
import { openDashboard, openDashboardText } from '../common/dashboard.ts';
import type { ChangeChoice, CommitChoice, LaunchDecisions, PreflightFinding } from '../model/findings.ts';
import type { DependenciesAnswer, NeedsAnswers, NeedsFinding } from '../model/taskNeeds.ts';
import { choiceText } from './preflightMessages.ts';

/** An alternative for a finding. Resolving with `leave` ends the launch. */
export interface FindingFix {
	icon: string;
	title: string;
	run(): unknown;
}

/** The effects that answers to a task's needs have on the launch. */
interface NeedsActions {
	/** Records an answer to the task's needs. */
	answer(answers: NeedsAnswers): void;
	chooseAgents(): unknown;
	skipDependencies(): void;
	/** Asks the service again. */
	askAgain(): Promise<void>;
}

/** The effects that fixes have on the launch. */
export interface FixActions extends NeedsActions {
	/** The folder from which the repository can be published; undefined if it is not open in this window. */
	folder: vscode.Uri | undefined;
	dashboardUrl: string | undefined;
	decide(decision: LaunchDecisions): void;
	chooseBranch(): unknown;
	/** Gets the files that a partial clone lacks, and reads its state again. */
	getMissingFiles(remote: string): Promise<void>;
	/** Reads the state of the repository again. */
	gather(): Promise<void>;
}

/** Returns the alternatives for a finding. Resolving with `leave` ends the launch. */
export function findingFixes(finding: PreflightFinding, actions: FixActions): FindingFix[] {
	const switchConnection = {
		icon: 'plug',
		title: vscode.l10n.t('Switch Connection'),
		run: async () => {
			await executeCommand(commands.switchConnection);
			// A launch that was confirmed for one connection is never sent to another.
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
			return [{ icon: 'git-branch', title: vscode.l10n.t('Select Another Branch'), run: () => actions.chooseBranch() }];
		case 'missing-files':
			return [
				{
					icon: 'cloud-download',
					title: vscode.l10n.t('Get Them from {0}', shortName(finding.remote)),
					run: () => actions.getMissingFiles(finding.remote),
				},
				{ icon: 'git-branch', title: vscode.l10n.t('Select Another Branch'), run: () => actions.chooseBranch() },
			];
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
		case 'search':
		case 'needs-unknown':
			return needsFixes(finding, actions);
		default:
			return [];
	}
}

/** Returns the answers to a task's needs, and the other ways to continue. Resolving with `leave` ends the launch. */
function needsFixes(finding: NeedsFinding, actions: NeedsActions): FindingFix[] {
	const setUp: FindingFix = {
		icon: 'robot',
		title: vscode.l10n.t('Set Up Agents…'),
		run: async () => {
			await executeCommand(commands.setUpAgents);
			// There may be other agents now, and the list of agents may have opened another view.
			return 'leave';
		},
	};
	switch (finding.kind) {
		case 'unusable-agents':
			return [
				{ icon: 'arrow-swap', title: vscode.l10n.t('Select Another Agent'), run: () => actions.chooseAgents() },
				setUp,
			];
		case 'sandbox-required':
			return [
				setUp,
				{
					icon: 'settings-gear',
					title: vscode.l10n.t('Open Settings'),
					run: async () => {
						await openSetting('errand.local.sandbox');
						// The preflight list would cover the settings.
						return 'leave';
					},
				},
			];
		case 'unsandboxed':
			return finding.isAllowed
				? [
						{
							icon: 'circle-slash',
							title: vscode.l10n.t('Don’t Allow'),
							run: () => actions.answer({ unsandboxed: undefined }),
						},
					]
				: [
						{
							icon: 'check',
							title: vscode.l10n.t('Allow for This Repository'),
							run: () => actions.answer({ unsandboxed: sandboxProblem(finding.sandbox) }),
						},
						setUp,
					];
		case 'installation':
			return dependenciesFixes(finding, actions);
		case 'search':
			// A consent that the service has is revoked where all of them are listed.
			return finding.isKept
				? [setUp]
				: [
						{
							icon: finding.isAllowed ? 'circle-slash' : 'check',
							title: finding.isAllowed ? vscode.l10n.t('Don’t Allow') : vscode.l10n.t('Allow for This Repository'),
							run: () => actions.answer({ search: !finding.isAllowed }),
						},
					];
		case 'needs-unknown':
			return [{ icon: 'refresh', title: vscode.l10n.t('Ask Again'), run: () => actions.askAgain() }];
		case 'unpriced':
		case 'no-dependencies':
		case 'shown-dependencies':
		case 'unmet-dependencies':
			return [];
	}
}

function dependenciesFixes(
	{ hosts, allowed }: NeedsFinding & { kind: 'installation' },
	actions: NeedsActions,
): FindingFix[] {
	const allow = (answer: NonNullable<DependenciesAnswer>, icon: string, title: string) => ({
		answer,
		icon,
		title,
		run: () => actions.answer({ dependencies: { hosts, allowsScripts: answer === 'with-scripts' } }),
	});
	const answers = [
		allow('without-scripts', 'check', vscode.l10n.t('Allow Without Install Scripts')),
		allow('with-scripts', 'run-all', vscode.l10n.t('Allow with Install Scripts')),
	];
	return [
		...answers.filter(({ answer }) => answer !== allowed),
		{ icon: 'circle-slash', title: vscode.l10n.t('Don’t Install'), run: () => actions.skipDependencies() },
	];
}
