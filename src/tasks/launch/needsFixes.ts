import * as vscode from 'vscode';
import { sandboxProblem } from '../../contract/agents.ts';
import { executeCommand } from '../../platform/commands.ts';
import { commands } from '../../platform/ids.ts';
import { openSetting } from '../../platform/settings.ts';
import type { DependenciesAnswer, NeedsAnswers, NeedsFinding } from '../model/taskNeeds.ts';
import type { FindingFix } from './findingText.ts';

/** The effects that answers to a task's needs have on the launch. */
export interface NeedsActions {
	/** Notes an answer to what the task needs. */
	answer(answers: NeedsAnswers): void;
	chooseAgents(): unknown;
	skipDependencies(): void;
	/** Asks the service again. */
	askAgain(): Promise<void>;
}

/** Returns the answers and other ways on for what a task needs. Resolving with `leave` ends the launch. */
export function needsFixes(finding: NeedsFinding, actions: NeedsActions): FindingFix[] {
	const setUp: FindingFix = {
		icon: 'robot',
		title: vscode.l10n.t('Set Up Agents…'),
		run: async () => {
			await executeCommand(commands.setUpAgents);
			// Other agents may be there now, and the list of agents may have led elsewhere.
			return 'leave';
		},
	};
	switch (finding.kind) {
		case 'unusable-agents':
			return [
				{ icon: 'arrow-swap', title: vscode.l10n.t('Choose Another Agent'), run: () => actions.chooseAgents() },
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
							title: vscode.l10n.t('Do Not Allow'),
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
		case 'needs-unknown':
			return [{ icon: 'refresh', title: vscode.l10n.t('Ask Again'), run: () => actions.askAgain() }];
		case 'unpriced':
		case 'no-dependencies':
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
		{ icon: 'circle-slash', title: vscode.l10n.t('Do Not Install'), run: () => actions.skipDependencies() },
	];
}
