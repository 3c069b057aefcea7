import * as vscode from 'vscode';
import { defined } from '../../base/defined.ts';
import { UserFacingError } from '../../base/errors.ts';
import type { TaskCreateRequest } from '../../contract/tasks.ts';
import type { LaunchPlan } from '../model/findings.ts';
import type { TaskConnection } from '../model/taskConnection.ts';
import type { AgentChoice, LaunchChoices } from './launchChoices.ts';
import { agentName, firstModel } from './pickAgents.ts';

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
		...defined({ selectedBranch: branch }),
		...(agents.length > 1
			? { selectedAgents: agents.map(choice => ({ agent: choice.agent, model: modelOf(connection, choice) })) }
			: {
					...(first ? { selectedAgent: first.agent } : {}),
					...(first?.model === undefined ? {} : { selectedModel: first.model }),
				}),
		...(installDependencies ? { installDependencies } : {}),
		...(maxDuration > 0 ? { maxDuration } : {}),
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
