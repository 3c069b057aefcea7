import * as vscode from 'vscode';
import type { AgentOption } from '../../agents/session/agentOptions.ts';
import { defined } from '../../base/defined.ts';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { describeError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { programVersion } from '../../base/programVersion.ts';
import type { Client } from '../../client/types.ts';
import type { SandboxProblem, TaskSettings } from '../../contract/agents.ts';
import type { Explanation } from '../../platform/notify.ts';
import { explainError, offer } from '../../platform/notify.ts';
import { readSetting } from '../../platform/settings.ts';
import type { Chat } from '../conversation/chat.ts';
import type { AgentTurn, AgentTurns } from '../conversation/replyRequest.ts';
import type { ReplyEvent } from '../model/applyEvent.ts';
import { APPROVAL_SETTINGS, type ApprovalSetting } from '../model/approvalPolicy.ts';
import type { Conversation } from '../model/conversation.ts';
import type { AgentView } from '../protocol/protocol.ts';
import { type AgentHandlers, agentHandlers, type Ranges } from './agentHandlers.ts';
import type { AgentRuns } from './agentRuns.ts';
import type { AgentRunsOptions } from './agentRunsOptions.ts';
import type { AvailableAgents } from './availableAgents.ts';
import { StepDocuments } from './stepDocuments.ts';

/** In this workspace: the agent that was chosen last, what can be chosen of agents, and where they need no sandbox. */
const CHOSEN_KEY = 'errand.chosenAgent';
const OPTIONS_KEY = 'errand.agentOptions';
const UNSANDBOXED_KEY = 'errand.unsandboxedAgents';

/** Errand's own agent is used where none was chosen. */
const USUAL: ChosenAgent = { id: 'errand', label: 'Errand' };

interface ChosenAgent {
	id: string;
	label: string;
}

export interface ChatAgentsDependencies {
	extensionUri: vscode.Uri;
	/** The folder of what conversations keep for their agents. */
	folder: string;
	workspaceState: vscode.Memento;
	client(): Promise<Pick<Client, 'chat' | 'responses'>>;
	/** The settings about agents on this machine. */
	settings(): Promise<TaskSettings>;
	limits(model: string): { contextLength?: number; maxOutputTokens?: number };
	/** Whether only the demo answers, which no agent can work with. */
	isDemo(): boolean;
	/** Changes between two commits of a repository. */
	ranges(): Ranges & Pick<AgentRunsOptions, 'takeAllowed'> & { list: AgentRunsOptions['listChanges'] };
	conversations: {
		withTurn(turn: string, run: (chat: Chat) => unknown): Promise<void>;
		shown(): Promise<Chat>;
		/** Whether the user sees a conversation now. */
		isVisible(id: string): boolean;
		open(id: string): Promise<void>;
	};
	model(conversation: Conversation): string | undefined;
	label(): string;
	focusComposer(): void;
	/** Called when the agent of a conversation is another one. */
	changed(chat: Chat): void;
	logger: Logger;
}

/** The agents of the chat. What runs them is loaded when one is first used. */
export class ChatAgents implements AgentTurns, Disposable {
	private readonly dependencies: ChatAgentsDependencies;
	private readonly store = new DisposableStore();
	private loaded: Promise<{ runs: AgentRuns; choice: AvailableAgents }> | undefined;
	readonly handlers: AgentHandlers;

	constructor(dependencies: ChatAgentsDependencies) {
		this.dependencies = dependencies;
		const { conversations, ranges, label, focusComposer } = dependencies;
		this.handlers = agentHandlers({
			runs: async () => (await this.load()).runs,
			withTurn: conversations.withTurn,
			ranges,
			documents: this.store.add(new StepDocuments()),
			pickAgent: () => this.pick(),
			label,
			focusComposer,
		});
	}

	async refusal(conversation: Conversation): Promise<Explanation | undefined> {
		return (await this.load()).runs.refusal(conversation);
	}

	async *run(turn: AgentTurn, signal: AbortSignal): AsyncIterable<ReplyEvent> {
		yield* (await this.load()).runs.run(turn, signal);
	}

	/** Returns the agent that messages of a conversation go to, with what was chosen of its options. */
	view({ settings }: Pick<Conversation, 'settings'>): AgentView {
		const { id, label } = this.lastChosen();
		const agent = settings?.agent ?? id;
		const known = this.options()[agent] ?? [];
		const chosen = Object.entries(settings?.agentOptions?.[agent] ?? {}).flatMap(([name, value]) => {
			const option = known.find(candidate => candidate.id === name);
			return option?.values.find(candidate => candidate.value === value)?.name ?? [];
		});
		return { label: [agent === id ? label : this.labelOf(agent), ...chosen].join(' · ') };
	}

	async adopt(conversation: Conversation): Promise<void> {
		if (conversation.turns.some(({ replies }) => replies.some(({ work }) => work))) {
			await this.logged('kept for the copy of its conversation', async () =>
				(await this.load()).runs.adopt(conversation),
			);
		}
	}

	/** Removes what is kept for a conversation that is deleted. It never rejects. */
	forget(conversation: string): Promise<void> {
		return this.logged('removed', async () => (await this.load()).runs.forget(conversation));
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

	dispose(): void {
		this.store.dispose();
	}

	private lastChosen(): ChosenAgent {
		return this.dependencies.workspaceState.get<ChosenAgent>(CHOSEN_KEY) ?? USUAL;
	}

	/** What agents have told that can be chosen of them, by their ids. */
	private options(): Readonly<Record<string, readonly AgentOption[]>> {
		return this.dependencies.workspaceState.get(OPTIONS_KEY) ?? {};
	}

	private labelOf(id: string): string {
		return id === USUAL.id ? USUAL.label : id;
	}

	private load(): Promise<{ runs: AgentRuns; choice: AvailableAgents }> {
		this.loaded ??= this.loadNow();
		return this.loaded;
	}

	private async loadNow(): Promise<{ runs: AgentRuns; choice: AvailableAgents }> {
		const [{ AgentRuns }, { AvailableAgents }] = await Promise.all([
			import('./agentRuns.ts'),
			import('./availableAgents.ts'),
		]);
		const { extensionUri, folder, workspaceState, client, settings, limits, ranges, logger } = this.dependencies;
		const program = (name: string) => vscode.Uri.joinPath(extensionUri, 'dist', name).fsPath;
		const choice = new AvailableAgents({
			program: program('agent.js'),
			version: programVersion(program('agent.js')),
			settings,
			lastChosen: () => this.lastChosen().id,
		});
		const given = () => workspaceState.get<Record<string, SandboxProblem>>(UNSANDBOXED_KEY) ?? {};
		const runs = new AgentRuns({
			folder,
			insideProgram: program('sandbox.js'),
			choice,
			client,
			limits,
			approvals,
			consent: {
				isRequired: async () => (await settings()).sandbox === 'require',
				isGiven: (place, problem) => given()[place] === problem,
				give: (place, problem) => void workspaceState.update(UNSANDBOXED_KEY, { ...given(), [place]: problem }),
			},
			listChanges: range => ranges().list(range),
			takeAllowed: range => ranges().takeAllowed(range),
			isDemo: this.dependencies.isDemo,
			onOptions: (agent, options) => void workspaceState.update(OPTIONS_KEY, { ...this.options(), [agent]: options }),
			onQuestion: conversation => this.tellOfQuestion(conversation),
			logger,
		});
		return { runs, choice };
	}

	private async pick(): Promise<void> {
		const { conversations, model, workspaceState, changed, isDemo } = this.dependencies;
		const chat = await conversations.shown();
		const [{ pickAgent }, { choice }] = await Promise.all([import('./pickAgent.ts'), this.load()]);
		const picked = await pickAgent(chat, choice, isDemo() ? undefined : model(chat.conversation), this.options());
		if (picked) {
			const { id, option } = picked;
			const before = chat.conversation.settings?.agentOptions;
			const agentOptions = option && { ...before, [id]: { ...before?.[id], [option.id]: option.value } };
			await chat.choose({ agent: id, ...defined({ agentOptions }) });
			await workspaceState.update(CHOSEN_KEY, { id, label: await choice.labelOf(chat.conversation) });
			changed(chat);
		}
	}

	/** Says that an agent waits for an answer where the user cannot see the question. */
	private tellOfQuestion(conversation: string): void {
		const { conversations, label } = this.dependencies;
		if (conversations.isVisible(conversation)) {
			return;
		}
		offer(
			vscode.l10n.t('An agent waits for your answer before it goes on.'),
			vscode.l10n.t('Show'),
			() => conversations.open(conversation),
			error => explainError(error, label()),
		);
	}
}

/** A value that is none of those asks for everything. */
function approvals(): ApprovalSetting {
	const value: unknown = readSetting('errand.agents.approvals');
	return APPROVAL_SETTINGS.find(setting => setting === value) ?? 'ask';
}
