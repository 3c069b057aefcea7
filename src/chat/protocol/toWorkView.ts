import os from 'node:os';
import path from 'node:path';
import { defined } from '../../base/defined.ts';
import { pathWithin } from '../../base/filePlace.ts';
import { type AgentStep, type AgentWork, isInCopy, type StepDiff } from '../model/agentWork.ts';
import { furtherInput } from '../model/approvalPolicy.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import { type LineDiff, lineDiff } from '../model/lineDiff.ts';
import type { ApprovalView, ChangesView, StepDiffView, StepView, WorkChange, WorkView } from './workProtocol.ts';

/** The maximum number of lines of a change, and the length of each, in a question. The rest opens in the editor. */
const MAXIMUM_LINES = 60;
const MAXIMUM_LINE = 1_000;

/** The maximum number of changed files that the page lists. */
const MAXIMUM_FILES = 200;

/** A step never changes in place, so its view is cached, because counting its lines takes time. */
const stepViews = new WeakMap<AgentStep, StepView>();

/** With `isOver`, includes the changes of files: only after the agent has ended can something be done about them. */
export function toWorkView(work: AgentWork, isOver: boolean): WorkView {
	return {
		...withoutSteps(work),
		...defined({ changes: isOver ? changesOf(work) : undefined }),
		steps: work.steps.map(toStepView),
	};
}

/** Returns the changes that the page must be told of while the agent works, given the work that it knows. */
export function workChanges(turn: string, before: AgentWork, after: AgentWork): WorkChange[] {
	const { steps, ...others } = after;
	const changes: WorkChange[] = steps
		.filter((step, index) => step !== before.steps[index])
		.map(step => ({ kind: 'step-set', turn, step: toStepView(step) }));
	const isSame = Object.entries(others).every(([name, value]) => before[name as keyof AgentWork] === value);
	return isSame ? changes : [...changes, { kind: 'work-set', turn, work: withoutSteps(after) }];
}

function withoutSteps(work: AgentWork): Omit<WorkView, 'steps'> {
	const {
		label,
		checkpoints,
		leftOut,
		isSandboxed,
		approvals,
		isPlan,
		isSetAside,
		summary,
		startedFrom,
		further,
		plan,
	} = work;
	return {
		label,
		folders: checkpoints.map(kept => ({ name: placeWords(kept), ...defined({ at: kept.at }) })),
		isSandboxed,
		...defined({
			leftOut: leftOut?.map(({ folder, ...others }) => ({ folder: shortFolder(folder), ...others })),
			approvals,
			isPlan,
			isSetAside,
			summary,
			startedFrom,
			further,
			plan,
		}),
	};
}

/** Names a repository and, if it differs, the agent's name for its folder. */
function placeWords({ repository, at = path.basename(repository) }: Checkpoint): string {
	const folder = shortFolder(repository);
	return at === path.basename(repository) ? folder : `${folder} (${at})`;
}

function shortFolder(folder: string): string {
	const below = pathWithin(os.homedir(), folder);
	return below ? path.join('~', below) : folder;
}

function changesOf({ files = [], fileCount = files.length, checkpoints }: AgentWork): ChangesView | undefined {
	if (fileCount === 0 || checkpoints.every(({ taken, after }) => (taken ?? after) === undefined)) {
		return undefined;
	}
	const left = files.filter(isInCopy).length + fileCount - files.length;
	return {
		files: files.slice(0, MAXIMUM_FILES),
		count: fileCount,
		left,
		canUndo: files.some(({ isTaken }) => isTaken),
	};
}

export function toStepView(step: AgentStep): StepView {
	const known = stepViews.get(step);
	if (known) {
		return known;
	}
	const { input: _, output, diffs, approval: __, states, ...shown } = step;
	const compared = diffs?.map(diff => ({ diff, lines: lineDiff(diff.before, diff.after) }));
	const view: StepView = {
		...shown,
		hasOutput: output !== undefined,
		...defined({
			diffs: compared?.map(({ diff, lines }) => toDiffView(diff, lines)),
			approval: toApprovalView(step, compared),
			hasStates: states && (true as const),
		}),
	};
	stepViews.set(step, view);
	return view;
}

function toDiffView({ path, before }: StepDiff, lines: LineDiff | undefined): StepDiffView {
	return { path, isNew: before === undefined, ...(lines && { added: lines.added, removed: lines.removed }) };
}

function toApprovalView(
	{ approval, command, input }: AgentStep,
	compared: readonly { diff: StepDiff; lines: LineDiff | undefined }[] = [],
): ApprovalView | undefined {
	if (approval?.state !== 'waiting') {
		return approval;
	}
	const changes = compared.map(({ diff: { path, before }, lines }) => ({
		path,
		isNew: before === undefined,
		lines: (lines?.lines.slice(0, MAXIMUM_LINES) ?? []).map(line => ({
			...line,
			text: line.text.slice(0, MAXIMUM_LINE),
		})),
		isCut:
			lines === undefined ||
			lines.lines.length > MAXIMUM_LINES ||
			lines.lines.some(({ text }) => text.length > MAXIMUM_LINE),
	}));
	// Nothing else says what would happen, so all of it is shown.
	const shownInput = command !== undefined ? furtherInput({ command, input }) : approval.isWritten ? undefined : input;
	return { ...approval, ...defined({ changes: changes.length === 0 ? undefined : changes, input: shownInput }) };
}
