import * as vscode from 'vscode';
import type { Task } from '../contract/tasks.ts';
import { commands, internalCommands, taskContextValue } from '../platform/ids.ts';
import type { FollowState } from './model/followState.ts';
import { oneLine, plainText } from './model/plainText.ts';
import { groupTasks, type TaskGroup } from './model/taskGroups.ts';
import { describeTask } from './model/taskRow.ts';
import type { TaskStore } from './taskStore.ts';
import { groupLabel, rowWords } from './words.ts';

export type TreeNode =
	| { readonly kind: 'group'; readonly id: string; group: TaskGroup }
	| { readonly kind: 'task'; readonly taskId: string }
	| { readonly kind: 'more' };

const MAXIMUM_TOOLTIP_PROMPT = 1500;
const MAXIMUM_TOOLTIP_VALUE = 300;

export interface TaskTreeDependencies {
	store: TaskStore;
	followState(taskId: string): FollowState | undefined;
	/** Resolves when the list was read once, whether that worked or not. */
	firstLoad(): Promise<void>;
}

/** The rows of the tasks view: groups of tasks, and a last row where the service has more. */
export class TaskTree {
	private readonly dependencies: TaskTreeDependencies;
	/** The editor knows rows by the identity of their nodes. */
	private readonly taskNodes = new Map<string, TreeNode & { kind: 'task' }>();
	private readonly groupNodes = new Map<string, TreeNode & { kind: 'group' }>();
	private readonly parents = new Map<string, TreeNode>();
	private readonly more: TreeNode = { kind: 'more' };

	constructor(dependencies: TaskTreeDependencies) {
		this.dependencies = dependencies;
	}

	async getChildren(node?: TreeNode): Promise<TreeNode[]> {
		if (node?.kind === 'group') {
			return node.group.tasks.map(task => this.taskNode(task.id));
		}
		if (node) {
			return [];
		}
		await this.dependencies.firstLoad();
		const groups = this.group();
		return this.dependencies.store.hasMore ? [...groups, this.more] : groups;
	}

	getParent(node: TreeNode): TreeNode | undefined {
		return node.kind === 'task' ? this.parents.get(node.taskId) : undefined;
	}

	/** The node of a task, for revealing or refreshing its row. */
	taskNode(taskId: string): TreeNode {
		let node = this.taskNodes.get(taskId);
		if (!node) {
			node = { kind: 'task', taskId };
			this.taskNodes.set(taskId, node);
		}
		return node;
	}

	/** The node of a task whose row the editor may know. */
	knownNode(taskId: string): TreeNode | undefined {
		return this.taskNodes.get(taskId);
	}

	/** Sorts the tasks into groups as they are now. */
	group(): TreeNode[] {
		const { store } = this.dependencies;
		this.parents.clear();
		const nodes = groupTasks(store.all(), Date.now()).map(group => {
			const node = this.groupNodes.get(group.id) ?? { kind: 'group', id: group.id, group };
			node.group = group;
			this.groupNodes.set(group.id, node);
			for (const task of group.tasks) {
				this.parents.set(task.id, node);
			}
			return node;
		});
		for (const id of this.taskNodes.keys()) {
			if (!this.parents.has(id)) {
				this.taskNodes.delete(id);
			}
		}
		return nodes;
	}

	getTreeItem(node: TreeNode): vscode.TreeItem {
		switch (node.kind) {
			case 'group': {
				const item = new vscode.TreeItem(groupLabel(node.group, Date.now()), vscode.TreeItemCollapsibleState.Expanded);
				item.id = `group:${node.id}`;
				return item;
			}
			case 'more': {
				const label = vscode.l10n.t('Load more…');
				const item = new vscode.TreeItem(label);
				item.id = 'more';
				item.command = { title: label, command: internalCommands.loadMoreTasks };
				return item;
			}
			case 'task':
				return this.taskItem(node);
		}
	}

	/** Tooltips are made when the pointer rests on a row, not for every row. */
	resolveTreeItem(item: vscode.TreeItem, node: TreeNode): vscode.TreeItem {
		const task = node.kind === 'task' ? this.dependencies.store.get(node.taskId) : undefined;
		if (task) {
			item.tooltip = tooltip(task, this.dependencies.followState(task.id));
		}
		return item;
	}

	private taskItem(node: TreeNode & { kind: 'task' }): vscode.TreeItem {
		const { store, followState } = this.dependencies;
		const task = store.get(node.taskId) ?? { id: node.taskId };
		const row = describeTask(
			task as Task,
			{ now: Date.now(), follow: followState(task.id), isStopping: store.isStopping(task.id) },
			rowWords,
		);
		const item = new vscode.TreeItem(row.label);
		item.id = `task:${task.id}`;
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

/** Everything of a task that the row has no room for. All of it is the service's text: escaped, no links, no HTML. */
function tooltip(task: Task, follow: FollowState | undefined): vscode.MarkdownString {
	const text = new vscode.MarkdownString();
	const prompt = plainText((task.prompt ?? '').slice(0, MAXIMUM_TOOLTIP_PROMPT)).trim();
	text.appendText(prompt || rowWords.untitled);
	const line = (label: string, value: string | number | undefined) => {
		if (value !== undefined && value !== '') {
			text.appendMarkdown('\n\n');
			text.appendText(`${label}: ${oneLine(String(value), MAXIMUM_TOOLTIP_VALUE)}`);
		}
	};
	line(vscode.l10n.t('State'), task.status);
	line(vscode.l10n.t('Error'), task.error);
	line(vscode.l10n.t('Following'), follow && rowWords.follow(follow));
	line(vscode.l10n.t('Agent'), [task.selectedAgent, task.selectedModel].filter(Boolean).join(', '));
	line(vscode.l10n.t('Repository'), task.repoUrl);
	line(vscode.l10n.t('Started from'), task.selectedBranch);
	line(vscode.l10n.t('Result branch'), task.branchName);
	line(vscode.l10n.t('Pull request'), task.prUrl ?? task.prNumber);
	line(vscode.l10n.t('Created by'), task.creatorName);
	line(vscode.l10n.t('Created'), localTime(task.createdAt));
	line(vscode.l10n.t('Ended'), localTime(task.completedAt));
	line(vscode.l10n.t('Id'), task.id);
	return text;
}

function localTime(timestamp: string | undefined): string | undefined {
	const date = new Date(timestamp ?? Number.NaN);
	return Number.isNaN(date.getTime()) ? undefined : date.toLocaleString(vscode.env.language);
}
