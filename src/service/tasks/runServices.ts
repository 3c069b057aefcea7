import type { IncomingMessage, ServerResponse } from 'node:http';
import type { SandboxProblem, SandboxStatus } from '../../contract/agents.ts';
import type { DependencyConsent } from '../store/consentStore.ts';
import type { CostSettings, ModelCallEvents } from './relay/taskGateway.ts';

/** The model access of one run: the chosen model, under the policy and the limits of the task. */
export interface RunModels {
	/** The limit of the cost in US dollars, or undefined if there is none. */
	readonly maxCost: number | undefined;
	/** The names of the settings that hold the limit and the prices. */
	readonly settings: CostSettings;
	/** Receives the cost of the run that the agent reports, in US dollars. The larger figure counts against the limit. */
	tellCost(cost: number): void;
	/** Resolves when every call so far has ended and `onCall` was called for it. */
	allCounted(): Promise<void>;
	handle(request: IncomingMessage, response: ServerResponse): void;
	/** Searches the web, as a call of the run. */
	search(query: string, signal: AbortSignal): Promise<string>;
}

/** The services that agent runs need in addition to the store. */
export interface RunServices {
	probeSandbox(): Promise<SandboxStatus>;
	/** Resolves with whether the user lets agents run in this repository without a sandbox, for this reason. */
	allowsUnsandboxed(repoUrl: string, problem: SandboxProblem): Promise<boolean>;
	/** Resolves with undefined if the user has not been asked. */
	dependencyAnswer(repoUrl: string): Promise<DependencyConsent | undefined>;
	/** Resolves with whether the user lets tasks of this repository search the web, and there is a model for it. */
	allowsSearch(repoUrl: string): Promise<boolean>;
	/** Stores hosts (`host:port`) that an installation failed without, to ask the user before the next task. */
	rememberMissing(repoUrl: string, hosts: readonly string[]): Promise<void>;
	/** `model` is the model of the run, in any form in which a request may name it. */
	openModels(model: string, events: ModelCallEvents): RunModels;
	/** The folders that sandboxes hide: those of the service. */
	privateFolders: readonly string[];
	/** The program that serves the relay in a sandbox. */
	insideProgram: string;
}
