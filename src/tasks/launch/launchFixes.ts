import * as vscode from 'vscode';
import { executeCommand } from '../../platform/commands.ts';
import { commands } from '../../platform/ids.ts';
import { openDashboard, openDashboardText } from '../common/dashboard.ts';
import type { ChangeChoice, CommitChoice, Finding, LaunchDecisions } from '../model/findings.ts';
import { choiceText } from './preflightMessages.ts';
import type { FindingFix } from './preflightRows.ts';

/** The effects that fixes have on the launch. */
export interface FixActions {
	/** The folder that the repository can be published from; undefined where it is not open in this window. */
	folder: vscode.Uri | undefined;
	dashboardUrl: string | undefined;
	decide(decision: LaunchDecisions): void;
	chooseBranch(): unknown;
	/** Reads the state of the repository again. */
	gather(): Promise<void>;
	/** Asks the service again. */
	askAgain(): Promise<void>;
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
						await vscode.commands.executeCommand('workbench.action.openSettings', '@id:errand.tasks.agent');
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
		default:
			return [];
	}
}
