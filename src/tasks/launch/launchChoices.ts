import * as vscode from 'vscode';
import { defined } from '../../base/defined.ts';
import { UserFacingError } from '../../base/errors.ts';
import { hasInvisible } from '../../base/invisible.ts';
import { escapeIcons } from '../../base/plainText.ts';
import type { TaskCreateRequest } from '../../contract/tasks.ts';
import { readSetting } from '../../platform/settings.ts';
import type { LaunchDecisions, LaunchPlan } from '../model/findings.ts';
import type { TaskConnection } from '../model/taskConnection.ts';
import { shortName } from './preflightMessages.ts';

/** An agent of a launch. `model` is undefined where the service decides. */
export interface AgentChoice {
	agent: string;
	model: string | undefined;
	/** The user typed the model's name, so the connection need not list it. */
	isWritten?: boolean;
}

/** The choices that a launch is sent with, besides the prompt, the repository and the branch. */
export interface LaunchChoices extends LaunchDecisions {
	/** Empty where the service decides. */
	agents: readonly AgentChoice[];
	installDependencies: boolean;
	/** The longest duration in seconds; 0 where the service decides. */
	maxDuration: number;
}

const CHOICES_KEY = 'errand.tasks.launchChoices';
const MAXIMUM_REPOSITORIES = 100;
const MAXIMUM_MODEL = 200;
const MAXIMUM_MINUTES = 7 * 24 * 60;

type Remembered = Record<string, Partial<LaunchChoices>>;

/**
 * Returns the last choices for a repository on a connection, or the settings where there are none or they no longer
 * apply.
 */
export function readChoices(state: vscode.Memento, connection: TaskConnection, repository: string): LaunchChoices {
	const last = state.get<Remembered>(CHOICES_KEY)?.[keyOf(connection, repository)];
	const remembered = (Array.isArray(last?.agents) ? last.agents : []).filter(choice => isOffered(connection, choice));
	return {
		agents: remembered.length > 0 ? remembered : settingsAgent(connection).agents,
		installDependencies: last?.installDependencies ?? readSetting('errand.tasks.installDependencies'),
		maxDuration: last?.maxDuration ?? Math.max(0, readSetting('errand.tasks.maxDuration') || 0),
		commits: last?.commits,
		changes: last?.changes,
	};
}

export async function rememberChoices(
	state: vscode.Memento,
	connection: TaskConnection,
	repository: string,
	choices: LaunchChoices,
): Promise<void> {
	const key = keyOf(connection, repository);
	const { [key]: _, ...others } = state.get<Remembered>(CHOICES_KEY) ?? {};
	// The latest choices come last, and the ones that were not used for the longest time are dropped.
	const kept = Object.entries(others).slice(1 - MAXIMUM_REPOSITORIES);
	await state.update(CHOICES_KEY, Object.fromEntries([...kept, [key, { ...choices }]]));
}

/**
 * Returns the agent of the settings, or the connection's first agent. `unknown` is an agent of the settings that the
 * connection does not offer.
 */
export function settingsAgent({ agents }: TaskConnection): { agents: AgentChoice[]; unknown: string | undefined } {
	const wanted = readSetting('errand.tasks.agent');
	const model = readSetting('errand.tasks.model') || undefined;
	// Where the connection lists no agents, the service interprets the name.
	const id = agents.length === 0 ? wanted : (agents.find(agent => agent.id === wanted) ?? agents[0])?.id;
	const isUnknown = wanted !== '' && agents.length > 0 && id !== wanted;
	return { agents: id ? [{ agent: id, model }] : [], unknown: isUnknown ? wanted : undefined };
}

/** Every agent with each of its models, in the connection's order. */
export function offeredChoices({ agents }: TaskConnection): AgentChoice[] {
	return agents.flatMap(({ id, models }): AgentChoice[] =>
		models.length === 0
			? [{ agent: id, model: readSetting('errand.tasks.model') || undefined }]
			: models.map(model => ({ agent: id, model })),
	);
}

function isOffered({ agents }: TaskConnection, choice: AgentChoice): boolean {
	const agent = agents.find(({ id }) => id === choice.agent);
	return (
		agent !== undefined &&
		(choice.model === undefined ||
			choice.isWritten === true ||
			agent.models.length === 0 ||
			agent.models.includes(choice.model))
	);
}

const keyOf = (connection: TaskConnection, repository: string) => `${connection.name}\0${repository}`;

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

/** Asks for the duration in seconds; 0 leaves it to the service. Dismissing keeps the current value. */
export async function askDuration(seconds: number): Promise<number> {
	const answer = await vscode.window.showInputBox({
		title: vscode.l10n.t('Start Task: Time'),
		prompt: vscode.l10n.t('Minutes that the task may take. Empty: as the service decides.'),
		value: seconds > 0 ? String(Math.ceil(seconds / 60)) : '',
		ignoreFocusOut: true,
		validateInput: text =>
			text.trim() === '' || (/^\d+$/.test(text.trim()) && Number(text) >= 1 && Number(text) <= MAXIMUM_MINUTES)
				? undefined
				: vscode.l10n.t('Enter whole minutes, from 1 to {0}.', MAXIMUM_MINUTES),
	});
	return answer === undefined ? seconds : Number(answer.trim()) * 60;
}

/**
 * Builds the request, without `selectedBranch` where that is a scratch branch that does not exist yet. Throws a
 * UserFacingError where an agent's model cannot be named.
 */
export function toRequest(
	connection: TaskConnection,
	prompt: string,
	{ repoUrl, branch }: Pick<LaunchPlan, 'repoUrl' | 'branch'>,
	{ agents, installDependencies, maxDuration }: LaunchChoices,
): TaskCreateRequest {
	const [first] = agents;
	return {
		prompt,
		repoUrl,
		...defined({
			selectedBranch: branch,
			installDependencies: installDependencies || undefined,
			maxDuration: maxDuration > 0 ? maxDuration : undefined,
		}),
		...(agents.length > 1
			? { selectedAgents: agents.map(choice => ({ agent: choice.agent, model: modelOf(connection, choice) })) }
			: defined({ selectedAgent: first?.agent, selectedModel: first?.model })),
	};
}

/** Several agents are named with their models (contract: unspecified.md, "several agents on one prompt"). */
function modelOf(connection: TaskConnection, { agent, model }: AgentChoice): string {
	const chosen = model ?? firstModel(connection, agent);
	if (chosen === undefined) {
		throw new UserFacingError(
			vscode.l10n.t(
				'Several agents need a model each, and {0} names none. Choose one agent, or set “errand.tasks.model”.',
				agentName(connection, agent),
			),
		);
	}
	return chosen;
}
