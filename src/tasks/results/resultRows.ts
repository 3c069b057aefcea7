import { setTimeout as delay } from 'node:timers/promises';
import * as vscode from 'vscode';
import { oneLine } from '../../base/plainText.ts';
import { agentNames, isRace, resultsOf, type TaskResult } from '../../contract/taskResults.ts';
import { isActiveTask, type Task } from '../../contract/tasks.ts';
import { rowContext, type TaskRowFlags } from '../../platform/ids.ts';
import { rowWords } from '../common/messages.ts';
import { outcomeOf } from '../model/taskGroups.ts';
import { judgementOf, outcomeIcons } from '../model/taskRow.ts';
import { type FileRowNode, FileRows } from './fileRows.ts';
import { isStepRow, type StepRowNode, StepRows } from './stepRows.ts';
import type { ListedChanges, TaskChanges } from './taskChanges.ts';
import type { TaskSteps } from './taskSteps.ts';

/** The row of one agent, if several got the same prompt. Commands get it as their argument. */
export interface ResultNode {
	readonly kind: 'result';
	readonly taskId: string;
	/** The key may also be that of an agent that has made no branch, and therefore has no result. */
	readonly resultKey: string;
	/** The position among the agents of the task. */
	readonly position: number;
}

/** A row below that of a task. */
export type BelowNode = ResultNode | FileRowNode | StepRowNode;

/** The part of a node by which the rows below it are found. */
type Unfolded = { kind?: string; taskId: string; resultKey?: string };

export interface ResultRowsDependencies {
	task(id: string): Task | undefined;
	changes: TaskChanges;
	steps: TaskSteps;
	/** Called when the user unfolds a task, or one agent's result of it. */
	onUnfold(taskId: string): void;
}

/** The time that unfolding waits for the changes, in milliseconds, so that rows which come soon are not announced. */
const PATIENCE_MS = 100;

const MAXIMUM_NAME = 60;

/** The rows below those of tasks: the steps of a task, its agents if it has several, and changed files. */
export class ResultRows {
	private readonly dependencies: ResultRowsDependencies;
	private readonly files: FileRows;
	private readonly steps: StepRows;
	private readonly nodes = new Map<string, ResultNode>();

	constructor(dependencies: ResultRowsDependencies) {
		this.dependencies = dependencies;
		this.files = new FileRows(dependencies.changes);
		this.steps = new StepRows(dependencies.steps);
	}

	hasSteps(task: Task): boolean {
		return this.steps.groupOf(task).length > 0;
	}

	/** Returns whether a task's row has rows below it. */
	isUnfoldable(task: Task): boolean {
		return isRace(task) || hasFiles(task) || this.hasSteps(task);
	}

	/** Returns the rows below a task, an agent's result or a group of steps, as they are known now. */
	rowsBelow(node: Unfolded): BelowNode[] {
		const task = this.dependencies.task(node.taskId);
		if (!task || !this.isUnfoldable(task)) {
			return [];
		}
		if (node.kind === 'steps') {
			return this.steps.rowsOf(task);
		}
		const steps = node.resultKey === undefined ? this.steps.groupOf(task) : [];
		if (isRace(task) && node.resultKey === undefined) {
			return [...steps, ...(task.agentExecutions ?? []).map((_, position) => this.nodeOf(task.id, position))];
		}
		const result = hasFiles(task) ? resultOf(task, node.resultKey) : undefined;
		return [...steps, ...(result ? this.files.rowsOf(task, result) : [])];
	}

	/** Begins to read the rows below a row, and resolves when they are read or take longer. Never rejects. */
	async unfold(node: Unfolded): Promise<void> {
		const { changes, steps, onUnfold } = this.dependencies;
		const task = this.dependencies.task(node.taskId);
		if (!task) {
			return;
		}
		onUnfold(task.id);
		if (node.kind === 'steps') {
			await Promise.race([steps.update(task.id, steps.problem(task.id) !== undefined), delay(PATIENCE_MS)]);
			return;
		}
		if (isActiveTask(task)) {
			return;
		}
		// The rows of agents show how much each has changed.
		const results = isRace(task) && node.resultKey === undefined ? resultsOf(task) : [resultOf(task, node.resultKey)];
		const readings = results.flatMap(result => (result ? [changes.list(task, result)] : []));
		await Promise.race([Promise.allSettled(readings), delay(PATIENCE_MS)]);
	}

