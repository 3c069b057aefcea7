import * as vscode from 'vscode';
import * as z from 'zod';
import { DisposableOwner } from '../../base/disposable.ts';
import { escapeIcons } from '../../base/plainText.ts';
import { resultsOf, type TaskResult } from '../../contract/taskResults.ts';
import type { Task } from '../../contract/tasks.ts';
import { commands } from '../../platform/ids.ts';
import { askModal, showMessage } from '../../platform/notify.ts';
import { StateEntries } from '../../platform/sharedState.ts';
import { rowWords } from '../common/messages.ts';
import { taskIdOf } from '../list/pickTask.ts';
import { commentsPrompt } from '../model/commentsPrompt.ts';
import type { CommentPlace, ReviewThread } from '../model/reviewComment.ts';
import { COMMENT_PROMPT_ENTRIES } from '../model/storageKeys.ts';
import { taskTitle } from '../model/taskRow.ts';
import { readChangeUri } from '../results/changeUri.ts';
import { chooseAmong } from '../results/pickResult.ts';
import type { TaskChanges } from '../results/taskChanges.ts';
import type { CommentStore } from './commentStore.ts';
import type { TaskConnectionAccess, TaskFinder } from './taskMaterial.ts';

const MAXIMUM_TITLE = 60;

/** A prompt that was made from comments and that the user is editing. */
const promptSchema = z.object({
	resultKey: z.string(),
	taskId: z.string(),
	text: z.string(),
	/** The text as it was generated. */
	made: z.string(),
	/** The ids of the comments in it. */
	comments: z.array(z.string()),
});
type StoredPrompt = z.infer<typeof promptSchema>;

const isStoredPrompt = (value: unknown): value is StoredPrompt => promptSchema.safeParse(value).success;

/** The tasks that receive the prompts. */
interface PromptedTasks extends Pick<TaskFinder, 'get' | 'pick'> {
	/**
	 * Sends a prompt to a task that has ended. Resolves with true if the service has accepted it; shows errors to the
	 * user.
	 */
	send(task: Task, result: TaskResult, prompt: string): Promise<boolean>;
}

export interface CommentPromptsDependencies {
	/** The scheme of the documents. */
	scheme: string;
	workspaceState: vscode.Memento;
	store: CommentStore;
	changes: Pick<TaskChanges, 'state'>;
	tasks: PromptedTasks;
	connection: Pick<TaskConnectionAccess, 'ensureKey'>;
	explain(error: unknown): void;
}

/** Makes prompts from comments, shows each in an editor, and sends it when the user asks for that. */
export class CommentPrompts extends DisposableOwner {
	private readonly dependencies: CommentPromptsDependencies;
	private readonly entries: StateEntries<StoredPrompt>;
	private readonly placeholder = this.disposables.add(
		vscode.window.createTextEditorDecorationType({
			after: {
				contentText: vscode.l10n.t('Add your own text here, or send it as is'),
				color: new vscode.ThemeColor('editor.placeholder.foreground'),
			},
		}),
	);
	/** The prompts that are being sent, so that a second click sends nothing. */
	private readonly sending = new Set<string>();

	constructor(dependencies: CommentPromptsDependencies) {
		super();
		this.dependencies = dependencies;
		this.entries = new StateEntries(dependencies.workspaceState, COMMENT_PROMPT_ENTRIES, isStoredPrompt);
		const draw = () => this.drawPlaceholders();
		this.disposables.add(vscode.window.onDidChangeVisibleTextEditors(draw));
		this.disposables.add(
			vscode.workspace.onDidChangeTextDocument(({ document }) => {
				if (document.uri.scheme === this.dependencies.scheme) {
					draw();
				}
			}),
		);
		this.disposables.add(
			vscode.languages.registerCodeLensProvider(
				{ scheme: dependencies.scheme },
				{ provideCodeLenses: ({ uri }) => this.lenses(uri) },
			),
		);
		draw();
	}

	/** Returns the text of a document, or undefined if there is no such prompt. */
	read(uri: vscode.Uri): string | undefined {
		return this.storedOf(uri)?.text;
	}

	/** Keeps the text of a document. */
	async write(uri: vscode.Uri, text: string): Promise<void> {
		const stored = this.storedOf(uri);
		if (stored && stored.text !== text) {
			await this.entries.set(stored.resultKey, { ...stored, text });
		}
	}

