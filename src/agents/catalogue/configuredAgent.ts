import { defined } from '../../base/defined.ts';
import type { AgentSetting } from '../../contract/agents.ts';
import { openaiVariables } from './configurationTexts.ts';
import type { AgentDefinition } from './entry.ts';
import { knownAgents } from './knownAgents.ts';

/**
 * Returns the agent that a setting describes. A setting with the id of a known agent gives the location of its program
 * and what differs; any other agent learns its model from the variables that programs for OpenAI's API read. Of
 * `variables`, the user's environment, it gets only those that the setting names.
 */
export function configuredAgent(setting: AgentSetting, variables: Readonly<Record<string, string>>): AgentDefinition {
	const { id, label, command, args, api, mode } = setting;
	const wanted = new Set(setting.env);
	const named = Object.fromEntries(Object.entries(variables).filter(([name]) => wanted.has(name)));
	const known = knownAgents.find(agent => agent.id === id && agent.problem === undefined);
	if (known !== undefined) {
		return {
			...known,
			label: label ?? known.label,
			command,
			args: args.length === 0 ? known.args : args,
			...defined({ mode }),
			environment: place => ({ ...named, ...known.environment(place) }),
			installations: {},
		};
	}
	return {
		id,
		label: label ?? id,
		command,
		args,
		needs: [],
		api,
		...defined({ mode }),
		environment: place => ({ ...named, ...openaiVariables(place) }),
		files: () => ({}),
		installations: {},
	};
}
