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
			return `${label} only works with an account of its own, so Errand does not run it. Choose another agent.`;
		case 'model-api':
			return `${label} speaks a model API that Errand does not, so Errand does not run it. Choose another agent.`;
		case 'no-model':
			return `${label} needs a model, and there is none but the demo. Add a model server, then try again.`;
	}
}
