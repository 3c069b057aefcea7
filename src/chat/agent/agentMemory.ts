import type * as vscode from 'vscode';
import { OWN_AGENT } from '../../agents/catalogue/ownAgent.ts';
import type { AgentCommand, AgentOption } from '../../agents/session/events.ts';
import type { SandboxProblem } from '../../contract/agents.ts';

const CHOSEN_KEY = 'errand.chosenAgent';
const OPTIONS_KEY = 'errand.agentOptions';
const COMMANDS_KEY = 'errand.agentCommands';
const UNSANDBOXED_KEY = 'errand.unsandboxedAgents';

/** Errand's own agent, the default. */
const USUAL: RememberedAgent = { id: OWN_AGENT, label: 'Errand' };

export interface RememberedAgent {
	id: string;
	label: string;
}

/**
 * Stores in the workspace's state which agent was chosen last, which options and commands each agent has reported, and
 * where agents may work without a sandbox.
 */
export class AgentMemory {
	private readonly state: Pick<vscode.Memento, 'get' | 'update'>;

	constructor(state: Pick<vscode.Memento, 'get' | 'update'>) {
		this.state = state;
	}

	/** The agent that was chosen last. */
	get chosen(): RememberedAgent {
		return this.state.get<RememberedAgent>(CHOSEN_KEY) ?? USUAL;
	}

	async choose(agent: RememberedAgent): Promise<void> {
		await this.state.update(CHOSEN_KEY, agent);
	}

	/** Returns the display name of an agent as far as it is known without searching for installed agents. */
	labelOf(id: string): string {
		return [this.chosen, USUAL].find(known => known.id === id)?.label ?? id;
	}

	/** The options that agents have reported, by the ids of the agents. */
	get options(): Readonly<Record<string, readonly AgentOption[]>> {
		return this.state.get(OPTIONS_KEY) ?? {};
	}

	keepOptions(agent: string, options: readonly AgentOption[]): void {
		void this.state.update(OPTIONS_KEY, { ...this.options, [agent]: options });
	}

	/** The commands that agents have reported, by the ids of the agents. */
	get commands(): Readonly<Record<string, readonly AgentCommand[]>> {
		return this.state.get(COMMANDS_KEY) ?? {};
	}

	keepCommands(agent: string, commands: readonly AgentCommand[]): void {
		void this.state.update(COMMANDS_KEY, { ...this.commands, [agent]: commands });
	}

	/** Returns whether the user lets agents work in a folder without a sandbox despite this problem with the sandbox. */
	isUnsandboxed(folder: string, problem: SandboxProblem): boolean {
		return this.unsandboxed[folder] === problem;
	}

	allowUnsandboxed(folder: string, problem: SandboxProblem): void {
		void this.state.update(UNSANDBOXED_KEY, { ...this.unsandboxed, [folder]: problem });
	}

	private get unsandboxed(): Readonly<Record<string, SandboxProblem>> {
		return this.state.get(UNSANDBOXED_KEY) ?? {};
	}
}
