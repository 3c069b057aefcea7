import type { Logger } from '../../base/logger.ts';
import type { Client } from '../../client/types.ts';
import type { ModelLimits } from '../../contract/modelLimits.ts';
import type { ApprovalSetting } from '../model/approvalPolicy.ts';
import type { CommitRanges } from '../model/chatTasks.ts';
import type { SandboxConsent } from './agentPlace.ts';
import type { AvailableAgents } from './availableAgents.ts';

/** The models that agents work with, and the way to them out of a sandbox. */
export interface AgentModels {
	client(): Promise<Pick<Client, 'chat' | 'responses'>>;
	/** Returns what is known of a model's limits. */
	limits(model: string): ModelLimits;
	/** The program that serves the relay in a sandbox. */
	insideProgram: string;
}

/** What agents may do, and who answers where that is not settled. */
export interface AgentPermissions {
	approvals(): ApprovalSetting;
	consent: SandboxConsent;
	/** Called when an agent of a conversation waits for an answer. */
	onQuestion(conversation: string): void;
}

export interface AgentRunsOptions {
	/** The folder of what conversations keep for their agents. */
	folder: string;
	agents: AvailableAgents;
	models: AgentModels;
	permissions: AgentPermissions;
	changes: Pick<CommitRanges, 'list' | 'takeAllowed'>;
	logger: Logger;
}
