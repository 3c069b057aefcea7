import * as vscode from 'vscode';
import { hasInvisible } from '../../base/invisible.ts';
import { escapeIcons } from '../../base/plainText.ts';
import type { TaskConnection } from '../model/taskConnection.ts';
import { type AgentChoice, offeredChoices } from './launchChoices.ts';
import { shortName } from './preflightMessages.ts';

const MAXIMUM_MODEL = 200;

interface Row extends vscode.QuickPickItem {
	/** Undefined for the row that asks for a model's name. */
	choice: AgentChoice | undefined;
}

/**
 * Lets the user choose one or more agents, each with its model. Resolves with undefined when dismissed or when nothing
 * is chosen.
 */
export async function pickAgents(
	connection: TaskConnection,
	current: readonly AgentChoice[],
): Promise<AgentChoice[] | undefined> {
	const isSame = (first: AgentChoice, second: AgentChoice) =>
		first.agent === second.agent &&
		(first.model ?? firstModel(connection, first.agent)) === (second.model ?? firstModel(connection, first.agent));
	const offered = offeredChoices(connection);
	const written = current.filter(choice => choice.isWritten && !offered.some(other => isSame(choice, other)));
	const rows = [...offered, ...written].map(
		(choice): Row => ({
			label: escapeIcons(agentName(connection, choice.agent)),
			description: escapeIcons(shortName(choice.model ?? '')),
			picked: current.some(other => isSame(choice, other)),
			choice,
		}),
	);
	const another: Row = {
		label: `$(edit) ${vscode.l10n.t('Another Model…')}`,
		description: vscode.l10n.t('by its name'),
		choice: undefined,
	};
	// The local service refuses models that it does not list.
	const picked = await vscode.window.showQuickPick(connection.isLocal ? rows : [...rows, another], {
		title: vscode.l10n.t('Start Task: Agents and Models'),
		placeHolder: vscode.l10n.t('Each agent that is chosen works on the prompt on a branch of its own'),
		canPickMany: true,
		matchOnDescription: true,
		ignoreFocusOut: true,
	});
	const choices = (picked ?? []).flatMap(({ choice }) => (choice ? [choice] : []));
	const own = picked?.includes(another) ? await writeModel(connection) : undefined;
	if (own && !choices.some(choice => isSame(choice, own))) {
		choices.push(own);
	}
	return choices.length > 0 ? choices : undefined;
}

/** Asks for an agent with a model that the connection does not list. Resolves with undefined when dismissed. */
async function writeModel(connection: TaskConnection): Promise<AgentChoice | undefined> {
	const { agents } = connection;
	const title = vscode.l10n.t('Start Task: Another Model');
	const items = agents.map(({ id }) => ({ label: escapeIcons(agentName(connection, id)), id }));
	const agent =
		items.length === 1
			? items[0]
			: await vscode.window.showQuickPick(items, {
					title,
					placeHolder: vscode.l10n.t('The agent that uses it'),
					ignoreFocusOut: true,
				});
	const model = agent && (await askModel(title, agentName(connection, agent.id)));
	return agent && model ? { agent: agent.id, model, isWritten: true } : undefined;
}

async function askModel(title: string, agent: string): Promise<string | undefined> {
	const answer = await vscode.window.showInputBox({
		title,
		prompt: vscode.l10n.t('The model’s name as the service knows it, for {0}', agent),
		ignoreFocusOut: true,
		validateInput: text =>
			/^\S+$/.test(text.trim()) && !hasInvisible(text.trim()) && text.length <= MAXIMUM_MODEL
				? undefined
				: vscode.l10n.t('Enter a name without blanks.'),
	});
	return answer?.trim();
}

export function agentName({ agents }: TaskConnection, id: string): string {
	return shortName(agents.find(agent => agent.id === id)?.label ?? id);
}

/** The name of an agent, with its model where one is chosen. */
export function choiceName(connection: TaskConnection, { agent, model }: AgentChoice): string {
	const name = agentName(connection, agent);
	return model === undefined ? name : `${name} (${shortName(model)})`;
}

export function firstModel({ agents }: TaskConnection, id: string): string | undefined {
	return agents.find(agent => agent.id === id)?.models[0];
}
