import * as vscode from 'vscode';
import { oneLine } from '../../base/plainText.ts';
import { agentNames, isRace } from '../../contract/taskResults.ts';
import { isActiveTask, type Task } from '../../contract/tasks.ts';
import { formatNumber } from '../../platform/amounts.ts';
import { internalCommands, STEP_CONTEXT } from '../../platform/ids.ts';
import { stepActionNames, stepLimits, stepMarks } from '../../platform/stepMessages.ts';
import { searchName, stepSize, stepTitle } from '../common/stepMessages.ts';
import { type StepNode, stepNode } from '../model/stepNode.ts';
import { moreItem } from './fileRows.ts';
import type { TaskSteps } from './taskSteps.ts';

interface RowOfTask {
	readonly taskId: string;
	/** The task's own key. */
	readonly resultKey: string;
}

export type StepRowNode =
	/** The group of all steps of a task. */
	| ({ readonly kind: 'steps' } & RowOfTask)
	| StepNode
	/** A row in place of steps while they are being read, or if they cannot be read. */
	| ({ readonly kind: 'stepNote' } & RowOfTask)
	| ({ readonly kind: 'moreSteps' } & RowOfTask)
	/** The first row of a group, which searches for the step that broke something. */
	| ({ readonly kind: 'searchSteps' } & RowOfTask);

/** The number of steps shown at first, and added each time. */
const STEP_PAGE = 100;

const MAXIMUM_NAME = 60;
const MAXIMUM_NOTE = 300;

/** The icons by the kind of a tool. */
const icons: Readonly<Record<string, string>> = {
	edit: 'edit',
	execute: 'terminal',
	delete: 'trash',
	move: 'file-symlink-file',
	end: 'save',
};

/** The state for the rows of one task. The editor identifies rows by the identity of their nodes. */
interface Rows {
	group: StepRowNode;
	note: StepRowNode;
	more: StepRowNode;
	search: StepRowNode;
	nodes: Map<number, StepNode>;
	shown: number;
}

/** The rows of the steps of tasks: a group for each task that has some. */
export class StepRows {
	private readonly steps: TaskSteps;
	private readonly tasks = new Map<string, Rows>();

	constructor(steps: TaskSteps) {
		this.steps = steps;
	}

	/** Returns the group of a task, or nothing if it has no steps. */
	groupOf(task: Task): StepRowNode[] {
		return this.steps.countOf(task) > 0 ? [this.of(task.id).group] : [];
	}

	rowsOf(task: Task): StepRowNode[] {
		const taskId = task.id;
		const rows = this.of(taskId);
		const known = this.steps.known(taskId);
		if (known.length === 0 || this.steps.problem(taskId) !== undefined) {
			return [rows.note];
		}
		const first = isActiveTask(task) ? [] : [rows.search];
		const nodes = [...first, ...known.slice(0, rows.shown).map(({ index }) => nodeOf(rows, taskId, index))];
		return known.length > rows.shown ? [...nodes, rows.more] : nodes;
	}

	/** Shows another page of steps. Returns the first of its rows. */
	showMore(taskId: string): StepRowNode | undefined {
		const rows = this.of(taskId);
		const first = this.steps.known(taskId)[rows.shown];
		rows.shown += STEP_PAGE;
		return first && nodeOf(rows, taskId, first.index);
	}

	/** Returns the row of the group above a row, or undefined for the group itself. */
	parentOf({ kind, taskId }: StepRowNode): StepRowNode | undefined {
		return kind === 'steps' ? undefined : this.of(taskId).group;
	}

	itemOf(node: StepRowNode, task: Task): vscode.TreeItem {
		switch (node.kind) {
			case 'steps':
				return this.groupItem(task);
			case 'step':
				return this.stepItem(node, task);
			case 'stepNote':
				return this.noteItem(node.taskId);
			case 'moreSteps':
				return this.moreItem(node);
			case 'searchSteps':
				return searchItem(node);
		}
	}