	/**
	 * Shows the prompt made from a task's comments, or sends it if it is shown. The argument is a row, a thread of
	 * comments, a document, or nothing for the active editor.
	 */
	async openOrSend(argument: unknown): Promise<void> {
		const { scheme, store, tasks, connection } = this.dependencies;
		const shown = argument === undefined ? vscode.window.activeTextEditor?.document : undefined;
		// A thread has the URI of its document.
		const uri = argument instanceof vscode.Uri ? argument : (shown ?? (argument as { uri?: unknown } | null))?.uri;
		if (uri instanceof vscode.Uri && uri.scheme === scheme) {
			await this.send(uri);
			return;
		}
		if (!(await connection.ensureKey())) {
			return;
		}
		const id =
			(uri instanceof vscode.Uri ? readChangeUri(uri)?.taskId : undefined) ??
			taskIdOf(argument) ??
			(await tasks.pick(task => store.hasUnsent(task.id), vscode.l10n.t('Send Comments to Task'), noCommentsText()));
		if (id !== undefined) {
			await this.open(id);
		}
	}

	/** Shows the prompt made from a task's unsent comments. Sends nothing. */
	async open(taskId: string): Promise<void> {
		try {
			const task = await this.dependencies.tasks.get(taskId);
			const result = await this.chooseResult(task);
			if (result) {
				await this.show(await this.prepare(task, result));
			}
		} catch (error) {
			this.dependencies.explain(error);
		}
	}

	/** Sends the prompt of a document, and marks its comments as sent once the service has accepted it. */
	async send(uri: vscode.Uri): Promise<void> {
		const key = uri.toString();
		if (this.sending.has(key)) {
			return;
		}
		this.sending.add(key);
		try {
			const stored = this.storedOf(uri);
			if (stored) {
				await this.sendStored(uri, stored);
			}
		} catch (error) {
			this.dependencies.explain(error);
		} finally {
			this.sending.delete(key);
		}
	}

	private async sendStored(uri: vscode.Uri, stored: StoredPrompt): Promise<void> {
		const task = await this.dependencies.tasks.get(stored.taskId);
		const result = resultsOf(task).find(({ key }) => key === stored.resultKey);
		if (!result) {
			void showMessage(
				'warning',
				vscode.l10n.t('The task no longer has a branch, so there’s nothing to continue. Your prompt is kept.'),
			);
			return;
		}
		if (this.make(task, result).made !== stored.made && !(await this.agreesToOld(task, result))) {
			return;
		}
		const document = documentOf(uri);
		const prompt = (document?.getText() ?? stored.text).trim();
		if (prompt === '') {
			void showMessage('information', vscode.l10n.t('Describe what the task should do.'));
			return;
		}
		if (await this.dependencies.tasks.send(task, result, prompt)) {
			await this.dependencies.store.markSent(task.id, new Set(stored.comments));
			await close(uri, document);
			await this.entries.delete(stored.resultKey);
		}
	}

	/**
	 * Asks what to do, as the comments have changed since the prompt was made. Resolves with true if it is to be sent
	 * as it is.
	 */
	private async agreesToOld(task: Task, result: TaskResult): Promise<boolean> {
		const send = vscode.l10n.t('Send As Is');
		const again = vscode.l10n.t('Rewrite');
		const chosen = await askModal(
			vscode.l10n.t('The comments have changed since this prompt was created from them.'),
			vscode.l10n.t('If you rewrite it, it uses the current comments, and your own edits to it are lost.'),
			send,
			again,
		);
		if (chosen === again) {
			await this.show(this.make(task, result));
		}
		return chosen === send;
	}

	private async chooseResult(task: Task): Promise<TaskResult | undefined> {
		const results = resultsOf(task).filter(({ key }) => this.unsent(task.id, key).length > 0);
		if (results.length === 0) {
			void showMessage('information', noCommentsText());
			return undefined;
		}
		const placeHolder = vscode.l10n.t('Select the agent to send the comments to');
		return chooseAmong(results, undefined, vscode.l10n.t('Send Comments to Task'), placeHolder);
	}

	/** Returns the stored prompt, or a new one if the comments have changed and nothing would be lost. */
	private async prepare(task: Task, result: TaskResult): Promise<StoredPrompt> {
		const made = this.make(task, result);
		const stored = this.entries.get(result.key);
		if (!stored || stored.made === made.made) {
			return stored ?? made;
		}
		const text = documentOf(this.uriOf(stored))?.getText() ?? stored.text;
		if (text === stored.made) {
			return made;
		}
		const again = vscode.l10n.t('Rewrite');
		const keep = vscode.l10n.t('Keep');
		const chosen = await askModal(
			vscode.l10n.t('You have changed this prompt, and the comments have changed since.'),
			vscode.l10n.t('If you rewrite it, it uses the current comments, and your own edits to it are lost.'),
			again,
			keep,
		);
		return chosen === again ? made : { ...stored, text };
	}

