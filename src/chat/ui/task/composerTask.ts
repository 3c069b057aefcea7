import * as l10n from '@vscode/l10n';
import type { ReactiveController, TemplateResult } from 'lit';
import { defined } from '../../../base/defined.ts';
import { type ComposerMode, taskGoal } from '../../model/mode.ts';
import { iconButton } from '../codicon.ts';
import type { Composer } from '../components/composer.ts';
import type { Draft } from '../page.ts';

/** Keeps track of whether the composer's message is a task's prompt, and handles it if so. */
export class ComposerTask implements ReactiveController {
	private readonly owner: Composer;
	/** True if messages are prompts of tasks, except in an encrypted conversation. */
	isOn = false;
	/** Text that arrived from elsewhere while the draft was being sent. */
	private next = '';
	/** The value that the host was last told. */
	private isFollowed = false;
	/** Set while the draft is being moved into an editor. */
	private isOpening = false;

	constructor(owner: Composer) {
		this.owner = owner;
		owner.addController(this);
	}

	hostUpdated(): void {
		const { isShown } = this;
		if (isShown !== this.isFollowed) {
			this.isFollowed = isShown;
			this.owner.page.post({ kind: 'task-follow', isShown });
		}
	}

	/** Restores the stored parts of the draft. */
	begin({ task, next = '' }: Draft): void {
		this.isOn = task === true;
		this.next = next;
	}

	/** The parts that are stored with the draft. */
	get draft(): Pick<Draft, 'task' | 'next'> {
		return defined({ task: this.isOn ? (true as const) : undefined, next: this.next || undefined });
	}

	get isShown(): boolean {
		return this.isOn && !this.owner.encrypted;
	}

	/** The mode of a message that begins with no command. */
	get mode(): ComposerMode {
		return this.isShown ? 'task' : this.owner.mode;
	}

	/** Returns whether a message becomes a task, which need not wait for a reply of the conversation. */
	takes(message: string): boolean {
		return taskGoal(message, this.mode) !== undefined;
	}

	set(isOn: boolean): void {
		this.isOn = isOn;
		this.owner.keep();
		this.owner.requestUpdate();
	}

	/** Must be called when another conversation is shown: the mode is kept only together with a prompt. */
	leave(): void {
		if (this.isOn && this.owner.field.value.trim() === '') {
			this.set(false);
		}
	}

	/** Makes the text a task's prompt, at once or when the draft has been sent. */
	write(text: string): true {
		const { owner } = this;
		if (owner.waiting) {
			this.next = join(this.next, text);
			owner.keep();
			owner.say(l10n.t('Added text appears here after the message is sent.'));
			return true;
		}
		const written = owner.field.value.trimEnd();
		this.set(true);
		if (written.trim() !== text.trim()) {
			owner.setText(join(written, text));
		}
		return true;
	}

	/** Must be called when the draft is no longer being sent. */
	writeNext(): void {
		const { next, owner } = this;
		if (next !== '' && !owner.isSent) {
			this.next = '';
			this.write(next);
		}
	}

	/**
	 * Must be called when a task was made of the prompt. The draft is that prompt, or was sent with context appended; the
	 * page may have been reloaded since.
	 */
	made(prompt: string): void {
		const { owner } = this;
		const goal = taskGoal(owner.field.value, this.mode)?.trim();
		if (goal && (prompt === goal || (owner.isSent && prompt.startsWith(`${goal}\n\n`)))) {
			owner.clear();
		}
	}

	/** Makes messages prompts of tasks, or messages of the conversation in one of its modes. */
	choose(mode: ComposerMode): void {
		this.set(mode === 'task');
		if (mode !== 'task') {
			this.owner.page.post({ kind: 'mode-choose', mode });
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
			await owner.page.requests.ask('task-prompt-open', { text });
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

function join(before: string, text: string): string {
	return before === '' ? text : `${before}\n\n${text}`;
}
