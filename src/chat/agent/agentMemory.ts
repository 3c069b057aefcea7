import type * as vscode from 'vscode';
import type { AgentOption } from '../../agents/session/agentOptions.ts';
import type { SandboxProblem } from '../../contract/agents.ts';

const CHOSEN_KEY = 'errand.chosenAgent';
const OPTIONS_KEY = 'errand.agentOptions';
const UNSANDBOXED_KEY = 'errand.unsandboxedAgents';

/** Errand's own agent is used where none was chosen. */
const USUAL: ChosenAgent = { id: 'errand', label: 'Errand' };

export interface ChosenAgent {
	id: string;
	label: string;
}

/**
 * What this workspace remembers of agents: which one was chosen last, what can be chosen of each, and where they need no
 * sandbox.
 */
export class AgentMemory {
	private readonly state: Pick<vscode.Memento, 'get' | 'update'>;

	constructor(state: Pick<vscode.Memento, 'get' | 'update'>) {
		this.state = state;
	}

	/** The agent that was chosen last. */
	get chosen(): ChosenAgent {
		return this.state.get<ChosenAgent>(CHOSEN_KEY) ?? USUAL;
	}

	async choose(agent: ChosenAgent): Promise<void> {
		await this.state.update(CHOSEN_KEY, agent);
	}

	/** Returns the name of an agent as far as it is known without looking at what is installed. */
	labelOf(id: string): string {
		return [this.chosen, USUAL].find(known => known.id === id)?.label ?? id;
	}

	/** What agents have told that can be chosen of them, by their ids. */
	get options(): Readonly<Record<string, readonly AgentOption[]>> {
		return this.state.get(OPTIONS_KEY) ?? {};
	}

	keepOptions(agent: string, options: readonly AgentOption[]): void {
		void this.state.update(OPTIONS_KEY, { ...this.options, [agent]: options });
	}

	/** Whether the user lets agents work in a folder without a sandbox, for the reason that there is none. */
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
