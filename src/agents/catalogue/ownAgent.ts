import { existsSync } from 'node:fs';
import { defined } from '../../base/defined.ts';
import { ROOT_FILES } from '../../base/instructionFiles.ts';
import { type AgentDefinition, type FoundAgent, WITHOUT_PARTS } from './entry.ts';

export const OWN_AGENT = 'errand';

/** The files of a repository that Errand's own agent reads before all else. The last one wins. */
export const OWN_INSTRUCTION_FILES = ['AGENT.md', ...ROOT_FILES];

/**
 * Returns Errand's own agent, whose `program` runs with the Node of this process, or undefined if the program is
 * missing, as in a checkout that was not built.
 */
export function ownAgent(program: string, version: string): FoundAgent | undefined {
	if (!existsSync(program)) {
		return undefined;
	}
	const definition: AgentDefinition = {
		...WITHOUT_PARTS,
		id: OWN_AGENT,
		label: 'Errand',
		licence: 'MIT',
		command: process.execPath,
		args: ['--disable-warning=ExperimentalWarning', program],
		api: 'responses',
		// The sandbox confines it; if there is none, the user has accepted that for the whole repository.
		modes: ['sandboxed'],
		askingMode: 'ask',
		instructionFiles: OWN_INSTRUCTION_FILES,
		readsAllInstructions: true,
		megabytes: 100,
		environment: ({ relayUrl, token, model, contextLength, isAttended, takesImages, web }) => ({
			ERRAND_AGENT_URL: relayUrl,
			ERRAND_AGENT_KEY: token,
			ERRAND_AGENT_MODEL: model,
			// The service always has that endpoint. A connection may lack it, and the agent then falls back to chat.
			...defined({
				ERRAND_AGENT_API: isAttended ? undefined : 'responses',
				ERRAND_AGENT_CONTEXT_LENGTH: contextLength?.toString(),
				ERRAND_AGENT_IMAGES: takesImages ? '1' : undefined,
				ERRAND_AGENT_WEB: web?.join(),
				ELECTRON_RUN_AS_NODE: process.versions['electron'] ? '1' : undefined,
			}),
		}),
	};
	const programs = { [process.execPath]: process.execPath, agent: program };
	return { definition, source: 'own', programs, location: process.execPath, version };
}
