import { isDeepStrictEqual } from 'node:util';
import * as vscode from 'vscode';
import { oneLine } from '../base/plainText.ts';
import type { AgentTask } from '../contract/agentTasks.ts';
import type { Task } from '../contract/tasks.ts';
import { type CommandId, commands, internalCommands, taskContextValue } from '../platform/ids.ts';
import type { ActiveConnection } from './activeConnection.ts';
import type { AgentTaskList } from './agentTaskList.ts';
import { agentTaskState, countedLabel, groupLabel, groupSpoken, rowWords } from './common/messages.ts';
import type { FollowState } from './model/followState.ts';
import { matchesText } from './model/taskFilter.ts';
import { groupTasks, type TaskGroup, timeOf } from './model/taskGroups.ts';
import { describeTask, repositoryName } from './model/taskRow.ts';
import type { OwnRepositories } from './ownRepositories.ts';
import type { TaskListStore } from './taskListStore.ts';
import { agentTaskTooltip, taskTooltip } from './taskTooltip.ts';

export type TreeNode =
	| { readonly kind: 'group'; readonly id: string; group: TaskGroup }
	| { readonly kind: 'task'; readonly taskId: string }
	| { readonly kind: 'more' }
	/** A row that starts the service after the user has stopped it. */
	| { readonly kind: 'start' }
	| { readonly kind: 'agentGroup' }
	| { readonly kind: 'agentTask'; readonly agentTaskId: string }
	| { readonly kind: 'agentMore' };

const MAXIMUM_AGENT_LABEL = 80;

/** The group of agent tasks is read-only and of minor interest, so it is collapsed until the user opens it. */
const agentGroup: TreeNode = { kind: 'agentGroup' };
const agentMore: TreeNode = { kind: 'agentMore' };
const start: TreeNode = { kind: 'start' };

export interface TaskTreeDependencies {
	store: TaskListStore;
	agentTasks: AgentTaskList;
	active: Pick<ActiveConnection, 'current' | 'isStopped' | 'explain'>;
	own: Pick<OwnRepositories, 'matcher'>;
	followState(taskId: string): FollowState | undefined;
	/** Resolves when the list has been read once, successfully or not. */
	firstLoad(): Promise<void>;
}

/** The rows of the tasks view: groups of tasks, and a last row where the service has more. */
export class TaskTree {
	private readonly dependencies: TaskTreeDependencies;
	/** The editor identifies rows by the identity of their nodes. */
	private readonly taskNodes = new Map<string, TreeNode & { kind: 'task' }>();
	private readonly groupNodes = new Map<string, TreeNode & { kind: 'group' }>();
	private readonly parents = new Map<string, TreeNode>();
	private readonly agentNodes = new Map<string, TreeNode>();
	/** The ids of the groups that the user has collapsed. A group that disappears and comes back is expanded again. */
	private readonly closedGroups = new Set<string>();
	private readonly more: TreeNode = { kind: 'more' };
	/** The positions of all rows when the editor was last notified of a change. */
	private shownPlaces: string | undefined;
	/** What the editor last got for a row: its item as JSON, and the task from which the item's tooltip is made. */
	private readonly given = new WeakMap<TreeNode, { item: string; task: Task | AgentTask | undefined }>();
	/** Whether an address belongs to this window, as of the last grouping. */
	private isOwn: (address: string | undefined) => boolean = () => false;
	private hasOwn = false;

	constructor(dependencies: TaskTreeDependencies) {
		this.dependencies = dependencies;
	}

	async getChildren(node?: TreeNode): Promise<TreeNode[]> {
		if (node) {
			return this.rowsIn(node);
		}
		await this.dependencies.firstLoad();
		return this.outerRows();
	}

