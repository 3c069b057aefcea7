// The contents of the page of a task's steps, in words.
import * as vscode from 'vscode';
import { oneLine } from '../../base/plainText.ts';
import { isRace } from '../../contract/taskResults.ts';
import type { TaskStep, TestRun } from '../../contract/taskSteps.ts';
import { isActiveTask, type Task } from '../../contract/tasks.ts';
import { formatNumber } from '../../platform/amounts.ts';
import { stepActionNames, stepLimits, stepMarks } from '../../platform/stepMessages.ts';
import { formerName, statusWords } from '../common/fileMessages.ts';
import { rowWords } from '../common/messages.ts';
import { stepSize, toolNames } from '../common/stepMessages.ts';
import { orderFiles, type StepFileStatus, type StepGridFile, stepGrid } from '../model/stepGrid.ts';
import type { FileRow, PageAction, StepColumn, StepsView } from '../model/stepsProtocol.ts';

/** The most rows of the page. The other files are in the changes of their steps. */
export const MAXIMUM_ROWS = 100;

const MAXIMUM_TITLE = 200;
const MAXIMUM_COMMAND = 120;
const MAXIMUM_PATH = 400;

export interface StepsOfAgent {
	/** Undefined if the task is not known. */
	task: Task | undefined;
	/** All steps that are known of the task. */
	steps: readonly TaskStep[];
	/** Why they could not be read. */
	problem: string | undefined;
	agent: number;
	/** The order in which the files of this agent were shown before. */
	order: readonly number[];
}

type Contents = Pick<StepsView, 'sentence' | 'tone' | 'actions' | 'columns' | 'rows' | 'filesLeft'>;

/** Returns what the page shows of an agent's steps, and the order of its files. */
export function stepsView({ task, steps, problem, agent, order }: StepsOfAgent): Contents & { order: number[] } {
	const own = steps.filter(step => step.agent === agent);
	const files = stepGrid(own);
	const ordered = orderFiles(files, order.length <= files.length ? order : []);
	const left = files.length - MAXIMUM_ROWS;
	const isWorking = task !== undefined && isActiveTask(task);
	const isCut = own.some(step => step.fileCount > step.files.length);
	return {
		sentence:
			problem ??
			[
				own.length === 0 ? noneText(task, isWorking) : countText(own.length, files.length, isCut),
				...(isWorking ? [vscode.l10n.t('This page updates automatically.')] : []),
			].join(' '),
		tone: problem !== undefined ? 'bad' : isWorking ? 'pending' : 'open',
		actions: Object.entries(stepActionNames).map(([action, label]) => ({ action: action as PageAction, label })),
		columns: own.map((step, at) => columnOf(step, at === own.length - 1 ? testsOf(task, agent) : undefined)),
		rows: ordered.slice(0, MAXIMUM_ROWS).flatMap(id => rowOf(id, files[id])),
		filesLeft:
			left <= 0
				? ''
				: left === 1
					? vscode.l10n.t('And 1 more file, which is in the changes of its steps.')
					: vscode.l10n.t('And {0} more files, which are in the changes of their steps.', formatNumber(left)),
		order: ordered,
	};
}

function countText(steps: number, files: number, isCut: boolean): string {
	const [stepCount, fileCount] = [formatNumber(steps), formatNumber(files)];
	if (isCut) {
		return steps === 1
			? vscode.l10n.t('1 step changed more than {0} files.', fileCount)
			: vscode.l10n.t('{0} steps changed more than {1} files.', stepCount, fileCount);
	}
	if (steps === 1) {
		return files === 1
			? vscode.l10n.t('1 step changed 1 file.')
			: vscode.l10n.t('1 step changed {0} files.', fileCount);
	}
	return files === 1
		? vscode.l10n.t('{0} steps changed 1 file.', stepCount)
		: vscode.l10n.t('{0} steps changed {1} files.', stepCount, fileCount);
}

function noneText(task: Task | undefined, isWorking: boolean): string {
	if (isWorking) {
		return vscode.l10n.t('No step has changed a file yet.');
	}
	return task === undefined
		? vscode.l10n.t('Reading the steps…')
		: vscode.l10n.t(
				'There are no steps. The task changed no files, or the service no longer has its steps: it keeps them for two weeks at most.',
			);
}

/** The tests that the service has run itself after the agent; it does so on the files of the last step. */
function testsOf(task: Task | undefined, agent: number): StepColumn['tests'] {
	const extras = task && isRace(task) ? task.agentExecutions?.[agent]?.errand : task?.errand;
	const tests = extras?.tests;
	return tests === undefined || tests === 'not-run'
		? undefined
		: { outcome: tests, text: vscode.l10n.t('{0} when the service ran them', rowWords.tests(tests)) };
}

function columnOf(step: TaskStep, byService: StepColumn['tests']): StepColumn {
	const { index, title, tool, testRuns = [] } = step;
	const last = testRuns.at(-1);
	return {
		index,
		number: String(index + 1),
		title: oneLine(title, MAXIMUM_TITLE),
		facts: [toolNames.get(tool), stepSize(step), ...stepMarks(step)].filter(Boolean).join(' · '),
		notes: [...testRuns.map(runText), ...(byService ? [sentence(byService.text)] : []), ...stepLimits(step)],
		tests: byService ?? (last && { outcome: last.outcome, text: outcomeText(last.outcome) }),
	};
}

const sentence = (text: string) => `${text.slice(0, 1).toLocaleUpperCase()}${text.slice(1)}.`;

const runText = ({ command, outcome }: TestRun) => `${outcomeText(outcome)}: ${oneLine(command, MAXIMUM_COMMAND)}`;

function outcomeText(outcome: TestRun['outcome']): string {
	switch (outcome) {
		case 'passed':
			return vscode.l10n.t('The agent’s tests passed');
		case 'failed':
			return vscode.l10n.t('The agent’s tests failed');
		case 'unknown':
			return vscode.l10n.t('The agent ran tests, and it isn’t known how they ended');
	}
}

function rowOf(id: number, file: StepGridFile | undefined): FileRow[] {
	if (!file) {
		return [];
	}
	const path = oneLine(file.path, MAXIMUM_PATH);
	const cut = path.lastIndexOf('/') + 1;
	const cells = file.cells.map(({ at, status, from }) => ({ at, status, text: changeText(status, from) }));
	return [{ id, path, name: path.slice(cut), folder: path.slice(0, Math.max(0, cut - 1)), cells }];
}

const LETTERS = { added: 'A', modified: 'M', deleted: 'D', renamed: 'R', type: 'T' } as const;

function changeText(status: StepFileStatus, from: string | undefined): string {
	const text = statusWords[LETTERS[status]];
	return from === undefined ? text : `${text} ${formerName(oneLine(from, MAXIMUM_PATH))}`;
}
