import { isDeepStrictEqual } from 'node:util';
import * as vscode from 'vscode';
import type { AgentTask } from '../../contract/agentTasks.ts';
import { isRace, resultsOf } from '../../contract/taskResults.ts';
import type { Task } from '../../contract/tasks.ts';
import { commands, internalCommands, rowContext, type TaskRowFlags } from '../../platform/ids.ts';
import type { ActiveConnection } from '../common/activeConnection.ts';
import { groupLabel, groupSpoken, rowWords } from '../common/messages.ts';
import { distinctTitles } from '../model/distinctTitles.ts';
import type { FollowState } from '../model/followState.ts';
import { matchesText } from '../model/taskFilter.ts';
import { groupTasks, type TaskGroup } from '../model/taskGroups.ts';
import { describeTask, hasFailed, repositoryName } from '../model/taskRow.ts';
import type { BelowNode, ResultRows } from '../results/resultRows.ts';
import { type AgentNode, AgentRows, moreItem } from './agentRows.ts';
import type { AgentTaskList } from './agentTaskList.ts';
import type { OwnRepositories } from './ownRepositories.ts';
import type { TaskListStore } from './taskListStore.ts';
import { agentTaskTooltip, resultTooltip, taskTooltip } from './taskTooltip.ts';

export type TreeNode =
	| { readonly kind: 'group'; readonly id: string; group: TaskGroup }
	| { readonly kind: 'task'; readonly taskId: string }
	| { readonly kind: 'more' }
	/** A row that reads the list again, which also starts the service after the user has stopped it. */
	| { readonly kind: 'refresh' }
	| AgentNode
	| BelowNode;

/** The task, or one agent's work on it, that is the source of a row's tooltip. */
type TooltipSubject = Task | AgentTask | NonNullable<Task['agentExecutions']>[number];

const more: TreeNode = { kind: 'more' };
const refresh: TreeNode = { kind: 'refresh' };

/** The lists whose entries have rows. */
export interface ShownLists {
	store: TaskListStore;
	agentTasks: AgentTaskList;
	/** Resolves when the lists have been read once, successfully or not. */
	load(): Promise<void>;
}

/** The facts about a task that this window knows but its service does not. */
export interface TaskMarks {
	followState(taskId: string): FollowState | undefined;
	/** Returns whether the user has archived a task. */
	isArchived(task: Task): boolean;
	/** Returns whether there are unsent comments on a task's changes. */
	hasComments(taskId: string): boolean;
}

export interface TaskTreeDependencies {
	lists: ShownLists;
	marks: TaskMarks;
	active: Pick<ActiveConnection, 'current' | 'isStopped' | 'explain'>;
	own: Pick<OwnRepositories, 'matcher'>;
	/** The rows below those of tasks. */
	below: ResultRows;
}

/** The rows of the tasks view: groups of tasks, and a last row if the service has more. */
export class TaskTree {
	private readonly dependencies: TaskTreeDependencies;
	/** The editor identifies rows by the identity of their nodes. */
	private readonly taskNodes = new Map<string, TreeNode & { kind: 'task' }>();
	private readonly groupNodes = new Map<string, TreeNode & { kind: 'group' }>();
	private readonly parents = new Map<string, TreeNode>();
	private readonly agents: AgentRows;
	/** The ids of the groups that the user has collapsed. A group that disappears and comes back is expanded again. */
	private readonly closedGroups = new Set<string>();
	/** The other rows that the user has unfolded. The editor would fold a row that comes into another group. */
	private readonly openRows = new WeakSet<TreeNode>();
	/** The rows of each group, and the order of the groups, when the editor was last notified of a change. */
	private shownPlaces: { outer: string; inner: ReadonlyMap<TreeNode, string> } | undefined;
	/**
	 * The data that the editor last got for a row: its item as JSON, and the task from which the item's tooltip is
	 * made.
	 */
	private readonly given = new WeakMap<TreeNode, { item: string; task: TooltipSubject | undefined }>();
	/** The rows that the editor last got below a task or an agent's result. */
	private readonly givenBelow = new WeakMap<TreeNode, string>();
	/** Returns whether an address belongs to this window, as of the last grouping. */
	private isOwn: (address: string | undefined) => boolean = () => false;
	private hasOwn = false;
	/** The titles that distinguish tasks whose prompts begin alike, as of the last grouping. */
	private titles: ReadonlyMap<string, string> = new Map();

