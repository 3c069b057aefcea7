import type { IncomingMessage, ServerResponse } from 'node:http';
import type { SandboxProblem, SandboxStatus } from '../../contract/agents.ts';
import type { ModelCall } from './relay/modelCall.ts';

export interface RunModelsOptions {
	model: string;
	onCall(call: ModelCall): void;
	/** Called once, with a sentence, when the run has spent what it may. */
	onOverBudget(sentence: string): void;
	/** Called once, with a sentence, when a call is served whose cost the limit cannot count. */
	onUnpriced(sentence: string): void;
	/** Gets a sentence for each request that is refused, a bounded number of times. */
	onRefused(sentence: string): void;
}

/** The models of one run: the one that was chosen for it, under the policy and the limits of its task. */
export interface RunModels {
	/** The limit of the cost in US dollars, or undefined if there is none. */
	readonly maxCost: number | undefined;
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
	openModels(options: RunModelsOptions): RunModels;
	/** The folders that no sandbox shows: those of the service. */
	privateFolders: readonly string[];
	/** The program that serves the relay in a sandbox. */
	insideProgram: string;
}
