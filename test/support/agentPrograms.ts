import { existsSync } from 'node:fs';
import path from 'node:path';

/** The folder in which `npm run test:agents` installs agents. */
const MODULES = path.resolve('test/support/agents/node_modules');

/** The folder in which `npm run test:interoperability` installs further agents. */
const FURTHER_MODULES = path.resolve('test/support/furtherAgents/node_modules');

const OPENCODE = path.join(MODULES, 'opencode-linux-x64', 'bin');

/** Returns the folders of the programs of real agents, for PATH. */
export function agentPrograms(): string[] {
	return [programsIn(MODULES, 'test:agents'), OPENCODE];
}

/** Returns the folders of the programs of agents that only the interoperability tests run. */
export function furtherAgentPrograms(): string[] {
	return [programsIn(FURTHER_MODULES, 'test:interoperability')];
}

export const opencodeProgram = (): string => path.join(OPENCODE, 'opencode');

function programsIn(modules: string, script: string): string {
	if (!existsSync(modules)) {
		throw new Error(`The agents of the tests are not installed. Run them with npm run ${script}.`);
	}
	return path.join(modules, '.bin');
}
