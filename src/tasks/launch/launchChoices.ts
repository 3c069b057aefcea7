import type * as vscode from 'vscode';
import { readSetting } from '../../platform/settings.ts';
import type { LaunchDecisions } from '../model/findings.ts';
import type { TaskConnection } from '../model/taskConnection.ts';

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
