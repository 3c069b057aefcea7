import type { AgentDirectory } from '../../agents/catalogue/agentDirectory.ts';
import { agentLaunch } from '../../agents/run/agentLaunch.ts';
import { defined } from '../../base/defined.ts';
import { UserFacingError } from '../../base/errors.ts';
import type { Agent } from '../tasks/agent.ts';

/** The memory that is assumed for an agent whose needs are not known. */
const UNKNOWN_MEGABYTES = 1_000;

/** The agents of the directory as tasks run them. */
export class TaskAgents {
	private readonly directory: AgentDirectory;
	private readonly builtIn: readonly Agent[];

	constructor(directory: AgentDirectory, builtIn: readonly Agent[]) {
		this.directory = directory;
		this.builtIn = builtIn;
	}

	/** Returns the agents that can be used now. The first one is the default. */
	async current(): Promise<readonly Agent[]> {
		const agents = await this.directory.current();
		return agents.flatMap(({ id, label, models }) => this.builtInOf(id) ?? this.installed(id, label, models));
	}

	/** Returns an agent of an earlier task, whether or not it can be used now, or undefined if no agent has this id. */
	byId(id: string, model: string): Agent | undefined {
		const definition = this.directory.definition(id);
		return this.builtInOf(id) ?? (definition && this.installed(id, definition.label, [model]));
	}

	private builtInOf(id: string): Agent | undefined {
		return this.builtIn.find(agent => agent.id === id);
	}

	private installed(id: string, label: string, models: Agent['models']): Agent {
		return {
			id,
			label,
			models,
			isBuiltIn: false,
			...defined({ account: this.directory.account(id) }),
			megabytes: this.directory.definition(id)?.megabytes ?? UNKNOWN_MEGABYTES,
			launch: async (place, repository) => {
				const { found } = await this.directory.use(id, [repository]);
				if (found === undefined) {
					throw new UserFacingError(`${label} has no program that could be started. Choose another agent.`);
				}
				return agentLaunch(found, { ...place, ...(await this.directory.modelLimits(place.model)) });
			},
		};
	}
}
