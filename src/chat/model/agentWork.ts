// The work of an agent in one reply, as the conversation stores it. Values are immutable. All texts come from the agent
// and are hostile; they are shown as plain text.
import type * as z from 'zod';
import { type AgentEvent, type FormField, isOver, type ToolCall, type ToolDiff } from '../../agents/session/events.ts';
import { append } from '../../base/append.ts';
import { defined } from '../../base/defined.ts';
import type { Immutable } from '../../base/immutable.ts';
import type { agentWorkSchema, stepSchema } from './agentWorkSchema.ts';
import { madeTitle } from './title.ts';

/** The number of a reply's steps that are stored. Later ones are only counted. */
export const MAXIMUM_STEPS = 2_000;

/** The length to which a step's output is cut, in UTF-16 code units. Its end says how a command ended. */
export const MAXIMUM_OUTPUT = 20_000;

/** The limit for all outputs and changes of a reply, in UTF-16 code units. The oldest steps lose theirs first. */
export const MAXIMUM_KEPT = 2_000_000;

/** The number of updates of unknown kinds that are stored. */
const MAXIMUM_UNKNOWN = 20;

/** The state of an agent's request for approval of a step. */
export type Approval = NonNullable<AgentStep['approval']>;

/** The change of a file as the agent reports it. The checkpoint has the actual change. */
export type StepDiff = NonNullable<AgentStep['diffs']>[number];

/** The state of the files of one repository after a step that has changed some. */
export type StepFiles = NonNullable<AgentStep['states']>[number];

/** A hunk that the user has refused, as the file with it and the file without it have it. */
export type RefusedPart = NonNullable<StepFiles['refused']>[number];

/** One tool call of the agent. */
export interface AgentStep extends Immutable<Omit<z.output<typeof stepSchema>, 'form'>> {
	/** Set if the step is a form of the agent. It has fields while it waits. The answer `once` means it was filled in. */
	readonly form?: readonly FormField[];
}

/** A file that differs between the two commits of a checkpoint. */
export type WorkFile = NonNullable<AgentWork['files']>[number];

/** A folder of which the agent has no copy. */
export type LeftOutFolder = NonNullable<AgentWork['leftOut']>[number];

/** The size of an agent's context as the agent reports it, in tokens. */
export type AgentContext = NonNullable<AgentWork['context']>;

export interface AgentWork extends Immutable<Omit<z.output<typeof agentWorkSchema>, 'steps'>> {
	/** In the order in which they began. */
	readonly steps: readonly AgentStep[];
}

/** Returns whether the agent's copy of a file has changes that the user's own file lacks. */
export function isInCopy({ isTaken, isLeft }: WorkFile): boolean {
	return !isTaken || isLeft === true;
}

/** Files of a repository whose changes the user has taken over or undone. */
export interface TakenFiles {
	repository: string;
	taken: string;
	/** Their paths relative to the agent's folder. */
	paths: readonly string[];
	isTaken: boolean;
}

/** Facts that the host adds to an agent's event. */
export interface WorkMoment {
	/** The length of the reply's text so far. */
	offset: number;
	now: number;
	/** Returns a path of the agent as it is shown: relative to its folder if it lies in there. */
	shownPath(path: string): string;
	/** Returns a title of the agent, with paths shown in the same way. */
	shownTitle(title: string): string;
}

/** Returns the work after one event of the agent, or the same value if the event changes nothing that is stored. */
export function withAgentEvent(work: AgentWork, event: AgentEvent, moment: WorkMoment): AgentWork {
	switch (event.type) {
		case 'tool':
			return withCall(work, event.call, moment);
		case 'plan':
			return { ...work, plan: event.entries };
		case 'usage': {
			const { type: _, ...context } = event;
			return JSON.stringify(work.context) === JSON.stringify(context) ? work : { ...work, context };
		}
		case 'title': {
			const title = madeTitle(event.title);
			return title === undefined || title === work.title ? work : { ...work, title };
		}
		case 'other': {
			const { unknown = [] } = work;
			const { kind, text } = event;
			return unknown.length < MAXIMUM_UNKNOWN ? { ...work, unknown: [...unknown, { kind, text }] } : work;
		}
		default:
			return work;
	}
}

