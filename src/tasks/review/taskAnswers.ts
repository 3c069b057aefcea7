import * as vscode from 'vscode';
import { DisposableOwner } from '../../base/disposable.ts';
import type { Logger } from '../../base/logger.ts';
import type { LocalService } from '../../localService/api.ts';
import { COMMENT_PROMPT_SCHEME } from '../../platform/ids.ts';
import type { ActiveConnection } from '../common/activeConnection.ts';
import type { ListRefresh } from '../list/listRefresh.ts';
import { type TaskPicker, taskIdOf } from '../list/pickTask.ts';
import type { TaskListStore } from '../list/taskListStore.ts';
import { readChangeUri } from '../results/changeUri.ts';
import type { TaskChanges } from '../results/taskChanges.ts';
import { CommentPrompts, type PromptedTasks } from './commentPrompts.ts';
import type { CommentStore } from './commentStore.ts';
import { AgentComparison, type ComparedPatches } from './compareAgents.ts';
import { ReviewComments } from './reviewComments.ts';
import { readTaskForChat } from './taskForChat.ts';
import { type TaskConnectionAccess, TaskMaterial } from './taskMaterial.ts';

export interface TaskAnswersDependencies {
	extensionUri: vscode.Uri;
	workspaceState: vscode.Memento;
	comments: CommentStore;
	changes: TaskChanges;
	store: TaskListStore;
	list: Pick<ListRefresh, 'load'>;
	active: ActiveConnection;
	picker: Pick<TaskPicker, 'pick'>;
	connection: Pick<TaskConnectionAccess, 'client' | 'ensureKey'>;
	composeWork: LocalService['composeWork'];
	/** Sends a prompt that was made from comments to a task. */
	send: PromptedTasks['send'];
	explain(error: unknown): void;
	logger: Logger;
}

/** The commands with which the user answers the work of tasks: comments, follow-ups made from them, and comparisons. */
export class TaskAnswers extends DisposableOwner {
	private readonly dependencies: TaskAnswersDependencies;
	readonly comments: ReviewComments;
	readonly prompts: CommentPrompts;
	readonly comparison: AgentComparison;
	/** Reads the prompts, logs and changes that questions about tasks need. */
	readonly material: TaskMaterial;

	constructor(dependencies: TaskAnswersDependencies) {
		super();
		this.dependencies = dependencies;
		const { comments, store, list, active, picker, connection, send, explain } = dependencies;
		const shared = {
			...dependencies,
			tasks: {
				all: () => store.all(),
				get: async (id: string) => store.get(id) ?? (await active.target()).client.tasks.get(id),
				pick: picker.pick,
				send,
			},
			connection: { ...connection, label: () => active.label },
		};
		this.comments = this.disposables.add(new ReviewComments(comments, explain));
		this.prompts = this.disposables.add(
			new CommentPrompts({ ...shared, scheme: COMMENT_PROMPT_SCHEME, store: comments }),
		);
		this.comparison = this.disposables.add(
			new AgentComparison({
				...shared,
				composeWork: () => (active.current?.isLocal ? dependencies.composeWork : undefined),
				list: {
					get: id => store.get(id),
					load: () => list.load(),
					// A stopped service is not started again to read how its tasks have ended.
					onDidChange: listener => store.onDidChange(() => active.isStopped || listener(undefined)),
				},
			}),
		);
		this.material = new TaskMaterial(shared);
	}

	/**
	 * Shows the prompt made from a task's comments, or sends it if it is shown. The argument is a row, a thread of
	 * comments, a document, or nothing for the active editor.
	 */
	async sendComments(argument: unknown): Promise<void> {
		const uri = argument instanceof vscode.Uri ? argument : vscode.window.activeTextEditor?.document.uri;
		const isOfEditor = argument === undefined || argument instanceof vscode.Uri;
		if (isOfEditor && uri?.scheme === COMMENT_PROMPT_SCHEME) {
			await this.prompts.send(uri);
			return;
		}
		if (!(await this.dependencies.connection.ensureKey())) {
			return;
		}
		const id =
			(isOfEditor ? uri && readChangeUri(uri)?.taskId : undefined) ??
			this.comments.taskOf(argument) ??
			taskIdOf(argument) ??
			(await this.dependencies.picker.pick(
				({ id }) => this.dependencies.comments.hasUnsent(id),
				vscode.l10n.t('Send Comments to Task'),
				vscode.l10n.t(
					'There are no comments to send. Review the changes of the task, and add comments to their lines.',
				),
			));
		if (id !== undefined) {
			await this.prompts.open(id);
		}
	}

	/** Compares the agents of a task, or the user's choice. The argument is a row or nothing. */
	async compare(argument: unknown): Promise<void> {
		if (await this.dependencies.connection.ensureKey()) {
			await this.comparison.compare(taskIdOf(argument));
		}
	}

	/** Returns the patches of an open comparison, of the agents of a task, or of the user's choice. */
	async readPatches(argument: unknown, title: string): Promise<ComparedPatches | undefined> {
		return (await this.dependencies.connection.ensureKey())
			? this.comparison.readPatches(argument, taskIdOf(argument), title)
			: undefined;
	}

	/** Lets the user choose the log or the changes of a task for the chat. Rejects with a sentence for the user. */
	readForChat(argument: unknown): ReturnType<typeof readTaskForChat> {
		return readTaskForChat(this.material, argument, this.dependencies.active.label);
	}
}
