import * as vscode from 'vscode';
import { defined } from '../../base/defined.ts';
import { UserFacingError } from '../../base/errors.ts';
import { escapeIcons, shortName } from '../../base/plainText.ts';
import { DEMO_SLUGS } from '../../contract/localConnection.ts';
import type { TaskCreateRequest } from '../../contract/tasks.ts';
import { choose, input, inputName } from '../../platform/pick.ts';
import { readSetting } from '../../platform/settings.ts';
import type { LaunchDecisions, LaunchPlan } from '../model/findings.ts';
import type { TaskConnection } from '../model/taskConnection.ts';

/** An agent of a launch. The service decides members that are undefined. */
export interface LaunchAgent {
	agent: string | undefined;
	model: string | undefined;
	/** True if the user typed the names, so that the connection need not list them. */
	isWritten?: boolean;
}

/** The choices of a launch besides the prompt, the repository and the branch. */
export interface LaunchChoices extends LaunchDecisions {
	/** Empty if the service decides. */
	agents: readonly LaunchAgent[];
	installDependencies: boolean;
	/** The maximum duration in seconds; 0 if the service decides. */
	maxDuration: number;
	/** The names of MCP servers that the task goes without, although it may have them. */
	leftOut?: readonly string[] | undefined;
}

const CHOICES_KEY = 'errand.tasks.launchChoices';
const MAXIMUM_REPOSITORIES = 100;
const MAXIMUM_MINUTES = 7 * 24 * 60;

type Remembered = Record<string, Partial<LaunchChoices>>;

/**
 * Returns the last choices for a repository on a connection, or the settings if there are none or they no longer apply.
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
		leftOut: last?.leftOut,
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
	// The latest choices come last, and those unused for the longest time are dropped.
	const kept = Object.entries(others).slice(1 - MAXIMUM_REPOSITORIES);
	await state.update(CHOICES_KEY, Object.fromEntries([...kept, [key, { ...choices }]]));
}

/**
 * Returns the agent of the settings, or the connection's first agent. `unknown` is an agent of the settings that the
 * connection does not offer.
 */
export function settingsAgent({ agents }: TaskConnection): { agents: LaunchAgent[]; unknown: string | undefined } {
	const wanted = readSetting('errand.tasks.agent');
	const model = readSetting('errand.tasks.model') || undefined;
	// If the connection lists no agents, the service interprets the name.
	const id = agents.length === 0 ? wanted || undefined : (agents.find(agent => agent.id === wanted) ?? agents[0])?.id;
	const isUnknown = wanted !== '' && agents.length > 0 && id !== wanted;
	const isChosen = id !== undefined || model !== undefined;
	return { agents: isChosen ? [{ agent: id, model }] : [], unknown: isUnknown ? wanted : undefined };
}

/** Every agent with each of its models, in the connection's order. */
export function offeredChoices({ agents }: TaskConnection): LaunchAgent[] {
	return agents.flatMap(({ id, models }): LaunchAgent[] =>
		models.length === 0
			? [{ agent: id, model: readSetting('errand.tasks.model') || undefined }]
			: models.map(model => ({ agent: id, model })),
	);
}

function isOffered({ agents }: TaskConnection, choice: LaunchAgent): boolean {
	if (agents.length === 0) {
		return choice.isWritten === true;
	}
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
	/** Undefined for a row that opens another choice. */
	choice: LaunchAgent | undefined;
}

/**
 * Lets the user choose one or more agents, each with its model. Resolves with `add-server` if a model server is to be
 * added first, and with undefined when dismissed or when nothing is chosen.
 */
export async function pickAgents(
	connection: TaskConnection,
	current: readonly LaunchAgent[],
): Promise<LaunchAgent[] | 'add-server' | undefined> {
	if (connection.agents.length === 0) {
		return writeAgent(current[0]);
	}
	const isSame = (first: LaunchAgent, second: LaunchAgent) =>
		first.agent === second.agent && modelOf(connection, first) === modelOf(connection, second);
	const offered = offeredChoices(connection);
	const written = current.filter(choice => choice.isWritten && !offered.some(other => isSame(choice, other)));
	const rows = [...offered, ...written].map(
		(choice): Row => ({
			label: escapeIcons(agentName(connection, choice.agent ?? '')),
			description: escapeIcons(shortName(choice.model ?? '')),
			picked: current.some(other => isSame(choice, other)),
			choice,
		}),
	);
	const another: Row = {
		label: `$(edit) ${vscode.l10n.t('Another Model…')}`,
		description: vscode.l10n.t('enter its name'),
		choice: undefined,
	};
	const addServer: Row = {
		label: `$(add) ${vscode.l10n.t('Add Service…')}`,
		description: vscode.l10n.t('the agents here are only demonstrations'),
		choice: undefined,
	};
	const hasOnlyDemo = connection.isLocal && connection.agents.every(({ id }) => DEMO_SLUGS.has(id));
	// The local service refuses models that it does not list.
	const all = connection.isLocal ? [...(hasOnlyDemo ? [addServer] : []), ...rows] : [...rows, another];
	const picked = await vscode.window.showQuickPick(all, {
		title: vscode.l10n.t('Start Task: Agents and Models'),
		placeHolder: vscode.l10n.t('Select agents. Each one works on the prompt on its own branch'),
		canPickMany: true,
		matchOnDescription: true,
		ignoreFocusOut: true,
	});
	if (picked?.includes(addServer)) {
		return 'add-server';
	}
	const choices = (picked ?? []).flatMap(({ choice }) => (choice ? [choice] : []));
	const own = picked?.includes(another) ? await writeModel(connection) : undefined;
	if (own && !choices.some(choice => isSame(choice, own))) {
		choices.push(own);
	}
	return choices.length > 0 ? choices : undefined;
}