	constructor(dependencies: TaskTreeDependencies) {
		this.dependencies = dependencies;
		this.agents = new AgentRows(dependencies.lists.agentTasks, dependencies.active);
	}

	async getChildren(node?: TreeNode): Promise<TreeNode[]> {
		if (node && unfolds(node)) {
			await this.dependencies.below.unfold(node);
			const rows = this.dependencies.below.rowsBelow(node);
			this.givenBelow.set(node, placesOf(rows));
			return rows;
		}
		if (node) {
			return this.rowsIn(node);
		}
		await this.dependencies.lists.load();
		return this.outerRows();
	}

	/**
	 * Returns the rows whose content differs from what the editor last got, and the group that rows came into or left. It
	 * returns undefined if more than one group is concerned, so that all must be given again: the editor keeps the focus
	 * on a row that moves only within what it is given at once. While all are given again, the editor knows none of the
	 * rows: an open menu closes, and a command runs without its row.
	 */
	changedRows(): TreeNode[] | undefined {
		if (this.dependencies.lists.store.state === 'loading') {
			// While loading, the list is read only when the editor asks for rows.
			this.shownPlaces = undefined;
			return undefined;
		}
		const outer = this.outerRows();
		const before = this.shownPlaces;
		const places = { outer: placesOf(outer), inner: new Map(outer.map(row => [row, placesOf(this.rowsIn(row))])) };
		this.shownPlaces = places;
		const resorted = outer.filter(row => places.inner.get(row) !== before?.inner.get(row));
		if (places.outer !== before?.outer || resorted.length > 1) {
			return undefined;
		}
		return outer.flatMap(row =>
			resorted.includes(row) ? [row] : [row, ...this.rowsIn(row)].flatMap(each => this.changedFrom(each)),
		);
	}

	/**
	 * Returns the rows to be given again from one row downwards. A row is given again with everything below it, so its
	 * own rows are then not examined.
	 */
	private changedFrom(node: TreeNode): TreeNode[] {
		if (this.hasChanged(node)) {
			return [node];
		}
		if (!unfolds(node)) {
			return [];
		}
		const given = this.givenBelow.get(node);
		if (given === undefined) {
			return [];
		}
		const rows = this.dependencies.below.rowsBelow(node);
		return given === placesOf(rows) ? rows.flatMap(row => this.changedFrom(row)) : [node];
	}

	getParent(node: TreeNode): TreeNode | undefined {
		if (node.kind === 'agentTask' || node.kind === 'agentMore') {
			return this.agents.parentOf(node);
		}
		if (isBelow(node)) {
			return this.dependencies.below.parentOf(node) ?? this.taskNode(node.taskId);
		}
		return node.kind === 'task' ? this.parents.get(node.taskId) : undefined;
	}

	/** Returns the node of a task, for revealing or refreshing its row. */
	taskNode(taskId: string): TreeNode {
		let node = this.taskNodes.get(taskId);
		if (!node) {
			node = { kind: 'task', taskId };
			this.taskNodes.set(taskId, node);
		}
		return node;
	}

	/** Returns the node of a task if the editor may know its row. */
	knownNode(taskId: string): TreeNode | undefined {
		return this.taskNodes.get(taskId);
	}

	/** Returns the ids of the shown tasks, from the first row to the last. */
	shownIds(): string[] {
		return this.group().flatMap(node => (node.kind === 'group' ? node.group.tasks.map(({ id }) => id) : []));
	}

	/** Called when the user has collapsed or expanded a row. */
	setClosed(node: TreeNode, isClosed: boolean): void {
		if (node.kind === 'group' && isClosed) {
			this.closedGroups.add(node.id);
		} else if (node.kind === 'group') {
			this.closedGroups.delete(node.id);
		} else if (isClosed && unfolds(node)) {
			this.openRows.delete(node);
			this.givenBelow.delete(node);
		} else {
			this.openRows.add(node);
		}
	}

	/**
	 * Returns the row that shows a task as of the last grouping: its own, or that of its collapsed group, or undefined
	 * if there is none.
	 */
	visibleRow(taskId: string): TreeNode | undefined {
		const group = this.parents.get(taskId);
		return group?.kind === 'group' && this.closedGroups.has(group.id) ? group : group && this.taskNode(taskId);
	}

