import path from 'node:path';
import * as vscode from 'vscode';
import { defined } from '../../base/defined.ts';
import { describeError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { programVersion } from '../../base/programVersion.ts';
import type { TaskSettings } from '../../contract/agents.ts';
import type { Explanation } from '../../platform/notify.ts';
import { readSetting, writeSetting } from '../../platform/settings.ts';
import type { SignInLinks } from '../../platform/signInLinks.ts';
import type { OfferedServer } from '../api.ts';
import type { Chat } from '../conversation/chat.ts';
import type { AgentTurn, AgentTurns } from '../conversation/replyRequest.ts';
import type { ReplyEvent } from '../model/applyEvent.ts';
import { APPROVAL_SETTINGS, type ApprovalSetting } from '../model/approvals.ts';
import type { Conversation } from '../model/conversation.ts';
import { COMPOSER_MODES, OWN_PROMPTS } from '../model/mode.ts';
import type { AgentView, PromptView } from '../protocol/protocol.ts';
import { AgentMemory } from './agentMemory.ts';
import type { AgentRuns } from './agentRuns.ts';
import type { AgentConnection, AgentModels, AgentRunsOptions } from './agentRunsOptions.ts';
import type { AgentServers } from './agentServers.ts';
import type { AvailableAgents } from './availableAgents.ts';

/** The locations of the agents' programs and files, and of the workspace's stored state about them. */
export interface AgentStorage {
	extensionUri: vscode.Uri;
	/** The folder of all conversations' data for agents. */
	folder: string;
	workspaceState: vscode.Memento;
	globalState: vscode.Memento;
	secrets: vscode.SecretStorage;
	signInLinks: SignInLinks;
}

/** The window's conversations that agents work for, and their view. */
export interface AgentConversations {
	shown(): Promise<Chat>;
	/** Called when an agent of a conversation waits for an answer. */
	asks(id: string): void;
	/** Called when a conversation gets another agent. */
	agentChanged(chat: Chat): void;
}

export interface ChatAgentsDependencies {
	storage: AgentStorage;
	connection: AgentConnection;
	client: AgentModels['client'];
	conversations: AgentConversations;
	/** Resolves to the settings about agents on this machine. */
	settings(): Promise<TaskSettings>;
	/** Changes between two commits of a repository. */
	ranges(): AgentRunsOptions['changes'];
	logger: Logger;
}

interface LoadedAgents {
	runs: AgentRuns;
	agents: AvailableAgents;
	servers: AgentServers;
}

/** The agents of the chat. The code that runs them is loaded on first use. */
export class ChatAgents implements AgentTurns {
	private readonly dependencies: ChatAgentsDependencies;
	private readonly memory: AgentMemory;
	private loaded: Promise<LoadedAgents> | undefined;
	/** Resolves when the approval setting has been written. */
	private writing: Thenable<void> | undefined;

	constructor(dependencies: ChatAgentsDependencies) {
		this.dependencies = dependencies;
		this.memory = new AgentMemory(dependencies.storage.workspaceState);
	}

	/** Loads the code that runs the agents. */
	async runs(): Promise<AgentRuns> {
		return (await this.load()).runs;
	}

	async refusal(): Promise<Explanation | undefined> {
		return (await this.runs()).refusal();
	}

	async *run(turn: AgentTurn, signal: AbortSignal): AsyncIterable<ReplyEvent> {
		const runs = await this.runs();
		// A message may be sent before an earlier choice has been written.
		await this.writing;
		yield* runs.run(turn, signal);
	}

	/** Returns the id of the agent that messages of a conversation go to. */
	idOf({ settings }: Pick<Conversation, 'settings'>): string {
		return settings?.agent ?? this.memory.chosen.id;
	}

	/** Returns the agent that messages of a conversation go to, with the chosen options. */
	view(conversation: Pick<Conversation, 'settings'>): AgentView {
		const { settings } = conversation;
		const agent = this.idOf(conversation);
		const known = this.memory.options[agent] ?? [];
		const chosen = Object.entries(settings?.agentOptions?.[agent] ?? {}).flatMap(([name, value]) => {
			const option = known.find(candidate => candidate.id === name);
			return option?.values.find(candidate => candidate.value === value)?.name ?? [];
		});
		return { label: [this.memory.labelOf(agent), ...chosen].join(' · '), approvals: approvals() };
	}

	/** Returns the commands of the agent that messages of a conversation go to, except those whose names Errand uses. */
	commands(conversation: Pick<Conversation, 'settings' | 'mode'>): PromptView[] {
		const agent = this.idOf(conversation);
		const isFree = ({ name }: { name: string }) => ![...COMPOSER_MODES, ...OWN_PROMPTS].some(own => own === name);
		return conversation.mode === 'agent'
			? (this.memory.commands[agent] ?? [])
					.filter(isFree)
					.map(command => ({ ...command, where: this.memory.labelOf(agent), isOfAgent: true }))
			: [];
	}

	async adopt(conversation: Conversation): Promise<void> {
		if (conversation.turns.some(({ replies }) => replies.some(({ work }) => work))) {
			await this.logged('kept for the copy of its conversation', async () => (await this.runs()).adopt(conversation));
		}
	}

	/** Removes the data of a deleted conversation. Never rejects. */
	forget(conversation: string): Promise<void> {
		return this.logged('removed', async () => (await this.runs()).forget(conversation));
	}

	private async logged(what: string, run: () => Promise<void>): Promise<void> {
		try {
			await run();
		} catch (error) {
			this.dependencies.logger.log('warn', `what was kept for an agent could not be ${what}`, {
				reason: describeError(error),
			});
		}
	}

	/** Lets the user choose the agent of the shown conversation. */
	async pick(): Promise<void> {
		const { conversations, connection } = this.dependencies;
		const chat = await conversations.shown();
		const [{ pickAgent }, { agents }] = await Promise.all([import('./pickAgent.ts'), this.load()]);
		const picked = await pickAgent(
			chat,
			agents,
			chat.conversation.settings?.model ?? connection.view.model,
			this.memory.options,
		);
		if (picked) {
			const { id, option } = picked;
			const before = chat.conversation.settings?.agentOptions;
			const agentOptions = option && { ...before, [id]: { ...before?.[id], [option.id]: option.value } };
			await chat.choose({ agent: id, ...defined({ agentOptions }) });
			await this.memory.choose({ id, label: await agents.labelOf(chat.conversation) });
			conversations.agentChanged(chat);
		}
	}

	/** Sets what agents ask about from the next message on, in all windows. Rejects if the setting cannot be written. */
	chooseApprovals(approvals: ApprovalSetting): Thenable<void> {
		const writing = writeSetting('errand.agents.approvals', approvals);
		this.writing = writing.then(undefined, () => {});
		return writing;
	}

	/** Resolves to the MCP servers that agents of a task on this repository may be given. */
	async serversForTasks(folder: string | undefined): Promise<OfferedServer[]> {
		const [{ serversForTasks }, { servers }] = await Promise.all([import('./serversForTasks.ts'), this.load()]);
		return serversForTasks(servers, folder);
	}

	private load(): Promise<LoadedAgents> {
		this.loaded ??= this.loadNow();
		return this.loaded;
	}

	private async loadNow(): Promise<LoadedAgents> {
		const [{ AgentRuns }, { AvailableAgents }, { AgentServers: Servers }] = await Promise.all([
			import('./agentRuns.ts'),
			import('./availableAgents.ts'),
			import('./agentServers.ts'),
		]);
		const { memory } = this;
		const { storage, connection, client, settings, ranges, logger } = this.dependencies;
		const program = (name: string) => vscode.Uri.joinPath(storage.extensionUri, 'dist', name).fsPath;
		const agents = new AvailableAgents({
			program: program('agent.js'),
			version: programVersion(program('agent.js')),
			settings,
			memory,
			isDemo: () => connection.view.isDemo === true,
		});
		const isSandboxRequired = async () => (await settings()).sandbox === 'require';
		const servers = new Servers({
			state: storage.globalState,
			secrets: storage.secrets,
			packages: path.join(storage.folder, 'packages'),
			signInLinks: storage.signInLinks,
			isSandboxRequired,
			declared: () => readSetting('errand.agents.mcpServers'),
		});
		const runs = new AgentRuns({
			folder: storage.folder,
			agents,
			servers,
			models: { client, connection, insideProgram: program('sandbox.js') },
			permissions: {
				...{ approvals, memory, isSandboxRequired },
				onQuestion: id => this.dependencies.conversations.asks(id),
			},
			changes: { list: range => ranges().list(range), takeAllowed: range => ranges().takeAllowed(range) },
			logger,
		});
		return { runs, agents, servers };
	}
}

/** An unknown value counts as `ask`. */
function approvals(): ApprovalSetting {
	const value: unknown = readSetting('errand.agents.approvals');
	return APPROVAL_SETTINGS.find(setting => setting === value) ?? 'ask';
}
