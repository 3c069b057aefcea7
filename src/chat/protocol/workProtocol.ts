// What the page shows of the work of an agent, and what it asks about it. Plain types, because the page has no zod. All
// texts come from the agent and are hostile.
import type { FormField, FormValue, PlanEntry, ToolKind } from '../../agents/session/events.ts';
import type {
	Approval,
	ApprovalAnswer,
	ApprovalLevel,
	ApprovalSetting,
	LeftOutFolder,
	StepState,
	WorkFile,
} from '../model/agentWork.ts';
import type { DiffLine } from '../model/lineDiff.ts';

export interface WorkView {
	/** The agent's name. */
	label: string;
	/** The folders that it works in copies of. */
	folders: readonly FolderView[];
	/** The folders of the window that it has nothing of. */
	leftOut?: readonly LeftOutFolder[];
	isSandboxed: boolean;
	/** What the user was asked about. */
	approvals?: ApprovalLevel;
	/** The agent was to change nothing and to end with a plan. */
	isPlan?: true;
	/** What the agent was told of earlier turns, where it has no memory of them. */
	summary?: string;
	/** What the turn before had left in the copy does not fit the user's files, and stays with that turn. */
	isSetAside?: true;
	steps: StepView[];
	/** The number of steps that are not kept. */
	further?: number;
	plan?: readonly PlanEntry[];
	changes?: ChangesView;
}

export interface FolderView {
	/** The agent's folder for it, where it has several. */
	at?: string;
	/** The user's folder, as people write it. */
	name: string;
}

/** The files that a turn has changed. */
export interface ChangesView {
	/** The first of them, sorted by path. */
	files: readonly WorkFile[];
	count: number;
	/** The number of files of which the agent's copy has something that the user's own have not. */
	left: number;
	/** The user's files have some of the changes. */
	canUndo: boolean;
}

export interface StepView {
	id: string;
	/** The length of the reply's text when the step began. */
	offset: number;
	kind: ToolKind;
	state: StepState;
	title: string;
	/** The exact command. */
	command?: string;
	/** The tool of an MCP server that it calls, as `server.tool`. */
	mcpTool?: string;
	locations?: readonly { path: string; line?: number }[];
	diffs?: StepDiffView[];
	/** It has a text that `step-request` asks for. */
	hasOutput: boolean;
	/** Milliseconds since the epoch. */
	startedAt: number;
	endedAt?: number;
	approval?: ApprovalView;
	/** Whether the user's files have the changes that were allowed. */
	isTaken?: boolean;
	/** The fields of a form. It has none once it does not wait any more. */
	form?: readonly FormField[];
}

export interface StepDiffView {
	path: string;
	isNew: boolean;
	/** Absent where the change is too large to be counted. */
	added?: number;
	removed?: number;
}

export interface ApprovalView extends Approval {
	/**
	 * What would happen, while the step waits: the beginning of each change, and all that the tool is called with that
	 * nothing else says.
	 */
	changes?: { path: string; isNew: boolean; lines: DiffLine[]; isCut: boolean }[];
	input?: string;
}

export type WorkChange =
	| { kind: 'step-set'; turn: string; step: StepView }
	/** Everything but the steps. */
	| { kind: 'work-set'; turn: string; work: Omit<WorkView, 'steps'> };

export type WorkFromPage =
	/** Answers a question, as the approval names it. */
	| { kind: 'step-answer'; turn: string; question: string; answer: ApprovalAnswer }
	/** Answers a form. The answer says why it is not sent. */
	| { kind: 'step-fill'; request: string; turn: string; question: string; values: Record<string, FormValue> }
	/** Asks for the output of a step. */
	| { kind: 'step-request'; request: string; turn: string; step: string }
	/** Opens the change of a file beside what it was, by its position in the step. */
	| { kind: 'step-diff-open'; turn: string; step: string; index: number }
	/** Opens a place that the step is about. */
	| { kind: 'step-place-open'; turn: string; step: string; index: number }
	/**
	 * Opens the changes of a turn, or of one of its files; takes them over from the copy; or takes them back.
	 */
	| { kind: 'work-compare' | 'work-take' | 'work-undo'; turn: string; file?: string }
	/** Puts the plan of a turn into the composer. */
	| { kind: 'work-plan-use'; turn: string }
	/** The user wants to choose the agent. */
	| { kind: 'agent-pick' }
	/** What agents ask about was chosen. */
	| { kind: 'approvals-choose'; approvals: ApprovalSetting };

/** The longest id of a step, and the longest path of a file. */
export const MAXIMUM_STEP_ID = 1_000;
export const MAXIMUM_WORK_PATH = 4_096;