	private make(task: Task, { key }: TaskResult): StoredPrompt {
		const threads = this.unsent(task.id, key);
		const made = commentsPrompt(threads, place => this.isEarlier(task, place));
		const comments = threads.flatMap(thread => thread.comments.filter(({ isSent }) => !isSent).map(({ id }) => id));
		return { resultKey: key, taskId: task.id, text: made, made, comments };
	}

	private unsent(taskId: string, resultKey: string): ReviewThread[] {
		return this.dependencies.store
			.threads(taskId)
			.filter(({ place, comments }) => place.resultKey === resultKey && comments.some(({ isSent }) => !isSent));
	}

	/** Returns whether a file is known to have a version other than the one that was commented on. */
	private isEarlier(task: Task, { resultKey, side, path, object }: CommentPlace): boolean {
		const result = resultsOf(task).find(({ key }) => key === resultKey);
		const state = result && this.dependencies.changes.state(task, result);
		return (
			state?.kind === 'read' &&
			!state.changes.files.some(file => file[side]?.path === path && file[side].object === object)
		);
	}

	private async show(prompt: StoredPrompt): Promise<void> {
		await this.entries.set(prompt.resultKey, prompt);
		const document = await vscode.workspace.openTextDocument(this.uriOf(prompt));
		// The editor keeps a closed document for minutes, with its old text.
		if (document.getText() !== prompt.text) {
			const edit = new vscode.WorkspaceEdit();
			edit.replace(document.uri, new vscode.Range(0, 0, document.lineCount, 0), prompt.text);
			await vscode.workspace.applyEdit(edit);
		}
		const editor = await vscode.window.showTextDocument(document, { preview: false });
		const start = new vscode.Position(0, 0);
		editor.selection = new vscode.Selection(start, start);
		editor.revealRange(editor.selection);
	}

	private async lenses(uri: vscode.Uri): Promise<vscode.CodeLens[]> {
		const stored = this.storedOf(uri);
		if (!stored) {
			return [];
		}
		const task = await this.dependencies.tasks.get(stored.taskId).catch(() => undefined);
		const title = task ? taskTitle(task, rowWords.untitled, MAXIMUM_TITLE) : stored.taskId;
		return [
			new vscode.CodeLens(new vscode.Range(0, 0, 0, 0), {
				command: commands.sendTaskComments,
				title: `$(send) ${escapeIcons(vscode.l10n.t('Send to “{0}”', title))}`,
				tooltip: vscode.l10n.t('Sends this text as the next prompt, and marks its comments as sent'),
				arguments: [uri],
			}),
		];
	}

	private drawPlaceholders(): void {
		for (const editor of vscode.window.visibleTextEditors) {
			if (editor.document.uri.scheme === this.dependencies.scheme) {
				const isEmpty = editor.document.lineAt(0).text === '';
				editor.setDecorations(this.placeholder, isEmpty ? [new vscode.Range(0, 0, 0, 0)] : []);
			}
		}
	}

	/** The path is the title of the tab; the query is the key of the result. */
	private uriOf({ resultKey }: StoredPrompt): vscode.Uri {
		return vscode.Uri.from({ scheme: this.dependencies.scheme, path: '/Follow-up.md', query: resultKey });
	}

	private storedOf(uri: vscode.Uri): StoredPrompt | undefined {
		return uri.scheme === this.dependencies.scheme ? this.entries.get(uri.query) : undefined;
	}
}

const noCommentsText = () =>
	vscode.l10n.t('There are no comments to send. Review the changes of the task, and add comments to their lines.');

function documentOf(uri: vscode.Uri): vscode.TextDocument | undefined {
	return vscode.workspace.textDocuments.find(document => document.uri.toString() === uri.toString());
}

/** Closes the tabs of a document, after saving it: closing an unsaved one would show a dialog. */
async function close(uri: vscode.Uri, document: vscode.TextDocument | undefined): Promise<void> {
	if (document?.isDirty && !(await document.save())) {
		return;
	}
	const tabs = vscode.window.tabGroups.all
		.flatMap(group => group.tabs)
		.filter(({ input }) => input instanceof vscode.TabInputText && input.uri.toString() === uri.toString());
	await vscode.window.tabGroups.close(tabs);
}