/** Adds or replaces the step of a call. */
export function withCall(work: AgentWork, call: ToolCall, moment: WorkMoment, asked?: AskedStep): AgentWork {
	const index = work.steps.findLastIndex(({ id }) => id === call.id);
	const known = work.steps[index];
	if (known?.approval?.state === 'waiting') {
		// The user answers the question as shown, so an agent must not change the step meanwhile.
		return work;
	}
	if (known === undefined && asked === undefined && work.steps.length >= MAXIMUM_STEPS) {
		return isOver(call) ? { ...work, further: (work.further ?? 0) + 1 } : work;
	}
	const step = { ...stepOf(call, known, moment), ...asked };
	const steps = known === undefined ? [...work.steps, step] : work.steps.with(index, step);
	return { ...work, steps: withinLength(steps, step) };
}

/** The fields that a question about a step adds to it. */
type AskedStep = Pick<AgentStep, 'approval' | 'input' | 'diffs'>;

/** Adds a question about a call. `shown` are the changes to show, if they differ from those that the agent reports. */
export function withQuestion(
	work: AgentWork,
	call: ToolCall,
	approval: Approval,
	moment: WorkMoment,
	shown?: readonly StepDiff[],
): AgentWork {
	// The agent's earlier report on the call may differ from the call that it asks about now.
	const known = work.steps.findLastIndex(({ id }) => id === call.id);
	const steps = known < 0 ? work.steps : work.steps.with(known, withoutAnswer(work.steps[known] as AgentStep));
	const { input } = call;
	return withCall({ ...work, steps }, call, moment, { approval, ...defined({ input, diffs: shown }) });
}

function withoutAnswer({
	approval: _,
	diffs: __,
	input: ___,
	mcpTool: ____,
	mcpHost: _____,
	isMcpOutside: ______,
	...step
}: AgentStep): AgentStep {
	return step;
}

/** Records the answer to the question about a call, or the decision that was made without one. */
export function withAnswer(work: AgentWork, call: ToolCall, approval: Approval, moment: WorkMoment): AgentWork {
	const told = withCall(work, call, moment);
	const index = told.steps.findLastIndex(step => step.id === call.id);
	const step = told.steps[index];
	if (step === undefined) {
		return told;
	}
	// The duration of a step does not include the wait for the answer.
	const startedAt = step.approval?.state === 'waiting' ? moment.now : step.startedAt;
	return { ...told, steps: told.steps.with(index, { ...step, approval, startedAt }) };
}

/** Returns the step whose question waits for the user, if any. At most one waits at a time. */
export function waitingStep<Step extends { approval?: Approval }>(
	work: { steps: readonly Step[] } | undefined,
): Step | undefined {
	return work?.steps.findLast(({ approval }) => approval?.state === 'waiting');
}

/** Returns the work after the agent has ended. A question without an answer was not allowed. */
export function endedWork(work: AgentWork, now: number | undefined): AgentWork {
	const steps = work.steps.map((step): AgentStep => {
		if (step.state !== 'running') {
			return step;
		}
		const { approval } = step;
		const unanswered = approval?.state === 'waiting' ? { approval: { ...approval, state: 'unanswered' as const } } : {};
		return { ...step, state: 'stopped', ...unanswered, ...defined({ endedAt: now }) };
	});
	return steps.some((step, index) => step !== work.steps[index]) ? { ...work, steps } : work;
}

/** Marks the changes of files as taken over by the user, or as undone. `taken` is their checkpoint's new `taken`. */
export function markFiles(work: AgentWork, { repository, taken, paths, isTaken }: TakenFiles): AgentWork {
	const named = new Set(paths);
	const checkpoints = work.checkpoints.map(kept => (kept.repository === repository ? { ...kept, taken } : kept));
	const files = work.files?.map(file => {
		const { isTaken: _, isLeft: __, isUndone: ___, ...others } = file;
		const mark = isTaken ? { isTaken: true as const } : { isUndone: true as const };
		return named.has(file.path) ? { ...others, ...mark } : file;
	});
	return { ...work, checkpoints, ...defined({ files }) };
}

/** Adds a state of the files after a step. */
export function withStepState(work: AgentWork, id: string, state: StepFiles): AgentWork {
	return changeStep(work, id, step => ({ ...step, states: [...(step.states ?? []), state] }));
}

