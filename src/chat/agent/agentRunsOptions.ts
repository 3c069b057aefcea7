import type { Logger } from '../../base/logger.ts';
import type { Client } from '../../client/types.ts';
import type { ModelLimits } from '../../contract/modelLimits.ts';
import type { CommitRanges } from '../../tasks/api.ts';
import type { ApprovalSetting } from '../model/approvals.ts';
import type { ConnectionView } from '../protocol/protocol.ts';
import type { AgentMemory } from './agentMemory.ts';
import type { AgentServers } from './agentServers.ts';
import type { AvailableAgents } from './availableAgents.ts';

/** The active connection, whose models agents work with. */
export interface AgentConnection {
	/** The connection's model, and whether only the demo answers, which no agent can work with. */
	readonly view: Pick<ConnectionView, 'model' | 'isDemo'>;
	/** True if there is a model for web searches. */
	readonly searches: boolean;
	limitsOf(model: string): ModelLimits;
	/** Returns whether a model takes images; undefined if that is not known. */
	takesImages(model: string): boolean | undefined;
}

/** The models that agents work with, and the program through which a sandbox reaches them. */
export interface AgentModels {
	client(): Promise<Pick<Client, 'chat' | 'responses' | 'search'>>;
	connection: Omit<AgentConnection, 'view'>;
	/** The program that serves the relay in a sandbox. */
	insideProgram: string;
}

/** The rules for what agents may do without a question, and the callbacks for everything else. */
export interface AgentPermissions {
	approvals(): ApprovalSetting;
	/** Knows where the user lets agents work without a sandbox. */
	memory: Pick<AgentMemory, 'isUnsandboxed' | 'allowUnsandboxed'>;
	/** Resolves to whether a sandbox is mandatory for all agents. */
	isSandboxRequired(): Promise<boolean>;
	/** Called when an agent of a conversation waits for an answer. */
	onQuestion(conversation: string): void;
}

export interface AgentRunsOptions {
	/** The folder of all conversations' data for agents. */
	folder: string;
	agents: AvailableAgents;
	servers: AgentServers;
	models: AgentModels;
	permissions: AgentPermissions;
	changes: Pick<CommitRanges, 'list' | 'takeAllowed'>;
	logger: Logger;
}
