import type { IncomingMessage, ServerResponse } from 'node:http';
import type { SandboxProblem, SandboxStatus } from '../../contract/agents.ts';
import type { ModelCallEvents } from './relay/taskGateway.ts';

/** The models of one run: the one that was chosen for it, under the policy and the limits of its task. */
export interface RunModels {
	/** The limit of the cost in US dollars, or undefined if there is none. */
	readonly maxCost: number | undefined;
	/** Takes what the agent says that its run has cost, in US dollars. The larger figure counts against the limit. */
	tellCost(cost: number): void;
	/** Resolves when every call so far has ended and `onCall` was called for it. */
	allCounted(): Promise<void>;
	handle(request: IncomingMessage, response: ServerResponse): void;
}

/** What the user has answered about the dependencies of a repository. */
export interface DependencyAnswer {
	/** Each has the form `host:port`. */
	hosts: readonly string[];
	allowsScripts: boolean;
}

/** What runs of agents need from the service beside the store. */
export interface RunServices {
	probeSandbox(): Promise<SandboxStatus>;
	/** Whether the user has allowed agents to run in this repository although there is no sandbox for this reason. */
	allowsUnsandboxed(repoUrl: string, problem: SandboxProblem): Promise<boolean>;
	/** Undefined where the user has not been asked. */
	dependencyAnswer(repoUrl: string): Promise<DependencyAnswer | undefined>;
	/** Has the user asked before the next task for hosts that an installation failed without, as `host:port`. */
	rememberMissing(repoUrl: string, hosts: readonly string[]): Promise<void>;
	/** `model` is the model of the run, in any form that a request may name it. */
	openModels(model: string, events: ModelCallEvents): RunModels;
	/** The folders that no sandbox shows: those of the service. */
	privateFolders: readonly string[];
	/** The program that serves the relay in a sandbox. */
	insideProgram: string;
}
