import * as vscode from 'vscode';
import { oneLine } from '../../base/plainText.ts';
import type { AgentTask } from '../../contract/agentTasks.ts';
import { type CommandId, internalCommands } from '../../platform/ids.ts';
import type { ActiveConnection } from '../common/activeConnection.ts';
import { agentTaskState, countedLabel, rowWords } from '../common/messages.ts';
import { timeOf } from '../model/taskGroups.ts';
import type { AgentTaskList } from './agentTaskList.ts';

export type AgentNode =
	| { readonly kind: 'agentGroup' }
	| { readonly kind: 'agentTask'; readonly agentTaskId: string }
	| { readonly kind: 'agentMore' };

const MAXIMUM_LABEL = 80;

const group: AgentNode = { kind: 'agentGroup' };
const more: AgentNode = { kind: 'agentMore' };

/** The rows of the agent API's tasks, in a group of their own. */
export class AgentRows {
	private readonly list: AgentTaskList;
	private readonly active: Pick<ActiveConnection, 'explain'>;
	/** The editor identifies rows by the identity of their nodes. */
	private readonly nodes = new Map<string, AgentNode>();

	constructor(list: AgentTaskList, active: Pick<ActiveConnection, 'explain'>) {
		this.list = list;
		this.active = active;
	}

	find(id: string): AgentTask | undefined {
		return this.list.tasks.find(({ taskId }) => taskId === id);
	}

	/** The row of the group, if the connection has an agent API. */
	groupRow(): AgentNode[] {
		return this.list.isThere ? [group] : [];
	}

	/** The rows in the group. */
	rows(): AgentNode[] {
		const rows = this.list.tasks.map(({ taskId }) => {
			const node = this.nodes.get(taskId) ?? { kind: 'agentTask', agentTaskId: taskId };
			this.nodes.set(taskId, node);
			return node;
		});
		return this.list.hasMore ? [...rows, more] : rows;
	}

	parentOf({ kind }: AgentNode): AgentNode | undefined {
		return kind === 'agentGroup' ? undefined : group;
	}

	itemOf(node: AgentNode): vscode.TreeItem {
		switch (node.kind) {
			case 'agentGroup':
				return this.groupItem();
			case 'agentTask':
				return taskItem(this.find(node.agentTaskId) ?? ({ taskId: node.agentTaskId } as AgentTask));
			case 'agentMore':
				return moreItem(internalCommands.loadMoreAgentTasks);
		}
	}

	/** The group is read-only and of minor interest, so it is collapsed until the user opens it. */
	private groupItem(): vscode.TreeItem {
		const { error, tasks } = this.list;
		const label = vscode.l10n.t('Agent API tasks');
		const item = new vscode.TreeItem(label, vscode.TreeItemCollapsibleState.Collapsed);
		const problem = error === undefined ? undefined : this.active.explain(error);
		if (problem !== undefined) {
			item.iconPath = new vscode.ThemeIcon('warning', new vscode.ThemeColor('problemsWarningIcon.foreground'));
			item.description = problem;
			item.tooltip = problem;
		}
		item.accessibilityInformation = {
			label: problem === undefined ? countedLabel(label, tasks.length) : `${label}, ${problem}`,
			role: 'treeitem',
		};
		return item;
	}
}

function taskItem(task: AgentTask): vscode.TreeItem {
	const item = new vscode.TreeItem(oneLine(task.taskId, MAXIMUM_LABEL));
	item.iconPath = new vscode.ThemeIcon('robot');
	const time = timeOf(task.completedAt ?? task.startedAt ?? task.createdAt);
	const parts = [
		agentTaskState(task),
		oneLine(task.model ?? '', MAXIMUM_LABEL),
		Number.isNaN(time) ? '' : rowWords.age(Math.max(0, Date.now() - time)),
	].filter(part => part !== '');
	item.description = parts.join(' · ');
	item.accessibilityInformation = { label: [item.label, ...parts].join(', '), role: 'treeitem' };
	return item;
}

/** Returns the last row of a list whose next page can be read. */
export function moreItem(command: CommandId): vscode.TreeItem {
	const label = vscode.l10n.t('Load more…');
	const item = new vscode.TreeItem(label);
	item.command = { title: label, command };
	item.accessibilityInformation = { label: vscode.l10n.t('Load more tasks'), role: 'button' };
	return item;
}