	/** True if no task is shown, as of the last grouping. */
	get isEmpty(): boolean {
		return this.parents.size === 0;
	}

	/** Sorts the current tasks into groups. */
	group(): TreeNode[] {
		const { lists, marks, own } = this.dependencies;
		const { store } = lists;
		const { text, isOwnRepositoryOnly, showsArchived } = store.filter;
		const isOwn = own.matcher();
		this.isOwn = isOwn;
		this.hasOwn = false;
		const shown = [...store.shown()].filter(
			task =>
				matchesText(task, text) &&
				(!isOwnRepositoryOnly || isOwn(task.repoUrl)) &&
				(showsArchived || !marks.isArchived(task)),
		);
		this.titles = distinctTitles(shown, rowWords.untitled);
		this.parents.clear();
		const nodes = groupTasks(shown, Date.now(), ({ repoUrl }) => isOwn(repoUrl)).map(group => {
			const node = this.groupNodes.get(group.id) ?? { kind: 'group', id: group.id, group };
			node.group = group;
			this.groupNodes.set(group.id, node);
			for (const task of group.tasks) {
				this.hasOwn ||= isOwn(task.repoUrl);
				this.parents.set(task.id, node);
			}
			return node;
		});
		for (const id of this.closedGroups) {
			if (!nodes.some(node => node.id === id)) {
				this.closedGroups.delete(id);
			}
		}
		for (const id of this.taskNodes.keys()) {
			if (!this.parents.has(id)) {
				this.taskNodes.delete(id);
			}
		}
		return nodes;
	}

	getTreeItem(node: TreeNode): vscode.TreeItem {
		const item = this.itemOf(node);
		this.given.set(node, { item: JSON.stringify(item), task: this.taskOf(node) });
		item.id = idOf(node);
		if (item.collapsibleState === vscode.TreeItemCollapsibleState.Collapsed && this.openRows.has(node)) {
			item.collapsibleState = vscode.TreeItemCollapsibleState.Expanded;
		}
		return item;
	}

	private outerRows(): TreeNode[] {
		const { active, lists } = this.dependencies;
		const { store } = lists;
		return [
			...(active.isStopped || store.state === 'error' ? [refresh] : []),
			...this.group(),
			...(store.hasMore ? [more] : []),
			...this.agents.groupRow(),
		];
	}

	private rowsIn(node: TreeNode): TreeNode[] {
		switch (node.kind) {
			case 'group':
				return node.group.tasks.map(task => this.taskNode(task.id));
			case 'agentGroup':
				return this.agents.rows();
			default:
				return [];
		}
	}

	/** Returns false for a row that the editor has never asked for. */
	private hasChanged(node: TreeNode): boolean {
		const given = this.given.get(node);
		return (
			given !== undefined &&
			(given.item !== JSON.stringify(this.itemOf(node)) || !isDeepStrictEqual(given.task, this.taskOf(node)))
		);
	}

	private taskOf(node: TreeNode): TooltipSubject | undefined {
		switch (node.kind) {
			case 'task':
				return this.dependencies.lists.store.get(node.taskId);
			case 'agentTask':
				return this.agents.find(node.agentTaskId);
			case 'result':
				return this.dependencies.lists.store.get(node.taskId)?.agentExecutions?.[node.position];
			default:
				return undefined;
		}
	}

	private itemOf(node: TreeNode): vscode.TreeItem {
		switch (node.kind) {
			case 'group': {
				const now = Date.now();
				const item = new vscode.TreeItem(groupLabel(node.group, now), vscode.TreeItemCollapsibleState.Expanded);
				item.accessibilityInformation = { label: groupSpoken(node.group, now), role: 'treeitem' };
				return item;
			}
			case 'more':
				return moreItem(internalCommands.loadMoreTasks);
			case 'refresh':
				return refreshItem(this.dependencies.active.isStopped);
			case 'agentMore':
			case 'agentGroup':
			case 'agentTask':
				return this.agents.itemOf(node);
			case 'task':
				return this.taskItem(node);
			default:
				return this.dependencies.below.itemOf(node, this.openFlags(this.dependencies.lists.store.get(node.taskId)));
		}
	}