	/**
	 * Returns the rows whose content differs from what the editor last got, or undefined where rows were added, removed
	 * or moved, so that all must be given again. While that happens the editor knows none of the rows: an open menu
	 * closes, and a command is run without its row.
	 */
	changedRows(): TreeNode[] | undefined {
		if (this.dependencies.store.state === 'loading') {
			// While it loads, the list is only read when the editor asks for rows.
			this.shownPlaces = undefined;
			return undefined;
		}
		const groups = this.outerRows().map(row => [row, ...this.rowsIn(row)]);
		const places = JSON.stringify(groups.map(rows => rows.map(idOf)));
		if (places !== this.shownPlaces) {
			this.shownPlaces = places;
			return undefined;
		}
		return groups.flat().filter(row => this.hasChanged(row));
	}

	getParent(node: TreeNode): TreeNode | undefined {
		if (node.kind === 'agentTask' || node.kind === 'agentMore') {
			return agentGroup;
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
		}
	}

	/**
	 * Returns the row that shows a task as of the last grouping: its own, or that of its collapsed group, or undefined
	 * where none does.
	 */
	visibleRow(taskId: string): TreeNode | undefined {
		const group = this.parents.get(taskId);
		return group?.kind === 'group' && this.closedGroups.has(group.id) ? group : group && this.taskNode(taskId);
	}

	/** Whether no task is shown, as of the last grouping. */
	get isEmpty(): boolean {
		return this.parents.size === 0;
	}

	/** Sorts the current tasks into groups. */
	group(): TreeNode[] {
		const { store, own } = this.dependencies;
		const { text, isOwnRepositoryOnly } = store.filter;
		const isOwn = own.matcher();
		this.isOwn = isOwn;
		this.hasOwn = false;
		const shown = [...store.shown()].filter(
			task => matchesText(task, text) && (!isOwnRepositoryOnly || isOwn(task.repoUrl)),
		);
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
		return item;
	}

	private outerRows(): TreeNode[] {
		const { store, agentTasks, active } = this.dependencies;
		return [
			...(active.isStopped ? [start] : []),
			...this.group(),
			...(store.hasMore ? [this.more] : []),
			...(agentTasks.isThere ? [agentGroup] : []),
		];
	}

