import * as vscode from 'vscode';
import { escapeIcons } from '../model/plainText.ts';
import type { TaskConnection } from '../register.ts';
import { type AgentChoice, offeredChoices } from './launchChoices.ts';
import { shortName } from './preflightWords.ts';

interface Row extends vscode.QuickPickItem {
	choice: AgentChoice;
}

/** One agent or several, each with its model. Undefined: dismissed. At least one is chosen. */
export async function pickAgents(
	connection: TaskConnection,
	current: readonly AgentChoice[],
): Promise<AgentChoice[] | undefined> {
	const isCurrent = (choice: AgentChoice) =>
		current.some(
			({ agent, model }) =>
				agent === choice.agent &&
				(model ?? firstModel(connection, agent)) === (choice.model ?? firstModel(connection, agent)),
		);
	const rows = offeredChoices(connection).map(
		(choice): Row => ({
			label: escapeIcons(agentName(connection, choice.agent)),
			description: escapeIcons(shortName(choice.model ?? '')),
			picked: isCurrent(choice),
			choice,
		}),
	);
	const picked = await vscode.window.showQuickPick(rows, {
		title: vscode.l10n.t('Start Task: Agents and Models'),
		placeHolder: vscode.l10n.t('Each agent that is chosen works on the prompt on a branch of its own'),
		canPickMany: true,
		matchOnDescription: true,
		ignoreFocusOut: true,
	});
	return picked && picked.length > 0 ? picked.map(({ choice }) => choice) : undefined;
}

export function agentName({ agents }: TaskConnection, id: string): string {
	return shortName(agents.find(agent => agent.id === id)?.label ?? id);
}

/** An agent with its model, where that is chosen. */
export function choiceName(connection: TaskConnection, { agent, model }: AgentChoice): string {
	const name = agentName(connection, agent);
	return model === undefined ? name : `${name} (${shortName(model)})`;
}

export function firstModel({ agents }: TaskConnection, id: string): string | undefined {
	return agents.find(agent => agent.id === id)?.models[0];
}
