// The page's view of an agent's work, and its messages about it. Plain types, because the page has no zod. All texts
// come from the agent and are hostile.
import type { FormValue, PlanEntry } from '../../agents/session/events.ts';
import type { AgentStep, Approval, LeftOutFolder, WorkFile } from '../model/agentWork.ts';
import type { ApprovalAnswer, ApprovalLevel, ApprovalSetting } from '../model/approvals.ts';
import type { DiffLine } from '../model/lineDiff.ts';

export interface WorkView {
	/** The agent's name. */
	label: string;
	/** The folders in whose copies the agent works. */
	folders: readonly FolderView[];
	/** The folders of the window of which the agent has no copy. */
	leftOut?: readonly LeftOutFolder[];
	isSandboxed: boolean;
	/** The approval level of the turn. */
	approvals?: ApprovalLevel;
	/** Set if the agent was to change nothing and to end with a plan. */
	isPlan?: true;
	/** The agent's summary of earlier turns, if it has no memory of them. */
	summary?: string;
	/** The title of the step of the turn before with whose files the agent began. */
	startedFrom?: string;
	/** Set if the rest of the previous turn's changes cannot be merged with the user's files; it stays with that turn. */
	isSetAside?: true;
	steps: StepView[];
	/** The number of further steps, which are not stored. */
	further?: number;
	plan?: readonly PlanEntry[];
	changes?: ChangesView;
}

export interface FolderView {
	/** The subfolder of the agent's folder, if it works in several repositories. */
	at?: string;
	/** The user's folder, in the usual short form. */
	name: string;
}

/** The files that a turn has changed. */
export interface ChangesView {
	/** The first files, sorted by path. */
	files: readonly WorkFile[];
	count: number;
	/** The number of files with changes in the agent's copy that the user's own files lack. */
	left: number;
	/** True if the user's files have some of the changes. */
	canUndo: boolean;
}

/** A step without what the page asks for when it is needed. */
export interface StepView extends Omit<AgentStep, 'input' | 'output' | 'diffs' | 'states' | 'approval'> {
	diffs?: StepDiffView[];
	/** True if there is an output for `step-request`. */
	hasOutput: boolean;
	approval?: ApprovalView;
	/** Set if the step has changed files, and there is something to be done with the files as of it. */
	hasStates?: true;
}

export interface StepDiffView {
	path: string;
	isNew: boolean;
	/** Absent if the change is too large to be counted. */
	added?: number;
	removed?: number;
}

export interface ApprovalView extends Approval {
	/** The effects of a waiting step: the beginning of each change, and any input of the tool that nothing else shows. */
	changes?: { path: string; isNew: boolean; lines: DiffLine[]; isCut: boolean }[];
	input?: string;
}

export type WorkChange =
	| { kind: 'step-set'; turn: string; step: StepView }
	/** Everything but the steps. */
	| { kind: 'work-set'; turn: string; work: Omit<WorkView, 'steps'> };

export type WorkFromPage =
	/** Answers a question, by the id in its approval. */
	| { kind: 'step-answer'; turn: string; question: string; answer: ApprovalAnswer }
	/** Submits a form. The answer says why it is not sent. */
	| { kind: 'step-fill'; request: string; turn: string; question: string; values: Record<string, FormValue> }
	/** Asks for the output of a step. */
	| { kind: 'step-request'; request: string; turn: string; step: string }
	/** Opens the change of a file beside the previous version, by its position in the step. */
	| { kind: 'step-diff-open'; turn: string; step: string; index: number }
	/** The user wants to choose what to do with the files as of a step. */
	| { kind: 'step-act'; turn: string; step: string }
	/** Opens a place that the step is about. */
	| { kind: 'step-place-open'; turn: string; step: string; index: number }
	/** Opens the changes of a turn or of one of its files, takes them over from the copy, or undoes them. */
	| { kind: 'work-compare' | 'work-take' | 'work-undo'; turn: string; file?: string }
	/** Puts the plan of a turn into the composer. */
	| { kind: 'work-plan-use'; turn: string }
	/** The user wants to choose the agent. */
	| { kind: 'agent-pick' }
	/** The user has chosen what agents ask about. */
	| { kind: 'approvals-choose'; approvals: ApprovalSetting };

/** The longest id of a step, and the longest path of a file. */
export const MAXIMUM_STEP_ID = 1_000;
export const MAXIMUM_WORK_PATH = 4_096;
