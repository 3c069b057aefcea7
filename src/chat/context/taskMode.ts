import * as vscode from 'vscode';
import { type Disposable, DisposableOwner, MutableDisposable } from '../../base/disposable.ts';
import { UserFacingError } from '../../base/errors.ts';
import { thenComposer } from '../../platform/editorUse.ts';
import type { Tasks } from '../../tasks/api.ts';
import type { OpenConversations } from '../conversation/openConversations.ts';
import { taskPrompt } from '../model/attachment.ts';
import type { PageAccess, PageHandlers, ToPage } from '../protocol/protocol.ts';
import type { ChatContext } from './chatContext.ts';
import { takeForTask } from './takeContext.ts';

/** The page, as far as the task mode needs it. */
export interface TaskModePage extends Pick<PageAccess, 'post' | 'focusComposer'> {
	/** Resolves to whether a page gets the message. */
	send(message: ToPage): Promise<boolean>;
	/** Resolves to the page's answer to a request. */
	ask(message: (request: string) => ToPage): Promise<boolean>;
}

export interface TaskModeDependencies {
	conversations(): Promise<OpenConversations>;
	/** Returns whether an encrypted conversation has a draft that has not been sent. */
	hasDraft(conversation: string): boolean;
	context(): ChatContext;
	tasks(): Pick<Tasks, 'next' | 'launcher'>;
	page: TaskModePage;
}

type TaskModeHandlers = PageHandlers<'task-follow' | 'task-choose' | 'task-prompt-open'>;

/** The composer's mode for writing prompts of tasks. */
export class TaskMode extends DisposableOwner {
	private readonly dependencies: TaskModeDependencies;
	private readonly following = this.disposables.add(new MutableDisposable<Disposable>());
	/** The prompt of the task that was made while there was no page. */
	private lastMade: string | undefined;
	/** Handles the page's messages about tasks, other than the prompt itself. */
	readonly handlers: TaskModeHandlers;

	constructor(dependencies: TaskModeDependencies) {
		super();
		this.dependencies = dependencies;
		const { tasks, page } = dependencies;
		this.handlers = {
			'task-follow': ({ isShown }) => this.follow(isShown),
			'task-choose': ({ choice }) => thenComposer(async () => (await tasks().next()).choose(choice), page),
			'task-prompt-open': ({ text }) => this.openEditor(text),
		};
	}

	/**
	 * Writes into the composer as `draft-write` says, once it is shown, so that sending starts a task. An encrypted
	 * conversation is replaced by a new one, because nothing of it goes to a task. Rejects with a sentence for the user if
	 * no page takes it, or if a draft would be lost.
	 */
	async write(text: string, showView: () => PromiseLike<unknown>): Promise<void> {
		const { page } = this.dependencies;
		const open = await this.dependencies.conversations();
		const { encryption, turns, id } = open.shown.conversation;
		if (encryption) {
			// A conversation without a message is in no list, so its draft would not be found again.
			if (turns.length === 0 && this.dependencies.hasDraft(id)) {
				throw new UserFacingError(
					vscode.l10n.t('The draft in the encrypted conversation would be lost. Send or delete it, then try again.'),
				);
			}
			await open.showNew();
		}
		await showView();
		await page.focusComposer();
		if (text === '') {
			page.post({ kind: 'task-mode-set', isOn: true });
			return;
		}
		try {
			await page.ask(request => ({ kind: 'draft-write', request, text }));
		} catch (cause) {
			throw new UserFacingError(vscode.l10n.t('The chat isn’t open. Open it, then try again.'), { cause });
		}
	}

	/** Makes the composer, once it is shown, leave the mode if it contains no prompt. */
	async leave(): Promise<void> {
		const { page } = this.dependencies;
		await page.focusComposer();
		page.post({ kind: 'task-mode-set', isOn: false });
	}

	/**
	 * Tells the page that a task was made of a prompt, perhaps its draft; a hidden page is told when it is shown again.
	 */
	async made(prompt: string): Promise<void> {
		const isTold = await this.dependencies.page.send({ kind: 'task-made', prompt }).catch(() => false);
		this.lastMade = isTold ? undefined : prompt;
	}

	/** Must be called when a page has got its draft. */
	async shown(): Promise<void> {
		if (this.lastMade !== undefined) {
			await this.made(this.lastMade);
		}
	}

	private async follow(isShown: boolean): Promise<void> {
		if (!isShown) {
			this.following.value = undefined;
			return;
		}
		const { tasks, page } = this.dependencies;
		this.following.value = (await tasks().next()).follow(async task => {
			// A page that is shown again asks again.
			if (!(await page.send({ kind: 'task-set', task }).catch(() => false))) {
				this.following.value = undefined;
			}
		});
	}

	private async openEditor(text: string): Promise<void> {
		const { conversations, context, tasks } = this.dependencies;
		const { shown } = await conversations();
		const taken = await takeForTask(context(), shown, () => {});
		if ('message' in taken) {
			throw new UserFacingError(taken.message);
		}
		await (await tasks().launcher()).openEditor(taskPrompt(text, taken.texts));
		taken.given();
	}
}
