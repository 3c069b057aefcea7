// The interface of the local service for other features.
import type { Disposable } from '../base/disposable.ts';
import type { Event } from '../base/event.ts';
import type { Transport } from '../client/core/transport.ts';
import type { StepName } from '../client/local/taskSteps.ts';
import type { Consent, MonthlyUse, TaskCheck, TaskCheckRequest, TaskSettings } from '../contract/agents.ts';
import type { Composition } from '../contract/compositions.ts';
import type { GatewayDescription } from '../contract/control.ts';
import type { FoundAnswer } from '../contract/foundServers.ts';
import type { TaskWithServers } from '../contract/mcpServers.ts';
import type { StepSearchEvent, StepSearchPlan, StepSearchRequest } from '../contract/stepSearch.ts';
import type { TaskSteps } from '../contract/taskSteps.ts';
import type { Task } from '../contract/tasks.ts';

/** The service that comes with Errand. */
export interface LocalService extends Disposable {
	/**
	 * Wraps a transport so that the local connection's requests reach the service, which is started when it is needed.
	 */
	transport(inner: Transport): Promise<Transport>;
	/** Starts the service ahead of the first request. */
	warm(): Promise<void>;
	/**
	 * Returns the present offer of the local connection: its models, providers, prefixes and aliases. Starts the
	 * service if needed, and asks the user about model servers that it has found.
	 */
	describe(): Promise<Omit<GatewayDescription, 'foundServers' | 'upstreamProblems'>>;
	/** Returns the same with the report about other model servers. */
	describeAll(): Promise<GatewayDescription>;
	/** Hands changed settings over to the service, if this window uses it. */
	handOver(): Promise<void>;
	/** Sends the user's answer about a model server that the service has found. */
	answerFoundServer(answer: FoundAnswer): Promise<void>;
	/** Returns the service's address, which is valid until the next start. Starts the service if needed. */
	origin(): Promise<string>;
	/** Makes repository folders available to the look-ups. Starts the service if needed. */
	nameRepositories(folders: readonly string[]): Promise<void>;
	/**
	 * Returns the needs of a task that the user has not allowed yet. Like the next four, it starts the service if
	 * needed and rejects with a ClientError or a UserFacingError.
	 */
	checkTask(request: TaskCheckRequest): Promise<TaskCheck>;
	/**
	 * Creates a task with MCP servers for its agents. After a failure, a task may have been created all the same, as the
	 * error says.
	 */
	createTask(request: TaskWithServers): Promise<Task>;
	/** Makes the service remember the user's consent for a repository. */
	allow(consent: Consent): Promise<void>;
	/** Returns the present settings about agents on this machine. */
	agentSettings(): Promise<TaskSettings>;
	/** Makes a commit of the work that an agent had done when its task was ended. Returns the name of its branch. */
	keepWork(taskId: string): Promise<string>;
	/** Has a result composed of the work of a task's agents. Returns the task, which works on it. */
	composeWork(taskId: string, composition: Composition): Promise<Task>;
	/** Returns a page of the steps of a task, from the step with this index. */
	readSteps(taskId: string, fromIndex: number): Promise<TaskSteps>;
	/** Writes the git bundle of a step into a new file. */
	saveStepBundle(step: StepName, file: string): Promise<void>;
	/** Returns what a search among the steps of a task, or of one of its agents, would run. */
	readSearchPlan(taskId: string, agent: number | undefined): Promise<StepSearchPlan>;
	/** Searches for the step that broke something. Resolves after its last event. */
	searchSteps(
		taskId: string,
		request: StepSearchRequest,
		onEvent: (event: StepSearchEvent) => void,
		signal: AbortSignal,
	): Promise<void>;
	/** Returns the use by tasks, the latest month first. */
	monthlyUse(): Promise<MonthlyUse>;
	/**
	 * Returns the model that chat uses if none was chosen: the first one of a model server, as the service reported
	 * when it was last asked, in this window or before. Undefined if there was only the demo.
	 */
	defaultModel(): string | undefined;
	/**
	 * Returns whether the user has stopped the service and nothing has requested it since. Background work must then
	 * not start it.
	 */
	isStopped(): boolean;
	readonly onDidChangeStopped: Event<void>;
	/**
	 * Fires when the result of `describe` may have changed: the model servers or agents of the settings, the keys of
	 * model servers, or the installed agents.
	 */
	readonly onDidChange: Event<void>;
}