	private rowsIn(node: TreeNode): TreeNode[] {
		switch (node.kind) {
			case 'group':
				return node.group.tasks.map(task => this.taskNode(task.id));
			case 'agentGroup':
				return this.agentRows();
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

	private taskOf(node: TreeNode): Task | AgentTask | undefined {
		switch (node.kind) {
			case 'task':
				return this.dependencies.store.get(node.taskId);
			case 'agentTask':
				return this.agentTask(node.agentTaskId);
			default:
				return undefined;
		}
	}

	private agentTask(id: string): AgentTask | undefined {
		return this.dependencies.agentTasks.tasks.find(({ taskId }) => taskId === id);
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
			case 'start':
				return startItem();
			case 'agentMore':
				return moreItem(internalCommands.loadMoreAgentTasks);
			case 'agentGroup':
				return this.agentGroupItem();
			case 'agentTask':
				return this.agentItem(node.agentTaskId);
			case 'task':
				return this.taskItem(node);
		}
	}

	/** A tooltip is made only when the pointer rests on its row. */
	resolveTreeItem(item: vscode.TreeItem, node: TreeNode): vscode.TreeItem {
		const { store, followState, active } = this.dependencies;
		if (node.kind === 'task') {
			const task = store.get(node.taskId);
			item.tooltip = task && taskTooltip(task, followState(task.id), active.current?.dashboardUrl);
		} else if (node.kind === 'agentTask') {
			const task = this.agentTask(node.agentTaskId);
			item.tooltip = task && agentTaskTooltip(task);
		}
		return item;
	}

	private agentRows(): TreeNode[] {
		const { tasks, hasMore } = this.dependencies.agentTasks;
		const rows = tasks.map(({ taskId }) => {
			const node = this.agentNodes.get(taskId) ?? { kind: 'agentTask', agentTaskId: taskId };
			this.agentNodes.set(taskId, node);
			return node;
		});
		return hasMore ? [...rows, agentMore] : rows;
	}

	private agentGroupItem(): vscode.TreeItem {
		const { agentTasks, active } = this.dependencies;
		const label = vscode.l10n.t('Agent API tasks');
		const item = new vscode.TreeItem(label, vscode.TreeItemCollapsibleState.Collapsed);
		const problem = agentTasks.error === undefined ? undefined : active.explain(agentTasks.error);
		if (problem !== undefined) {
			item.iconPath = new vscode.ThemeIcon('warning', new vscode.ThemeColor('problemsWarningIcon.foreground'));
			item.description = problem;
			item.tooltip = problem;
		}
		item.accessibilityInformation = {
			label: problem === undefined ? countedLabel(label, agentTasks.tasks.length) : `${label}, ${problem}`,
			role: 'treeitem',
		};
		return item;
	}

	private agentItem(taskId: string): vscode.TreeItem {
		const task = this.agentTask(taskId) ?? ({ taskId } as AgentTask);
		const item = new vscode.TreeItem(oneLine(taskId, MAXIMUM_AGENT_LABEL));
		item.iconPath = new vscode.ThemeIcon('robot');
		const time = timeOf(task.completedAt ?? task.startedAt ?? task.createdAt);
		const parts = [
			agentTaskState(task),
			oneLine(task.model ?? '', MAXIMUM_AGENT_LABEL),
			Number.isNaN(time) ? '' : rowWords.age(Math.max(0, Date.now() - time)),
		].filter(part => part !== '');
		item.description = parts.join(' · ');
		item.accessibilityInformation = { label: [item.label, ...parts].join(', '), role: 'treeitem' };
		return item;
	}

	/** Returns the name of a repository only where tasks of this window's own repositories are shown as well. */
	private foreignRepository(address: string | undefined): string | undefined {
		return address === undefined || !this.hasOwn || this.isOwn(address) ? undefined : repositoryName(address);
	}

	private taskItem(node: TreeNode & { kind: 'task' }): vscode.TreeItem {
		const { store, followState } = this.dependencies;
		const task = store.get(node.taskId) ?? { id: node.taskId };
		const row = describeTask(
			task as Task,
			{
				now: Date.now(),
				follow: followState(task.id),
				isStopping: store.isStopping(task.id),
				repository: this.foreignRepository((task as Task).repoUrl),
			},
			rowWords,
		);
		const item = new vscode.TreeItem(row.label);
		item.description = row.description;
		item.iconPath = new vscode.ThemeIcon(
			row.icon.id,
			row.icon.color === undefined ? undefined : new vscode.ThemeColor(row.icon.color),
		);
		item.contextValue = row.isActive ? taskContextValue.active : taskContextValue.final;
		item.accessibilityInformation = { label: row.accessibleLabel, role: 'treeitem' };
		item.command = { title: vscode.l10n.t('Open Task Log'), command: commands.openTaskLog, arguments: [node] };
		return item;
	}
}

/** Returns an id that is unique among all rows. */
function idOf(node: TreeNode): string {
	switch (node.kind) {
		case 'group':
			return `group:${node.id}`;
		case 'task':
			return `task:${node.taskId}`;
		case 'agentTask':
			return `agentTask:${node.agentTaskId}`;
		default:
			return node.kind;
	}
}

function startItem(): vscode.TreeItem {
	const label = vscode.l10n.t('Start Local Service');
	const item = new vscode.TreeItem(label);
	item.iconPath = new vscode.ThemeIcon('play');
	// Any request by the user starts the service, including a refresh.
	item.command = { title: label, command: commands.refreshTasks };
	item.accessibilityInformation = { label, role: 'button' };
	return item;
}

function moreItem(command: CommandId): vscode.TreeItem {
	const label = vscode.l10n.t('Load more…');
	const item = new vscode.TreeItem(label);
	item.command = { title: label, command };
	item.accessibilityInformation = { label: vscode.l10n.t('Load more tasks'), role: 'button' };
	return item;
}
