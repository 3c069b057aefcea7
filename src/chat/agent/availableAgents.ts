// The agents that are available in this window, and the agent of a conversation.
import os from 'node:os';
import path from 'node:path';
import { AgentDirectory } from '../../agents/catalogue/agentDirectory.ts';
import type { FoundAgent } from '../../agents/catalogue/entry.ts';
import { ownAgent } from '../../agents/catalogue/ownAgent.ts';
import { currentPlatform } from '../../agents/catalogue/platform.ts';
import { AGENTS_FOLDER } from '../../agents/install/installed.ts';
import { probeSandbox } from '../../agents/sandbox/probe.ts';
import type { AgentEvent } from '../../agents/session/events.ts';
import { systemClock } from '../../base/async.ts';
import type { AgentsReport, TaskSettings } from '../../contract/agents.ts';
import { stateFolderOf } from '../../contract/control.ts';
import type { Conversation } from '../model/conversation.ts';
import type { AgentMemory } from './agentMemory.ts';

export interface AvailableAgentsOptions {
	/** The program of Errand's own agent, and its version. */
	program: string;
	version: string;
	/** Resolves to the current settings about agents. */
	settings(): Promise<TaskSettings>;
	memory: AgentMemory;
	/** Returns whether only the demo answers, which no agent can work with. */
	isDemo(): boolean;
}

export class AvailableAgents {
	private readonly options: AvailableAgentsOptions;
	private readonly directory: AgentDirectory;
	/** The model for which the agents are looked up; undefined if only the demo answers. */
	private model: string | undefined;

	constructor(options: AvailableAgentsOptions) {
		this.options = options;
		this.directory = new AgentDirectory({
			builtIn: [],
			own: ownAgent(options.program, options.version),
			environment: process.env,
			folder: path.join(stateFolderOf(process.env, process.platform, os.homedir()), AGENTS_FOLDER),
			platform: currentPlatform(),
			// The model is that of the conversation, so an agent can work with it as far as is known.
			describe: async () => ({
				models: this.model === undefined ? [] : [{ id: this.model, kinds: ['chat', 'responses'] }],
				providers: this.model === undefined ? [] : [{ slug: 'connection', models: [this.model] }],
			}),
			probeSandbox,
			clock: systemClock,
		});
	}

	/** Returns the id of a conversation's agent. */
	idOf({ settings }: Pick<Conversation, 'settings'>): string {
		return settings?.agent ?? this.options.memory.chosen.id;
	}

	/** Resolves to the display name of that agent. */
	async labelOf(conversation: Pick<Conversation, 'settings'>): Promise<string> {
		const id = this.idOf(conversation);
		await this.look(this.model);
		return this.directory.definition(id)?.label ?? id;
	}

	/** Resolves to all agents that this machine has or could have, with the state of the sandbox. */
	async report(model: string | undefined): Promise<AgentsReport> {
		await this.look(model);
		return this.directory.report();
	}

	/**
	 * Resolves to an agent that is about to be started. Programs in the `repositories` are not used. Throws a
	 * UserFacingError if it cannot run now.
	 */
	async use(id: string, model: string | undefined, repositories: readonly string[]): Promise<FoundAgent> {
		await this.look(model);
		const { found } = await this.directory.use(id, repositories);
		if (found === undefined) {
			throw new Error('Only agents with a program are offered.');
		}
		return found;
	}

	/** Returns the home with the login of an agent that works with an account of its own, or undefined for any other. */
	accountHome({ definition }: FoundAgent): string | undefined {
		return this.directory.account(definition.id)?.home;
	}

	/** Stores the options and commands of an agent when it reports them. */
	keepNews({ id, askingMode }: FoundAgent['definition'], event: AgentEvent): void {
		const { memory } = this.options;
		if (event.type === 'commands') {
			memory.keepCommands(id, event.commands);
		} else if (event.type === 'options') {
			// If Errand sets the mode to one in which it is asked, the user cannot choose one.
			const options = event.options.filter(({ isMode }) => askingMode === undefined || !isMode);
			memory.keepOptions(id, options);
		}
	}

	private async look(model: string | undefined): Promise<void> {
		this.directory.replaceSettings(await this.options.settings());
		this.model = this.options.isDemo() ? undefined : model;
	}
}
