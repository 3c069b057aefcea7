// The agent's reports about its work, as the hosts of a session receive them. All texts come from the agent and are
// hostile: titles are on one line, other texts may contain any character.

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
	/** The agent shortens its context. */
	'compact',
	/** The agent comments on its work outside its answer. */
	'notice',
	'other',
] as const;
export type ToolKind = (typeof TOOL_KINDS)[number];

export const TOOL_STATUSES = ['pending', 'in_progress', 'completed', 'failed'] as const;

/** Returns whether a tool call has ended, in whichever way. */
export const isOver = ({ status }: { status?: string | null | undefined }): boolean =>
	status === 'completed' || status === 'failed';
export type ToolStatus = (typeof TOOL_STATUSES)[number];

export interface ToolLocation {
	/** The path as the agent gives it: absolute, or relative to the session's folder. */
	path: string;
	/** The line number, counted from 1. */
	line?: number;
}

export interface ToolDiff {
	path: string;
	/** Absent if the file is new, or if the old text is not reported. A long text is cut to the changed part. */
	oldText?: string;
	newText: string;
	/** The changed part was too long, and was cut. */
	isCut?: true;
}

/** The state of a tool call after all of the agent's reports about it so far. */
export interface ToolCall {
	id: string;
	title: string;
	kind: ToolKind;
	status: ToolStatus;
	/** The exact command of a call that runs one, if the agent reports it. The words of a list are quoted. */
	command?: string | undefined;
	/**
	 * The tool of an MCP server that is called: its name with the server's, and a digest of what the user has agreed to of
	 * both. It is set by the server's gate, never by an agent.
	 */
	mcpTool?: { name: string; digest: string };
	/** The host of that server, if it is one at an address. */
	mcpHost?: string;
	/** Set if that server has to run without a sandbox. */
	isMcpOutside?: true;
	/** The arguments of the call as JSON, if the agent reports them. */
	input?: string | undefined;
	/** The arguments were too long to keep. Neither `command` nor `input` is then present. */
	isInputCut?: true | undefined;
	locations: readonly ToolLocation[];
	/** Some agents report them for some tools. Only git shows what has really changed. */
	diffs: readonly ToolDiff[];
	output: string;
}

/** An amount in a currency, by its ISO code, or in a unit of the agent's own. */
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
	/** False if the agent named more paths than could be read, so that `call` may lack one. */
	complete: boolean;
}

export interface PermissionAnswer {
	/** The id of one of the request's options, or undefined for a cancelled request. */
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

/** A question of a form. All texts except the name are without hidden characters. */
export interface FormField {
	/** Identifies the answer for the agent. It is shown only if there is no title. */
	name: string;
	title: string;
	description?: string;
	kind: 'text' | 'email' | 'uri' | 'date' | 'number' | 'integer' | 'boolean' | 'choice' | 'choices';
	isRequired: boolean;
	options?: readonly FormOption[];
	/** Bounds of the length in code points, of the number, or of the number of choices. */
	minimum?: number;
	maximum?: number;
	/** The value before the user answers. */
	value?: FormValue;
}

/**
 * The reason why a form is not shown: it asks for a secret, for a visit to an address, or for something that cannot be
 * shown; or nobody is there to answer.
 */
export type FormRefusal = 'secret' | 'address' | 'unreadable' | 'nobody';

/** A form with which the agent asks the user. A refused one has no fields. */
export interface AgentForm {
	message: string;
	fields: readonly FormField[];
	refusal?: FormRefusal;
	/** The https address that is to be opened instead, which only a login may ask for. */
	address?: string;
}

export type FormAnswer = { action: 'accept'; content: Record<string, FormValue> } | { action: 'decline' | 'cancel' };

/** A choice that an agent offers besides its model. Exactly one of its values is chosen. */
export interface AgentOption {
	id: string;
	name: string;
	/** The option's form in the protocol: the modes, a list or a switch. A switch has the values `on` and `off`. */
	kind: 'modes' | 'list' | 'switch';
	/** True if the values are the agent's modes, in whichever form. */
	isMode: boolean;
	value: string;
	values: readonly { value: string; name: string }[];
}

/** A command of the agent's own with which a message can begin, after a slash. */
export interface AgentCommand {
	name: string;
	description: string;
	/** A hint for the text after the name. */
	hint?: string;
}

export type AgentEvent =
	| { type: 'message'; text: string }
	| { type: 'thought'; text: string }
	/** `changed` names the members of the call that differ from before, or all that a new call has. */
	| { type: 'tool'; call: ToolCall; isNew: boolean; changed: readonly (keyof ToolCall)[] }
	/** The whole plan, which replaces the previous one. */
	| { type: 'plan'; entries: readonly PlanEntry[] }
	/** The tokens in the agent's context, its size, and the session's cost, as the agent counts them. */
	| { type: 'usage'; used: number; size: number; cost?: AgentCost }
	/** A permission that the agent asked for, with the answer that it got. */
	| { type: 'permission'; request: PermissionRequest; answer: PermissionAnswer }
	/** A form that was declined without asking. */
	| { type: 'form-refused'; form: AgentForm; refusal: FormRefusal }
	/** The agent's own commands, and the choices that it offers. Both arrive at any time of a session. */
	| { type: 'commands'; commands: readonly AgentCommand[] }
	| { type: 'options'; options: readonly AgentOption[] }
	/** The agent's title for the session. */
	| { type: 'title'; title: string }
	/** An update that is not understood, as the beginning of its JSON. */
	| { type: 'other'; kind: string; text: string };

export const STOP_REASONS = ['end_turn', 'max_tokens', 'max_turn_requests', 'refusal', 'cancelled'] as const;
export type StopReason = (typeof STOP_REASONS)[number];
