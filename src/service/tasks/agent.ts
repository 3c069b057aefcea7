import type { AgentPlace } from '../../agents/catalogue/entry.ts';
import type { AgentLaunch } from '../../agents/run/agentLaunch.ts';
import { childEnvironment } from '../../base/childEnvironment.ts';

/** The argument that makes the service's own program run as the demo agent. */
export const DEMO_AGENT_ARGUMENT = 'demo-agent';

export interface Agent {
	readonly id: string;
	readonly label: string;
	/** The models that can be chosen for the agent; the first is the default. */
	readonly models: readonly [string, ...string[]];
	/**
	 * True for an agent that is built into Errand. It uses no model and runs nothing of a repository, so it needs neither
	 * a relay nor a sandbox, and nothing of its work is kept.
	 */
	readonly isBuiltIn: boolean;
	/** The hosts of the account of its own with which the agent works, and the home in which its login is kept. */
	readonly account?: { hosts: readonly string[]; home: string };
	readonly megabytes: number;
	/**
	 * Returns how the agent is started. `repository` is the folder of the task; no program in it is used. Throws a
	 * UserFacingError if the agent's program has disappeared.
	 */
	launch(place: Omit<AgentPlace, 'programs'>, repository: string): Promise<AgentLaunch>;
}

/**
 * Returns a built-in agent, which makes a small change that says so. There are two of them, so that several agents on
 * one prompt can be tried without an account. `programFile` is the file that this process was started with.
 */
export function demoAgent(id: 'demo' | 'demo-two', label: string, programFile: string): Agent {
	return {
		id,
		label,
		models: ['demo'],
		isBuiltIn: true,
		megabytes: 80,
		launch: async () => ({
			command: process.execPath,
			args: [
				...process.execArgv.filter(argument => !argument.startsWith('--inspect')),
				programFile,
				DEMO_AGENT_ARGUMENT,
			],
			programs: [],
			// If the service runs in the editor's own program, this variable makes that program run as Node.
			env: childEnvironment(process.env, process.versions['electron'] ? { ELECTRON_RUN_AS_NODE: '1' } : {}),
			files: {},
			modes: [],
			usesAccount: false,
		}),
	};
}
