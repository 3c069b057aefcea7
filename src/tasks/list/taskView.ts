import * as vscode from 'vscode';
import { DisposableOwner, toDisposable } from '../../base/disposable.ts';
import { setContextKey } from '../../platform/commands.ts';
import { hasMovedToEditor } from '../../platform/editorUse.ts';
import type { ActiveConnection } from '../common/activeConnection.ts';
import { explainList } from '../common/dashboard.ts';
import { clockTime, filterLine, serviceIsStopped } from '../common/messages.ts';
import { HAS_TASKS_KEY } from '../model/storageKeys.ts';
import type { TaskFilter } from '../model/taskFilter.ts';
import type { TaskListStore } from './taskListStore.ts';
import type { TaskTree, TreeNode } from './taskTree.ts';
import type { UnreadTasks } from './unreadTasks.ts';

/** The interval at which the ages in visible rows are redrawn, in milliseconds. */
const AGE_MS = 60_000;

export interface TaskViewDependencies {
	treeView: vscode.TreeView<TreeNode>;
	store: TaskListStore;
	tree: TaskTree;
	active: ActiveConnection;
	/** Makes the editor ask for these rows again, or for all of them. */
	fireTree(rows: TreeNode[] | undefined): void;
	/** The tasks that have ended and that the user has not looked at. */
	unread: UnreadTasks;
	globalState: vscode.Memento;
}

/** Keeps the view's title, message, badge and rows up to date with the list. */
export class TaskView extends DisposableOwner {
	private readonly dependencies: TaskViewDependencies;

	constructor(dependencies: TaskViewDependencies) {
		super();
		this.dependencies = dependencies;
		const { store, treeView, unread } = dependencies;
		this.disposables.add(unread.onDidChange(() => this.update()));
		this.disposables.add(
			store.onDidChange(({ taskId }) => {
				if (taskId === undefined) {
					this.redraw();
				} else {
					this.update();
					this.taskChanged(taskId);
				}
			}),
		);
		this.disposables.add(treeView.onDidCollapseElement(({ element }) => dependencies.tree.setClosed(element, true)));
		this.disposables.add(treeView.onDidExpandElement(({ element }) => dependencies.tree.setClosed(element, false)));
		const ages = setInterval(() => {
			if (treeView.visible && store.state === 'listed') {
				this.redraw();
			}
		}, AGE_MS);
		this.disposables.add(toDisposable(() => clearInterval(ages)));
	}

	/** Updates the whole view: redraws the rows whose content differs, or all rows if positions have changed. */
	redraw(): void {
		const { tree, fireTree } = this.dependencies;
		const rows = tree.changedRows();
		this.update();
		if (rows === undefined || rows.length > 0) {
			fireTree(rows);
		}
	}

	/** Redraws one row whose group stays the same. */
	taskChanged(taskId: string): void {
		const node = this.dependencies.tree.knownNode(taskId);
		if (node) {
			this.dependencies.fireTree([node]);
		}
	}

	/** Draws new rows and moves the focus to one of them. */
	async showRow(row: TreeNode): Promise<void> {
		this.redraw();
		await this.revealRow(row, { focus: true, expand: false });
	}

	/** Reveals the row of a task, and the view with it. */
	async reveal(taskId: string, focus = false): Promise<void> {
		const { tree } = this.dependencies;
		tree.group();
		await this.revealRow(tree.taskNode(taskId), { focus, expand: true });
	}

	/**
	 * Runs a command on a task. If `argument` is the task's row, because the command was chosen there, the keyboard
	 * focus stays at that place. After any other command, the tree must not take the focus.
	 */
	async keepPlace(argument: unknown, taskId: string, run: () => Promise<void>): Promise<void> {
		const { tree, treeView } = this.dependencies;
		const own = tree.knownNode(taskId);
		if (own === undefined || argument !== own) {
			return run();
		}
		// The editor keeps the focus on a row that moves, but loses it with a row that disappears. The focus then goes to
		// the row's collapsed group or, if the filter excludes the task, to the next row.
		const before = tree.shownIds();
		let isElsewhere = false;
		const watch = treeView.onDidChangeSelection(({ selection }) => {
			isElsewhere ||= selection.some(node => node !== own);
		});
		try {
			isElsewhere = (await hasMovedToEditor(run)) || isElsewhere;
		} finally {
			watch.dispose();
		}
		tree.group();
		const row = tree.visibleRow(taskId) ?? this.neighbour(taskId, before);
		if (row && row !== tree.knownNode(taskId) && treeView.visible && !isElsewhere) {
			await this.revealRow(row, { focus: true, expand: false });
		}
	}

	/** Returns the visible row after that of a task in an earlier order, or otherwise the one before it. */
	private neighbour(taskId: string, order: readonly string[]): TreeNode | undefined {
		const { tree } = this.dependencies;
		const at = order.indexOf(taskId);
		const rows = [...order.slice(at + 1), ...order.slice(0, Math.max(0, at)).reverse()].map(id => tree.visibleRow(id));
		return rows.find(row => row?.kind === 'task') ?? rows.find(row => row !== undefined);
	}

	private async revealRow(row: TreeNode, options: { focus: boolean; expand: boolean }): Promise<void> {
		try {
			await this.dependencies.treeView.reveal(row, { select: true, ...options });
		} catch {
			// The editor throws when the rows change while it looks for this one; the row exists nevertheless.
		}
	}

	update(): void {
		const { store, treeView, active, unread } = this.dependencies;
		const label = active.current?.label;
		const { state, error, staleSince } = store;
		const stopped = active.isStopped ? serviceIsStopped() : undefined;
		setContextKey('errand.tasksState', state);
		if (state === 'listed' || state === 'empty') {
			this.rememberTasks(state === 'listed');
		}
		const explanation = error === undefined ? undefined : explainList(error, label ?? 'Errand');
		const failure =
			explanation === undefined || staleSince === undefined
				? explanation
				: vscode.l10n.t('Not refreshed since {0}. {1}', clockTime(staleSince), explanation);
		// While a view has a message, the editor hides its welcome content, which in the other states tells the user
		// what to do. The rows show how logs are followed, and so does the status bar, wherever the user is.
		const hasMessage = state === 'listed' || state === 'error';
		const parts = [stopped ?? failure, state === 'listed' ? this.filterText(store.filter) : undefined];
		treeView.message = hasMessage ? parts.filter(Boolean).join(' — ') : '';
		// The editor shows no description of a view that is alone in its container, but puts the container's title
		// before the view's.
		treeView.title = label ?? vscode.l10n.t('Tasks');
		const count = active.current ? unread.countOf(active.current.name) : 0;
		treeView.badge =
			count === 0
				? undefined
				: {
						value: count,
						tooltip:
							count === 1
								? vscode.l10n.t('1 task ended since you last looked')
								: vscode.l10n.t('{0} tasks ended since you last looked', count),
					};
	}

	/** The next window offers the commands for tasks before it has read the list. */
	private rememberTasks(hasTasks: boolean): void {
		const { globalState } = this.dependencies;
		setContextKey('errand.hasTasks', hasTasks);
		if (globalState.get(HAS_TASKS_KEY) !== hasTasks) {
			void globalState.update(HAS_TASKS_KEY, hasTasks);
		}
	}

	private filterText(filter: TaskFilter): string | undefined {
		const line = filterLine(filter);
		return line !== undefined && this.dependencies.tree.isEmpty
			? vscode.l10n.t('{0}. No loaded tasks match.', line)
			: line;
	}
}
