import { defined } from '../../base/defined.ts';
import { type AgentSetting, readVariables } from '../../contract/agents.ts';
import { anthropicVariables, fileText, openaiVariables, withPlace } from './configurationTexts.ts';
import { type AgentDefinition, type AgentPlace, accountLabel, WITHOUT_PARTS } from './entry.ts';
import { knownAgents } from './knownAgents.ts';

/**
 * Returns the agent that a setting describes. A setting with the id of a known agent gives the location of its program
 * and what differs; any other agent learns its model from the variables that programs for its API read. Of `variables`,
 * the user's environment, it gets only those that the setting names. They never replace what Errand tells it, as a
 * variable or a file that stands in the setting with its text does.
 */
export function configuredAgent(setting: AgentSetting, variables: Readonly<Record<string, string>>): AgentDefinition {
	const { id, label, command, args, env, files = {}, api, mode, account } = setting;
	const { names, texts } = readVariables(env);
	const named = Object.fromEntries(Object.entries(variables).filter(([name]) => names.includes(name)));
	const known = knownAgents.find(agent => agent.id === id);
	const basis = known ?? {
		...WITHOUT_PARTS,
		id,
		label: id,
		api,
		environment: account ? () => ({}) : api === 'messages' ? anthropicVariables : openaiVariables,
	};
	const filled = <Content>(contents: Readonly<Record<string, Content>>, fill: (content: Content) => string) =>
		Object.fromEntries(Object.entries(contents).map(([name, content]) => [name, fill(content)]));
	return {
		...basis,
		label: account ? accountLabel(label ?? id) : (label ?? basis.label),
		...(account && { api: undefined, account }),
		command,
		args: args.length === 0 ? basis.args : args,
		...defined({ modes: mode === undefined ? undefined : [mode] }),
		environment: (place: AgentPlace) => ({
			...named,
			...basis.environment(place),
			...filled(texts, text => withPlace(text, place)),
		}),
		files: (place: AgentPlace) => ({ ...basis.files(place), ...filled(files, content => fileText(content, place)) }),
		installations: {},
	};
}
