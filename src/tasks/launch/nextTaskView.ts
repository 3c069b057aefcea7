import * as vscode from 'vscode';
import { shortName } from '../../base/plainText.ts';
import type { SandboxStatus } from '../../contract/agents.ts';
import { dollars } from '../../platform/amounts.ts';
import type { NextTaskView } from '../api.ts';
import type { LaunchCheck } from './launchCheck.ts';
import { agentName, type LaunchAgent, modelOf } from './launchChoices.ts';
import type { NoRepositoryReason } from './openRepositories.ts';
import { sandboxText } from './preflightMessages.ts';

/** The problem that hinders every task, with the action of its button. */
export interface NextTaskProblem {
	message: string;
	action: string;
	solve(): unknown;
}

/** The agents that work on the task, each with its model. */
export function agentChoices({ connection, choices }: LaunchCheck): NextTaskView['choices'] {
	const names = (of: (agent: LaunchAgent) => string | undefined) =>
		[...new Set(choices.agents.flatMap(agent => of(agent) ?? []))].join(', ') ||
		vscode.l10n.t('as the service decides');
	return [
		{ choice: 'agent', name: names(({ agent }) => agent && agentName(connection, agent)) },
		{
			choice: 'model',
			name: names(choice => {
				const model = modelOf(connection, choice);
				return model && shortName(model);
			}),
		},
	];
}

/** The limits of a task with this many agents. `sandbox` is undefined if it is not known. */
export function limitChoices(
	agents: number,
	maximum: number,
	sandbox: SandboxStatus | undefined,
): NextTaskView['choices'] {
	const cost = {
		choice: 'cost' as const,
		name: costText(agents, maximum),
		hint: vscode.l10n.t('The maximum that each agent of a task can spend on models.'),
	};
	if (!sandbox) {
		return [cost];
	}
	const [name, hint] = sandbox.works
		? [vscode.l10n.t('Sandbox'), vscode.l10n.t('Agents run in a sandbox on this machine.')]
		: [vscode.l10n.t('No sandbox'), sandboxText(sandbox)];
	return [cost, { choice: 'sandbox', name, hint }];
}

function costText(agents: number, maximum: number): string {
	if (maximum <= 0) {
		return vscode.l10n.t('No cost limit');
	}
	const amount = dollars(maximum);
	return agents > 1 ? vscode.l10n.t('Up to {0} per agent', amount) : vscode.l10n.t('Up to {0}', amount);
}

/** Returns the action for the user if no repository can be used. */
export function solutionOf(reason: NoRepositoryReason): Omit<NextTaskProblem, 'message'> {
	const solutions: Record<NoRepositoryReason, [action: string, command: string]> = {
		'no-folder': [vscode.l10n.t('Open Folder'), 'vscode.openFolder'],
		virtual: [vscode.l10n.t('Open Folder'), 'vscode.openFolder'],
		untrusted: [vscode.l10n.t('Manage Workspace Trust'), 'workbench.trust.manage'],
		'not-opened': [vscode.l10n.t('Show Source Control'), 'workbench.view.scm'],
		'no-git': [vscode.l10n.t('Initialize Repository'), 'git.init'],
	};
	const [action, command] = solutions[reason];
	return { action, solve: () => vscode.commands.executeCommand(command) };
}
