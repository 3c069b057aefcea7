import { childEnvironment } from './childEnvironment.ts';

/** The argument by which the service's own program becomes the demo agent. */
export const DEMO_AGENT_ARGUMENT = 'demo-agent';

/** How an agent is started. It runs in the task's tree, and reads the prompt from its standard input. */
export interface AgentLaunch {
	command: string;
	args: readonly string[];
	env: Record<string, string>;
}

export interface Agent {
	readonly id: string;
	/** Models that can be chosen for it; the first is the default. */
	readonly models: readonly [string, ...string[]];
	launch(): AgentLaunch;
}

/**
 * A built-in agent: no model, a small honest change. There are two of them, so that several agents on one prompt can be
 * tried without an account. `programFile` is the file that this process was started with.
 */
export function demoAgent(id: 'demo' | 'demo-two', programFile: string): Agent {
	return {
		id,
		models: ['demo'],
		launch: () => ({
			command: process.execPath,
			args: [
				...process.execArgv.filter(argument => !argument.startsWith('--inspect')),
				programFile,
				DEMO_AGENT_ARGUMENT,
			],
			// Inside the editor's own program, Node is what this variable makes of it.
			env: childEnvironment(process.env, process.versions['electron'] ? { ELECTRON_RUN_AS_NODE: '1' } : {}),
		}),
	};
}
