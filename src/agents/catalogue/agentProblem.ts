import type { AgentDefinition, AgentProblem } from './entry.ts';

/** Returns a sentence that says why an agent cannot run, and what to do. */
export function agentProblemSentence({ label, command, needs }: AgentDefinition, problem: AgentProblem): string {
	switch (problem) {
		case 'not-found': {
			const programs = [command, ...needs].map(name => JSON.stringify(name));
			return programs.length === 1
				? `${label} was not found: the program ${programs} is needed. Install it, or name where it is in errand.local.agents.`
				: `${label} was not found: the programs ${programs.join(' and ')} are needed. Install them, or name where they are in errand.local.agents.`;
		}
		case 'own-account':
			return `${label} needs your yes, because it works without Errand’s relay. “Errand: Set Up Agents…” asks for it.`;
		case 'account-forbidden':
			return `${label} does not run, because the setting errand.local.ownAccounts forbids it. Choose another agent.`;
		case 'account-retention':
			return `${label} does not run while zero data retention is on, as nobody knows what its account retains. Choose another agent.`;
		case 'no-model':
			return `${label} needs a model, and there is none but the demo. Add a model server, then try again.`;
	}
}
