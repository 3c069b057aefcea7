import { childEnvironment } from './childEnvironment.ts';

/** The argument that makes the service's own program run as the demo agent. */
export const DEMO_AGENT_ARGUMENT = 'demo-agent';

/** The command of an agent. It runs in the task's tree and reads the prompt from its standard input. */
export interface AgentLaunch {
	command: string;
	args: readonly string[];
	env: Record<string, string>;
}

export interface Agent {
	readonly id: string;
	/** The models that can be chosen for the agent; the first is the default. */
	readonly models: readonly [string, ...string[]];
	launch(): AgentLaunch;
}

/**
 * Returns a built-in agent, which uses no model and makes a small change that says so. There are two of them, so that
 * several agents on one prompt can be tried without an account. `programFile` is the file that this process was started
 * with.
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
			// If the service runs in the editor's own program, this variable makes that program run as Node.
			env: childEnvironment(process.env, process.versions['electron'] ? { ELECTRON_RUN_AS_NODE: '1' } : {}),
		}),
	};
}
