import * as vscode from 'vscode';
import { DisposableOwner } from '../../base/disposable.ts';
import { ClientError, UserFacingError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { Task } from '../../contract/tasks.ts';
import { type GitApi, type GitPlace, getGitApi, placeOf } from '../../platform/git.ts';
import { views } from '../../platform/ids.ts';
import { explainError } from '../../platform/notify.ts';
import { checkTrust } from '../../platform/trust.ts';
import type { ActiveConnection } from '../common/activeConnection.ts';
import type { TaskListStore } from '../list/taskListStore.ts';
import { UnreadTasks } from '../list/unreadTasks.ts';
import type { ChooseTask, TaskTarget } from '../model/taskConnection.ts';
import type { ChangeUriParts } from '../results/changeUri.ts';
import { decorationOf } from '../results/fileRows.ts';
import { pickResult } from '../results/pickResult.ts';
import { ResultReferences } from '../results/resultReferences.ts';
import { ResultRows } from '../results/resultRows.ts';
import { TaskChanges } from '../results/taskChanges.ts';
import { findTaskRepository } from '../results/taskRepository.ts';
import { TaskStarts } from '../results/taskStarts.ts';
import { TaskSteps, type TaskStepsDependencies } from '../results/taskSteps.ts';
import { ChangeFiles } from './changeFiles.ts';
import { showReview } from './showReview.ts';

export interface TaskResultsDependencies {
	workspaceState: vscode.Memento;
	store: TaskListStore;
	active: ActiveConnection;
	choose: ChooseTask;
	/** Reads a page of the steps of a task. */
	readSteps: TaskStepsDependencies['read'];
	explain(error: unknown): void;
	/** Called with the id of a task that its service no longer has. */
	onGone(taskId: string): void;
	logger: Logger;
}

/**
 * The results of tasks: their changes, the rows and the review that show them, and the record of those that the user
 * has seen.
 */
export class TaskResults extends DisposableOwner {
	readonly changes: TaskChanges;
	readonly rows: ResultRows;
	/** The tasks that have ended and that the user has not looked at. */
	readonly unread: UnreadTasks;
	/** The files of tasks, for the editor. */
	readonly files: ChangeFiles;
	readonly starts: TaskStarts;
	readonly steps: TaskSteps;
	readonly references: ResultReferences;
	private readonly dependencies: TaskResultsDependencies;

	constructor(dependencies: TaskResultsDependencies) {
		super();
		this.dependencies = dependencies;
		const { workspaceState, store, active, logger } = dependencies;
		this.starts = new TaskStarts(workspaceState);
		this.references = new ResultReferences({
			workspaceState,
			connection: () => active.current?.name,
			place: async directory => {
				const git = await getGitApi().catch(() => undefined);
				return git && vscode.workspace.isTrusted ? placeOf(git, directory) : undefined;
			},
			logger,
		});
		this.changes = this.disposables.add(
			new TaskChanges({
				isLocal: () => active.current?.isLocal === true,
				startCommit: id => this.starts.commitOf(id),
				references: this.references,
			}),
		);
		this.unread = this.disposables.add(new UnreadTasks(workspaceState));
		const { changes } = this;
		const task = (id: string) => store.get(id);
		this.steps = this.disposables.add(
			new TaskSteps({
				isLocal: () => active.current?.isLocal === true,
				task,
				read: (...asked) => dependencies.readSteps(...asked),
				explain: error => active.explain(error),
			}),
		);
		const { steps } = this;
		this.rows = new ResultRows({ task, changes, steps, onUnfold: id => this.look(id) });
		this.files = new ChangeFiles(parts => this.placeOf(parts));
		this.disposables.add(vscode.window.registerFileDecorationProvider({ provideFileDecoration: decorationOf }));
		this.disposables.add(vscode.window.onDidChangeWindowState(({ focused }) => focused && this.unread.refresh()));
	}

	/** Shows the changes of a task. Errors are shown to the user. */
	async reviewChanges(argument: unknown): Promise<void> {
		const title = vscode.l10n.t('Review Task Changes');
		const chosen = await this.dependencies.choose(argument, title);
		if (!chosen) {
			return;
		}
		try {
			const task = await this.taskOf(chosen.id, chosen.target);
			const result = await pickResult(task, argument, title);
			if (result) {
				const location = { viewId: views.tasks };
				const changes = await vscode.window.withProgress({ location }, () => this.changes.read(task, result));
				this.look(task.id);
				await showReview(task, changes, error => explainError(error, this.dependencies.active.label));
			}
		} catch (error) {
			this.dependencies.explain(error);
		}
	}

	/** Records that the user looks at a task of the active connection. */
	look(taskId: string): void {
		const { current } = this.dependencies.active;
		if (current) {
			this.unread.look(current.name, taskId);
		}
	}

	/** Called when the list of tasks has changed. Never rejects. */
	async listChanged({ connection, client }: TaskTarget): Promise<void> {
		this.steps.listChanged();
		const { store } = this.dependencies;
		await this.references.sweep(
			connection.name,
			id => store.get(id) !== undefined,
			async id => {
				const isGone = await client.tasks.get(id).then(
					() => false,
					(error: unknown) => ClientError.is(error, 'not-found'),
				);
				if (isGone) {
					this.changes.forget(id);
					this.unread.look(connection.name, id);
					this.dependencies.onGone(id);
				}
				return isGone;
			},
		);
	}

	private async taskOf(id: string, { client }: TaskTarget): Promise<Task> {
		const known = this.dependencies.store.get(id);
		if (known) {
			return known;
		}
		const task = await client.tasks.get(id);
		this.dependencies.store.put(task);
		return task;
	}

	/**
	 * A URI may come from anywhere, and must not lead into a repository that the user has not opened and in which none
	 * of their tasks has worked.
	 */
	private async placeOf({ taskId, directory }: ChangeUriParts): Promise<GitPlace> {
		checkTrust();
		const git: GitApi = await getGitApi();
		if (git.repositories.some(({ rootUri }) => rootUri.scheme === 'file' && rootUri.fsPath === directory)) {
			return placeOf(git, directory);
		}
		// After a reload the list may not have been read yet.
		const target = await this.dependencies.active.target();
		const task = await this.taskOf(taskId, target);
		const { place } = await findTaskRepository(task, target.connection.isLocal);
		if (place.directory !== directory) {
			throw new UserFacingError(
				vscode.l10n.t('This file belongs to a repository that isn’t open in this window. Open it, then try again.'),
			);
		}
		return place;
	}
}
