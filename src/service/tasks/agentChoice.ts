import { RequestRefused } from '../replies.ts';
import type { AgentChoice, TaskRecord } from '../store/taskRecord.ts';

const MAXIMUM_AGENTS = 8;

/** An agent, as far as the choice depends on it. The first of its models is the default. */
interface Choosable {
	readonly id: string;
	readonly models: readonly [string, ...string[]];
}

/** An available agent that a request names, with one of its models. */
export interface ChosenAgent<A extends Choosable> {
	agent: A;
	choice: AgentChoice;
}

interface AgentsRequest {
	selectedAgent?: string | undefined;
	selectedModel?: string | undefined;
	selectedAgents?: readonly AgentChoice[] | undefined;
}

/** Chooses the agents of a new task; the first one is the default. Throws a RequestRefused 400 that names the field. */
export function chooseAgents<A extends Choosable>(
	agents: readonly A[],
	{ selectedAgent, selectedModel, selectedAgents }: AgentsRequest,
): [ChosenAgent<A>, ...ChosenAgent<A>[]] {
	if (selectedAgents === undefined) {
		return [chooseAgent(agents, selectedAgent, selectedModel)];
	}
	if (selectedAgents.length > MAXIMUM_AGENTS) {
		throw new RequestRefused(400, `selectedAgents: at most ${MAXIMUM_AGENTS} agents work on one prompt.`);
	}
	const [first, ...others] = selectedAgents.map((choice, index) =>
		chooseAgent(agents, choice.agent, choice.model, `selectedAgents[${index}].`),
	);
	if (first === undefined) {
		throw new RequestRefused(400, 'selectedAgents: name at least one agent.');
	}
	return [first, ...others];
}

/** Chooses the agent of a follow-up: that of the task, unless the request names another one. Throws as `chooseAgents`. */
export function chooseNextAgent<A extends Choosable>(
	agents: readonly A[],
	task: Pick<TaskRecord, 'selectedAgent' | 'selectedModel'>,
	{ selectedAgent, selectedModel }: Pick<AgentsRequest, 'selectedAgent' | 'selectedModel'>,
): ChosenAgent<A> {
	// Another agent has other models.
	const model = selectedModel ?? (selectedAgent === undefined ? task.selectedModel : undefined);
	return chooseAgent(agents, selectedAgent ?? task.selectedAgent, model);
}

/** `of` is the prefix of the field names. */
function chooseAgent<A extends Choosable>(
	agents: readonly A[],
	id: string | undefined,
	model: string | undefined,
	of = '',
): ChosenAgent<A> {
	const [agentField, modelField] = of === '' ? ['selectedAgent', 'selectedModel'] : [`${of}agent`, `${of}model`];
	const agent = id === undefined ? agents[0] : agents.find(candidate => candidate.id === id);
	if (agent === undefined) {
		const names = agents.map(candidate => `"${candidate.id}"`).join(', ');
		throw new RequestRefused(400, `${agentField}: there is no agent of this name here. There is ${names}.`);
	}
	if (model !== undefined && !agent.models.includes(model)) {
		const names = agent.models.map(name => `"${name}"`).join(', ');
		throw new RequestRefused(400, `${modelField}: the agent "${agent.id}" has no such model. It has ${names}.`);
	}
	return { agent, choice: { agent: agent.id, model: model ?? agent.models[0] } };
}