	/** A tooltip is made only when the pointer rests on its row. */
	resolveTreeItem(item: vscode.TreeItem, node: TreeNode): vscode.TreeItem {
		const { lists, marks, active } = this.dependencies;
		const { store } = lists;
		if (node.kind === 'task') {
			const task = store.get(node.taskId);
			item.tooltip = task && taskTooltip(task, marks.followState(task.id), active.current?.dashboardUrl);
		} else if (node.kind === 'agentTask') {
			const task = this.agents.find(node.agentTaskId);
			item.tooltip = task && agentTaskTooltip(task);
		} else if (node.kind === 'result') {
			const task = store.get(node.taskId);
			item.tooltip = task && resultTooltip(task, node.position);
		}
		return item;
	}

	/** Returns the name of a repository only if tasks of this window's own repositories are shown as well. */
	private foreignRepository(address: string | undefined): string | undefined {
		return address === undefined || !this.hasOwn || this.isOwn(address) ? undefined : repositoryName(address);
	}

	/** Returns what can be opened in the browser, for the menus of a task and of its agents. */
	private openFlags(task: Task | undefined): Partial<TaskRowFlags> {
		return {
			sandbox: task?.sandboxUrl !== undefined,
			dashboard: this.dependencies.active.current?.dashboardUrl !== undefined,
		};
	}

	private taskItem(node: TreeNode & { kind: 'task' }): vscode.TreeItem {
		const { lists, marks, below } = this.dependencies;
		const { store } = lists;
		const task = store.get(node.taskId) ?? ({ id: node.taskId } as Task);
		const isArchived = marks.isArchived(task);
		const row = describeTask(
			task,
			{
				title: this.titles.get(task.id),
				now: Date.now(),
				follow: marks.followState(task.id),
				isStopping: store.isStopping(task.id),
				isArchived,
				repository: this.foreignRepository(task.repoUrl),
			},
			rowWords,
		);
		const { Collapsed, None } = vscode.TreeItemCollapsibleState;
		const item = new vscode.TreeItem(row.label, below.isUnfoldable(task) ? Collapsed : None);
		item.description = row.description;
		item.iconPath = new vscode.ThemeIcon(
			row.icon.id,
			row.icon.color === undefined ? undefined : new vscode.ThemeColor(row.icon.color),
		);
		item.contextValue = rowContext(row.isActive ? 'task active' : 'task final', {
			// If there are several agents, each has its own branch, in a row of its own.
			branch: !row.isActive && !isRace(task) && resultsOf(task).length > 0,
			race: isRace(task),
			keepable: row.isKeepable,
			comments: marks.hasComments(task.id),
			failed: hasFailed(task),
			steps: below.hasSteps(task),
			...this.openFlags(task),
		});
		item.accessibilityInformation = { label: row.accessibleLabel, role: 'treeitem' };
		item.command = { title: vscode.l10n.t('Open Task Log'), command: commands.openTaskLog, arguments: [node] };
		return item;
	}
}

/** Returns whether a row may have further rows of a task below it. */
function unfolds(node: TreeNode): node is TreeNode & { kind: 'task' | 'result' | 'steps' } {
	return node.kind === 'task' || node.kind === 'result' || node.kind === 'steps';
}

function isBelow(node: TreeNode): node is BelowNode {
	return 'resultKey' in node;
}

const placesOf = (rows: readonly TreeNode[]): string => JSON.stringify(rows.map(idOf));

/** Returns an id that is unique among all rows. */
function idOf(node: TreeNode): string {
	switch (node.kind) {
		case 'group':
			return `group:${node.id}`;
		case 'task':
			return `task:${node.taskId}`;
		case 'agentTask':
			return `agentTask:${node.agentTaskId}`;
		case 'file':
			return `file:${node.resultKey}:${node.path}`;
		case 'step':
			return `step:${node.resultKey}:${node.index}`;
		case 'result':
		case 'fileNote':
		case 'moreFiles':
		case 'steps':
		case 'stepNote':
		case 'moreSteps':
		case 'searchSteps':
			return `${node.kind}:${node.resultKey}`;
		default:
			return node.kind;
	}
}

function refreshItem(isStopped: boolean): vscode.TreeItem {
	const label = isStopped ? vscode.l10n.t('Start Local Service') : vscode.l10n.t('Try Again');
	const item = new vscode.TreeItem(label);
	item.iconPath = new vscode.ThemeIcon(isStopped ? 'play' : 'refresh');
	item.command = { title: label, command: commands.refreshTasks };
	item.accessibilityInformation = { label, role: 'button' };
	return item;
}