/**
 * Asks for an agent and its model if the connection lists none, so that only the service knows the names. Resolves with
 * undefined when dismissed, and with an empty list if both are left to the service.
 */
async function writeAgent(current: LaunchAgent | undefined): Promise<LaunchAgent[] | undefined> {
	const agent = await inputName(
		vscode.l10n.t('Start Task: Agent'),
		vscode.l10n.t('The agent’s name on the service. Leave empty to let the service decide.'),
		{ value: current?.agent, mayBeEmpty: true },
	);
	if (agent === undefined) {
		return undefined;
	}
	const model = await inputName(
		vscode.l10n.t('Start Task: Model'),
		vscode.l10n.t('The model’s name on the service. Leave empty to let the service decide.'),
		{ value: current?.model, mayBeEmpty: true },
	);
	if (model === undefined) {
		return undefined;
	}
	return agent === '' && model === ''
		? []
		: [{ agent: agent || undefined, model: model || undefined, isWritten: true }];
}

/** Asks for an agent with a model that the connection does not list. Resolves with undefined when dismissed. */
async function writeModel(connection: TaskConnection): Promise<LaunchAgent | undefined> {
	const { agents } = connection;
	const title = vscode.l10n.t('Start Task: Another Model');
	const rows = agents.map(({ id }) => ({ label: escapeIcons(agentName(connection, id)), value: id }));
	const placeHolder = vscode.l10n.t('Select the agent that uses it');
	const agent = rows.length === 1 ? rows[0]?.value : await choose(title, rows, { placeHolder, ignoreFocusOut: true });
	if (agent === undefined) {
		return undefined;
	}
	const prompt = vscode.l10n.t('The model’s name on the service, for {0}', agentName(connection, agent));
	const model = await inputName(title, prompt);
	return model === undefined ? undefined : { agent, model, isWritten: true };
}

export function agentName({ agents }: TaskConnection, id: string): string {
	return shortName(agents.find(agent => agent.id === id)?.label ?? id);
}

/** The name of an agent, with its model if one is chosen. */
export function choiceName(connection: TaskConnection, { agent, model }: LaunchAgent): string {
	if (agent === undefined) {
		return model === undefined ? '' : vscode.l10n.t('with {0}', shortName(model));
	}
	const name = agentName(connection, agent);
	return model === undefined ? name : `${name} (${shortName(model)})`;
}

/** Returns the model with which an agent works, as far as the connection says it. */
export function modelOf({ agents }: TaskConnection, { agent, model }: LaunchAgent): string | undefined {
	return model ?? agents.find(({ id }) => id === agent)?.models[0];
}

/** Asks for the duration in seconds; 0 leaves it to the service. Dismissing keeps the current value. */
export async function askDuration(seconds: number): Promise<number> {
	const answer = await input(
		vscode.l10n.t('Start Task: Time'),
		vscode.l10n.t('The maximum duration in minutes. Leave empty to let the service decide.'),
		seconds > 0 ? String(Math.ceil(seconds / 60)) : '',
		text =>
			text.trim() === '' || (/^\d+$/.test(text.trim()) && Number(text) >= 1 && Number(text) <= MAXIMUM_MINUTES)
				? undefined
				: vscode.l10n.t('Enter a whole number of minutes from 1 to {0}.', MAXIMUM_MINUTES),
	);
	return answer === undefined ? seconds : Number(answer.trim()) * 60;
}

/**
 * Builds the request, without `selectedBranch` if that is a scratch branch that does not exist yet. Throws a
 * UserFacingError if an agent's model cannot be named.
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
		// Always included: the service's default is not known, and the preflight has shown this value.
		installDependencies,
		...defined({
			selectedBranch: branch,
			maxDuration: maxDuration > 0 ? maxDuration : undefined,
		}),
		...(agents.length > 1
			? {
					selectedAgents: agents.flatMap(({ agent, model }) =>
						agent ? [{ agent, model: namedModelOf(connection, agent, model) }] : [],
					),
				}
			: defined({ selectedAgent: first?.agent, selectedModel: first?.model })),
	};
}

/** Several agents are named with their models (contract: unspecified.md, "several agents on one prompt"). */
function namedModelOf(connection: TaskConnection, agent: string, model: string | undefined): string {
	const chosen = modelOf(connection, { agent, model });
	if (chosen === undefined) {
		throw new UserFacingError(
			vscode.l10n.t(
				'Each agent needs a model, but {0} lists none. Select one agent, or set “errand.tasks.model”.',
				agentName(connection, agent),
			),
		);
	}
	return chosen;
}
