import type { AgentOption } from '../../agents/session/agentOptions.ts';
import type { Logger } from '../../base/logger.ts';
import type { Client } from '../../client/types.ts';
import type { WorkFile } from '../model/agentWork.ts';
import type { ApprovalSetting } from '../model/approvalPolicy.ts';
import type { SandboxConsent } from './agentPlace.ts';
import type { AvailableAgents } from './availableAgents.ts';

/** Two commits of a repository. */
export interface CommitRange {
	/** The top folder of the repository. */
	repository: string;
	from: string;
	to: string;
}

export interface AgentRunsOptions {
	/** The folder of what conversations keep for their agents. */
	folder: string;
	/** The program that serves the relay in a sandbox. */
	insideProgram: string;
	choice: AvailableAgents;
	client(): Promise<Pick<Client, 'chat' | 'responses'>>;
	/** Returns what is known of a model's limits. */
	limits(model: string): { contextLength?: number; maxOutputTokens?: number };
	approvals(): ApprovalSetting;
	consent: SandboxConsent;
	/** Whether only the demo answers, which no agent can work with. */
	isDemo(): boolean;
	/** Lists the files that differ between two commits, sorted by path. */
	listChanges(range: CommitRange): Promise<WorkFile[]>;
	/**
	 * Takes changes that the user has seen and allowed into their files, where nothing of theirs is in the way. Resolves with
	 * the paths of the files that have them.
	 */
	takeAllowed(range: CommitRange): Promise<string[]>;
	/** Called with what can be chosen of an agent, once it has told it. */
	onOptions(agent: string, options: readonly AgentOption[]): void;
	/** Called when an agent of a conversation waits for an answer. */
	onQuestion(conversation: string): void;
	logger: Logger;
}
