import * as z from 'zod';
import { taskCreateSchema } from '../../contract/tasks.ts';
import { RequestRefused } from '../replies.ts';
import type { AgentChoice } from '../store/taskRecord.ts';
import type { Agent } from './agent.ts';

/** The number of agents that may work on one prompt. */
const MAXIMUM_AGENTS = 8;

const { prompt, selectedAgent, selectedModel } = taskCreateSchema.shape;

/** contract: not shown. The body of a follow-up (unspecified.md, "follow-up prompt"). */
export const taskContinueSchema = z.strictObject({ currentPrompt: prompt, selectedAgent, selectedModel });

/** An available agent that a request names, with one of its models. */
export interface ChosenAgent {
	agent: Agent;
	choice: AgentChoice;
}

export interface AgentsRequest {
	selectedAgent?: string | undefined;
	selectedModel?: string | undefined;
	selectedAgents?: readonly AgentChoice[] | undefined;
}

/** Throws a RequestRefused with 400 that names the field. */
export function chooseAgents(
	agents: readonly Agent[],
	{ selectedAgent, selectedModel, selectedAgents }: AgentsRequest,
): [ChosenAgent, ...ChosenAgent[]] {
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

/** `of` is the prefix of the names of the fields. */
export function chooseAgent(
	agents: readonly Agent[],
	id: string | undefined,
	model: string | undefined,
	of = '',
): ChosenAgent {
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