/** Returns the work without the states of its steps, or the same value if it has none. */
export function withoutStates(work: AgentWork): AgentWork {
	return work.steps.some(({ states }) => states)
		? { ...work, steps: work.steps.map(({ states: _, ...step }) => step) }
		: work;
}

/**
 * Returns the state of each repository after a step: the one that this step or the last one before it has left. Empty for
 * a step that is not there.
 */
export function statesAsOf({ steps }: AgentWork, id: string): Map<string, StepFiles> {
	const last = steps.findIndex(step => step.id === id);
	const states = steps.slice(0, last + 1).flatMap(step => step.states ?? []);
	return new Map(states.map(state => [state.repository, state]));
}

/** Records whether the user's files have the allowed changes of a step. */
export function withStepTaken(work: AgentWork, id: string, isTaken: boolean): AgentWork {
	return changeStep(work, id, step => ({ ...step, isTaken }));
}

function changeStep(work: AgentWork, id: string, change: (step: AgentStep) => AgentStep): AgentWork {
	const index = work.steps.findLastIndex(step => step.id === id);
	const step = work.steps[index];
	return step === undefined ? work : { ...work, steps: work.steps.with(index, change(step)) };
}

function stepOf(
	call: ToolCall,
	known: AgentStep | undefined,
	{ offset, now, shownPath, shownTitle }: WorkMoment,
): AgentStep {
	const { id, kind, title, command, locations, diffs, output, status, mcpTool, mcpHost, isMcpOutside } = call;
	const state = status === 'completed' ? 'done' : status === 'failed' ? 'failed' : 'running';
	const endedAt = state === 'running' ? undefined : (known?.endedAt ?? now);
	return {
		id,
		offset: known?.offset ?? offset,
		kind,
		state,
		title: shownTitle(title),
		startedAt: known?.startedAt ?? now,
		...defined({
			command,
			mcpTool: mcpTool?.name ?? known?.mcpTool,
			mcpHost: mcpHost ?? known?.mcpHost,
			isMcpOutside: isMcpOutside ?? known?.isMcpOutside,
			input: known?.input,
			approval: known?.approval,
			isTaken: known?.isTaken,
			states: known?.states,
			endedAt,
			locations:
				locations.length === 0
					? undefined
					: locations.map(({ path, line }) => ({ path: shownPath(path), ...defined({ line }) })),
		}),
		// The changes that the user was asked about are kept: some agents no longer report them once they are made, and no
		// agent may replace them.
		...defined({
			diffs: (known?.approval && known.diffs) ?? shownDiffs(diffs, shownPath),
			output: output === '' ? undefined : endOf(output),
		}),
	};
}

function shownDiffs(diffs: readonly ToolDiff[], shownPath: WorkMoment['shownPath']): StepDiff[] | undefined {
	return diffs.length === 0 ? undefined : diffs.map(diff => shownDiff(diff, shownPath));
}

/** Returns a change that an agent reports, as it is shown. */
export function shownDiff({ path, oldText, newText }: ToolDiff, shownPath: WorkMoment['shownPath']): StepDiff {
	return { path: shownPath(path), after: newText, ...defined({ before: oldText }) };
}

/** Keeps the end of the output, because it says how a command ended. */
function endOf(output: string): string {
	return output.length <= MAXIMUM_OUTPUT ? output : `…${output.slice(-MAXIMUM_OUTPUT).toWellFormed()}`;
}

/** Reduces the oldest steps to their titles. The checkpoints still have their changes. */
function withinLength(steps: readonly AgentStep[], latest: AgentStep): readonly AgentStep[] {
	let length = steps.reduce((sum, step) => sum + lengthOf(step), 0);
	if (length <= MAXIMUM_KEPT) {
		return steps;
	}
	return steps.map(step => {
		if (length <= MAXIMUM_KEPT || step === latest || step.approval?.state === 'waiting') {
			return step;
		}
		const { output: _, diffs: __, input: ___, command: ____, locations: _____, ...others } = step;
		length -= lengthOf(step);
		return others;
	});
}

function lengthOf({ output = '', input = '', command = '', diffs = [], locations = [] }: AgentStep): number {
	const texts = [output, input, command, ...locations.map(({ path }) => path)];
	append(
		texts,
		diffs.flatMap(({ path, before = '', after }) => [path, before, after]),
	);
	return texts.reduce((sum, text) => sum + text.length, 0);
}
