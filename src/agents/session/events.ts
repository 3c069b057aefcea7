// What an agent tells of its work, as the hosts of a session get it. All texts come from the agent and are hostile:
// titles are on one line, other texts may contain any character.

export const TOOL_KINDS = [
	'read',
	'edit',
	'delete',
	'move',
	'search',
	'execute',
	'think',
	'fetch',
	'switch_mode',
	/** The agent makes its context shorter. */
	'compact',
	/** The agent says something about its work that is no part of its answer. */
	'notice',
	'other',
] as const;
export type ToolKind = (typeof TOOL_KINDS)[number];

export const TOOL_STATUSES = ['pending', 'in_progress', 'completed', 'failed'] as const;
export type ToolStatus = (typeof TOOL_STATUSES)[number];

export interface ToolLocation {
	/** The path that the agent names: absolute, or relative to the session's folder. */
	path: string;
	/** The number of the line, counted from 1. */
	line?: number;
}

export interface ToolDiff {
	path: string;
	/** Absent if the file is new, or if the agent does not say what was there. A long text is cut to what changes in it. */
	oldText?: string;
	newText: string;
	/** The part that changes is too long, and was cut. */
	isCut?: true;
}

/** The state of a tool call after everything that the agent has told about it so far. */
export interface ToolCall {
	id: string;
	title: string;
	kind: ToolKind;
	status: ToolStatus;
	/** The exact command of a call that runs one, if the agent tells it. The words of a list are quoted. */
	command?: string | undefined;
	/** The tool of an MCP server that is called, as `server.tool`. The server's gate has set it, and no agent. */
	mcpTool?: string;
	/** What the tool was called with, as JSON, if the agent tells it. */
	input?: string | undefined;
	/** It was called with more than is kept. Then neither `command` nor `input` is there. */
	isInputCut?: true | undefined;
	locations: readonly ToolLocation[];
	/** Some agents report them for some tools. Git alone says what has really changed. */
	diffs: readonly ToolDiff[];
	output: string;
}

/** A sum in a currency, by its ISO code, or in a unit of the agent's own. */
export interface AgentCost {
	amount: number;
	currency: string;
}

export const PLAN_STATUSES = ['pending', 'in_progress', 'completed'] as const;

export interface PlanEntry {
	content: string;
	status: (typeof PLAN_STATUSES)[number];
}

export const PERMISSION_KINDS = ['allow_once', 'allow_always', 'reject_once', 'reject_always'] as const;

export interface PermissionOption {
	id: string;
	name: string;
	kind: (typeof PERMISSION_KINDS)[number];
}

export interface PermissionRequest {
	/** The tool call that waits for the answer. */
	call: ToolCall;
	options: readonly PermissionOption[];
	/** False if the agent named more than could be read, so that `call` may lack a path. */
	complete: boolean;
}

export interface PermissionAnswer {
	/** The id of one of the request's options. Undefined answers that the request was cancelled. */
	option: string | undefined;
	/** The reason, as a sentence or a part of one. */
	reason?: string;
}

export type FormValue = string | number | boolean | string[];

export interface FormOption {
	value: string;
	title: string;
	description?: string;
}

/** A question of a form. Texts but the name are without hidden characters. */
export interface FormField {
	/** Names the answer for the agent, and is not shown where there is a title. */
	name: string;
	title: string;
	description?: string;
	kind: 'text' | 'email' | 'uri' | 'date' | 'number' | 'integer' | 'boolean' | 'choice' | 'choices';
	isRequired: boolean;
	/** What can be chosen, where the kind is a choice. */
	options?: readonly FormOption[];
	/** Bounds of the length in code points, of the number, or of how many are chosen. */
	minimum?: number;
	maximum?: number;
	/** What is there before the user answers. */
	value?: FormValue;
}

/**
 * Why a form is not shown: it asks for a secret, for a visit to an address, or for something that cannot be shown; or nobody
 * is there to answer.
 */
export type FormRefusal = 'secret' | 'address' | 'unreadable' | 'nobody';

/** What an agent wants to know before it goes on. One that is refused has no fields. */
export interface AgentForm {
	message: string;
	fields: readonly FormField[];
	refusal?: FormRefusal;
}

export type FormAnswer = { action: 'accept'; content: Record<string, FormValue> } | { action: 'decline' | 'cancel' };

/** What can be chosen of an agent besides its model. One of several values is chosen of an option. */
export interface AgentOption {
	id: string;
	name: string;
	/** Which of the protocol's forms it has: the modes, a list or a switch. A switch has the values `on` and `off`. */
	kind: 'modes' | 'list' | 'switch';
	/** Its values are the agent's modes, in whichever form. */
	isMode: boolean;
	/** The value that it has now. */
	value: string;
	values: readonly { value: string; name: string }[];
}

/** A command of the agent's own that a message can begin with, after a slash. */
export interface AgentCommand {
	name: string;
	description: string;
	/** What is typed after the name. */
	hint?: string;
}

export type AgentEvent =
	/** A piece of the answer. */
	| { type: 'message'; text: string }
	/** A piece of the agent's reasoning. */
	| { type: 'thought'; text: string }
	/** `changed` names the members of the call that differ from its state before; of a new call, those that it has. */
	| { type: 'tool'; call: ToolCall; isNew: boolean; changed: readonly (keyof ToolCall)[] }
	/** The whole plan, which replaces the one before. */
	| { type: 'plan'; entries: readonly PlanEntry[] }
	/** The tokens in the agent's context and how many it can hold, and what the session has cost, as the agent counts it. */
	| { type: 'usage'; used: number; size: number; cost?: AgentCost }
	/** A permission that the agent asked for, with the answer that it got. */
	| { type: 'permission'; request: PermissionRequest; answer: PermissionAnswer }
	/** A form that was declined without a question. */
	| { type: 'form-refused'; form: AgentForm; refusal: FormRefusal }
	/** What the agent can be told to do by a command, and what can be chosen of it. Both come at any time of a session. */
	| { type: 'commands'; commands: readonly AgentCommand[] }
	| { type: 'options'; options: readonly AgentOption[] }
	/** What the agent calls the session. */
	| { type: 'title'; title: string }
	/** An update that is not understood, as the beginning of its JSON. */
	| { type: 'other'; kind: string; text: string };

/** How a prompt ended. */
export const STOP_REASONS = ['end_turn', 'max_tokens', 'max_turn_requests', 'refusal', 'cancelled'] as const;
export type StopReason = (typeof STOP_REASONS)[number];
