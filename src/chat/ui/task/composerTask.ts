import * as l10n from '@vscode/l10n';
import type { ReactiveController, ReactiveControllerHost, TemplateResult } from 'lit';
import { type ComposerMode, type TurnMode, taskGoal } from '../../model/mode.ts';
import { iconButton } from '../components/iconButton.ts';
import type { HostRequests } from '../hostRequests.ts';
import type { Draft, Post } from '../page.ts';

export interface TaskOwner extends ReactiveControllerHost {
	readonly field: HTMLTextAreaElement;
	readonly post: Post;
	readonly requests: HostRequests;
	/** The mode of the conversation. */
	readonly mode: TurnMode;
	/** No task gets anything of an encrypted conversation. */
	readonly encrypted: boolean;
	/** The host has been sent the draft and has not answered yet. */
	readonly waiting: boolean;
	/** Whether the draft was sent and neither accepted nor refused, before this page was loaded too. */
	readonly isSent: boolean;
	/** Empties the draft, of which the host has made something. */
	clear(): void;
	/** Whether the draft is on its way, or not complete yet. */
	readonly isPending: boolean;
	/** Makes a text the draft, in place of what is written there. */
	setText(text: string): void;
	/** Keeps the draft, as what it is for has changed. */
	keep(): void;
	/** Shows a hint that says why something was not done. */
	say(hint: string): void;
}

/** Whether the composer's message is a task's prompt, and what is done about that. */
export class ComposerTask implements ReactiveController {
	private readonly owner: TaskOwner;
	/** The messages are prompts of tasks, except in an encrypted conversation. */
	isOn = false;
	/** What another place has written while the draft was on its way. */
	private next = '';
	/** What the host has been told last. */
	private isFollowed = false;
	/** The draft is on its way into an editor. */
	private isOpening = false;

	constructor(owner: TaskOwner) {
		this.owner = owner;
		owner.addController(this);
	}

	hostUpdated(): void {
		const { isShown } = this;
		if (isShown !== this.isFollowed) {
			this.isFollowed = isShown;
			this.owner.post({ kind: 'task-follow', isShown });
		}
	}

	/** Takes over what was kept of the draft. */
	begin({ task, next = '' }: Draft): void {
		this.isOn = task === true;
		this.next = next;
	}

	/** What is kept with the draft. */
	get draft(): Pick<Draft, 'task' | 'next'> {
		return { ...(this.isOn ? { task: true as const } : {}), ...(this.next === '' ? {} : { next: this.next }) };
	}

	get isShown(): boolean {
		return this.isOn && !this.owner.encrypted;
	}

	/** What a message is for that begins with no command. */
	get mode(): ComposerMode {
		return this.isShown ? 'task' : this.owner.mode;
	}

	/** Returns whether a message becomes a task, which waits for no reply of the conversation. */
	takes(message: string): boolean {
		return taskGoal(message, this.mode) !== undefined;
	}

	set(isOn: boolean): void {
		this.isOn = isOn;
		this.owner.keep();
		this.owner.requestUpdate();
	}

	/** Must be called when another conversation is shown: a prompt goes along, but not the mode alone. */
	leave(): void {
		if (this.isOn && this.owner.field.value.trim() === '') {
			this.set(false);
		}
	}

	/** Makes the text a task's prompt. Returns whether it is there now, or will be when the draft that is on its way has gone. */
	write(text: string, how: 'add' | 'replace' | 'if-empty'): boolean {
		const { owner } = this;
		if (owner.waiting) {
			if (how !== 'if-empty') {
				this.next = this.next === '' ? text : `${this.next}\n\n${text}`;
				owner.keep();
				owner.say(l10n.t('What was added comes here when the message has gone.'));
			}
			return how !== 'if-empty';
		}
		const written = owner.field.value.trimEnd();
		const isThere = written.trim() === text.trim();
		if (how === 'if-empty' && written !== '' && !isThere) {
			return false;
		}
		this.set(true);
		if (!isThere) {
			owner.setText(written === '' || how === 'replace' ? text : `${written}\n\n${text}`);
		}
		return true;
	}

	/** Must be called when the draft is no longer on its way. */
	writeNext(): void {
		const { next, owner } = this;
		if (next !== '' && !owner.isSent) {
			this.next = '';
			this.write(next, 'add');
		}
	}

	/**
	 * A task exists of the prompt. The draft is that prompt, or was sent with context behind it; the page may have been
	 * loaded anew since.
	 */
	made(prompt: string): void {
		const { owner } = this;
		const goal = taskGoal(owner.field.value, this.mode)?.trim();
		if (goal && (prompt === goal || (owner.isSent && prompt.startsWith(`${goal}\n\n`)))) {
			owner.clear();
		}
	}

	/** Makes the messages something else: prompts of tasks, or messages of the conversation in a mode of it. */
	choose(mode: ComposerMode): void {
		this.set(mode === 'task');
		if (mode !== 'task') {
			this.owner.post({ kind: 'mode-choose', mode });
		}
	}

	/** The button that moves a long prompt into an editor. */
	editorButton(): TemplateResult {
		return iconButton('go-to-file', l10n.t('Open in Editor'), () => this.openEditor());
	}

	private async openEditor(): Promise<void> {
		const { owner } = this;
		if (owner.isPending || this.isOpening) {
			return;
		}
		const text = owner.field.value;
		this.isOpening = true;
		try {
			await owner.requests.ask('task-prompt-open', { text });
			if (owner.field.value === text) {
				owner.setText('');
			}
		} catch (error) {
			owner.say((error as Error).message);
		} finally {
			this.isOpening = false;
		}
	}
}