	/** Reads again the changes of a row that could not be read. */
	readAgain({ taskId, resultKey }: { taskId: string; resultKey: string }): void {
		const task = this.dependencies.task(taskId);
		const result = task && resultOf(task, resultKey);
		if (result) {
			this.dependencies.changes.list(task, result, true).catch(() => {
				// The row says why.
			});
		}
	}

	/** Shows another page of files or steps, and returns the first of its rows. */
	showMore({ kind, taskId, resultKey }: BelowNode): BelowNode | undefined {
		if (kind === 'moreSteps') {
			return this.steps.showMore(taskId);
		}
		const task = this.dependencies.task(taskId);
		const result = task && resultOf(task, resultKey);
		return result && this.files.showMore(result);
	}

	/** Returns the row of an agent or of a group above a row, or undefined if that is the task's own. */
	parentOf(node: BelowNode): BelowNode | undefined {
		if (isStepRow(node)) {
			return this.steps.parentOf(node);
		}
		const task = this.dependencies.task(node.taskId);
		if (node.kind === 'result' || !task || !isRace(task)) {
			return undefined;
		}
		return this.nodeOf(node.taskId, Number(node.resultKey.slice(node.taskId.length + 1)));
	}

	itemOf(node: BelowNode, flags: Partial<TaskRowFlags>): vscode.TreeItem {
		const task = this.dependencies.task(node.taskId);
		if (!task) {
			return new vscode.TreeItem('');
		}
		if (node.kind === 'result') {
			return this.resultItem(node, task, flags);
		}
		if (isStepRow(node)) {
			return this.steps.itemOf(node, task);
		}
		const result = resultOf(task, node.resultKey);
		return result ? this.files.itemOf(node, task, result) : new vscode.TreeItem('');
	}

	private resultItem(node: ResultNode, task: Task, flags: Partial<TaskRowFlags>): vscode.TreeItem {
		const execution = task.agentExecutions?.[node.position];
		const result = resultOf(task, node.resultKey);
		const { Collapsed, None } = vscode.TreeItemCollapsibleState;
		const isOpen = result !== undefined && !isActiveTask(task);
		const label = agentNames(task)[node.position] || vscode.l10n.t('Agent {0}', node.position + 1);
		const model = oneLine(task.selectedAgents?.[node.position]?.model ?? '', MAXIMUM_NAME);
		const item = new vscode.TreeItem(label, isOpen ? Collapsed : None);
		const outcome = outcomeOf({ ...task, status: execution?.status ?? task.status });
		const icon = outcome === 'active' ? { id: 'play-circle', color: 'charts.blue' } : outcomeIcons[outcome];
		item.iconPath = new vscode.ThemeIcon(
			icon.id,
			icon.color === undefined ? undefined : new vscode.ThemeColor(icon.color),
		);
		const state = outcome === 'active' ? rowWords.running : rowWords.outcome(outcome);
		const changes = result && this.dependencies.changes.last(result.key);
		const parts = [
			changes?.isCounted && outcome === 'completed' ? changesText(changes) : state,
			...judgementOf(execution?.errand, rowWords),
			label.includes(`(${model})`) ? '' : model,
			execution?.errand?.sandboxed === false ? rowWords.noSandbox : '',
		].filter(part => part !== '');
		item.description = parts.join(' · ');
		const spoken = [label, ...(parts.includes(state) ? [] : [state]), ...parts];
		item.accessibilityInformation = { label: spoken.join(', '), role: 'treeitem' };
		item.contextValue = rowContext('result', { ...flags, branch: isOpen, race: true });
		return item;
	}

	private nodeOf(taskId: string, position: number): ResultNode {
		const resultKey = `${taskId}:${position}`;
		let node = this.nodes.get(resultKey);
		if (!node) {
			node = { kind: 'result', taskId, resultKey, position };
			this.nodes.set(resultKey, node);
		}
		return node;
	}
}

/** Returns whether the row of a task with one agent, or those of its agents, unfold into files. */
const hasFiles = (task: Task) => !isActiveTask(task) && resultsOf(task).length > 0;

/** Returns a result of a task by its key, or the only result of a task with one agent. */
function resultOf(task: Task, key: string | undefined): TaskResult | undefined {
	return resultsOf(task).find(result => result.key === (key ?? task.id));
}

function changesText({ files }: ListedChanges): string {
	const sum = (part: 'added' | 'removed') => files.reduce((total, { lines }) => total + (lines?.[part] ?? 0), 0);
	return rowWords.changes(sum('added'), sum('removed'), files.length);
}