	private groupItem(task: Task): vscode.TreeItem {
		const count = formatNumber(this.steps.countOf(task));
		const item = new vscode.TreeItem(vscode.l10n.t('Steps'), vscode.TreeItemCollapsibleState.Collapsed);
		item.description = count;
		item.iconPath = new vscode.ThemeIcon('history');
		item.accessibilityInformation = { label: `${item.label}, ${count}`, role: 'treeitem' };
		return item;
	}

	private stepItem(node: StepNode, task: Task): vscode.TreeItem {
		const step = this.steps.find(node);
		if (!step) {
			return new vscode.TreeItem('');
		}
		const agent = isRace(task) ? agentNames(task)[step.agent] : undefined;
		const facts = [...(agent === undefined ? [] : [oneLine(agent, MAXIMUM_NAME)]), stepSize(step), ...stepMarks(step)];
		const item = new vscode.TreeItem(stepTitle(step));
		item.description = facts.join(' · ');
		item.iconPath = new vscode.ThemeIcon(icons[step.tool] ?? 'tools');
		item.tooltip = [`${stepTitle(step)}, ${facts.join(', ')}`, ...stepLimits(step)].join('\n');
		item.accessibilityInformation = { label: item.tooltip.replaceAll('\n', '. '), role: 'treeitem' };
		item.contextValue = STEP_CONTEXT;
		item.command = {
			title: stepActionNames.changes,
			command: internalCommands.runStepAction,
			arguments: ['changes', node],
		};
		return item;
	}

	private noteItem(taskId: string): vscode.TreeItem {
		const problem = this.steps.problem(taskId);
		const text = problem ?? vscode.l10n.t('Reading the steps…');
		const item = new vscode.TreeItem(oneLine(text, MAXIMUM_NOTE));
		if (problem !== undefined) {
			item.iconPath = new vscode.ThemeIcon('warning', new vscode.ThemeColor('problemsWarningIcon.foreground'));
		}
		item.tooltip = text;
		item.accessibilityInformation = { label: text, role: 'treeitem' };
		return item;
	}

	private moreItem(node: StepRowNode): vscode.TreeItem {
		const total = this.steps.known(node.taskId).length;
		const { shown } = this.of(node.taskId);
		return moreItem(node, { rest: Math.min(STEP_PAGE, total - shown), total });
	}

	private of(taskId: string): Rows {
		let rows = this.tasks.get(taskId);
		if (!rows) {
			const own = { taskId, resultKey: taskId };
			rows = {
				group: { kind: 'steps', ...own },
				note: { kind: 'stepNote', ...own },
				more: { kind: 'moreSteps', ...own },
				search: { kind: 'searchSteps', ...own },
				nodes: new Map(),
				shown: STEP_PAGE,
			};
			this.tasks.set(taskId, rows);
		}
		return rows;
	}
}

export function isStepRow(node: { readonly kind: string }): node is StepRowNode {
	return KINDS.has(node.kind);
}

const KINDS: ReadonlySet<string> = new Set<StepRowNode['kind']>([
	'steps',
	'step',
	'stepNote',
	'moreSteps',
	'searchSteps',
]);

function searchItem({ taskId }: StepRowNode): vscode.TreeItem {
	const item = new vscode.TreeItem(searchName);
	item.iconPath = new vscode.ThemeIcon('search');
	item.tooltip = vscode.l10n.t('Runs a command on the files after some of the steps, to find the one that broke it.');
	item.command = { title: searchName, command: internalCommands.searchSteps, arguments: [taskId] };
	item.accessibilityInformation = { label: searchName, role: 'button' };
	return item;
}

function nodeOf({ nodes }: Rows, taskId: string, index: number): StepNode {
	let node = nodes.get(index);
	if (!node) {
		node = stepNode(taskId, index);
		nodes.set(index, node);
	}
	return node;
}
