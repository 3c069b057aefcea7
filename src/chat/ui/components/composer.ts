import type { ReactiveControllerHost } from 'lit';
import type { ComposerMode, TurnMode } from '../../model/mode.ts';
import type { ContextView } from '../../protocol/protocol.ts';
import type { Page } from '../pageElement.ts';

/** The composer, as its parts use it. */
export interface Composer extends ReactiveControllerHost {
	readonly page: Page;
	readonly renderRoot: HTMLElement | DocumentFragment;
	readonly field: HTMLTextAreaElement;
	readonly context: ContextView;
	/** The mode of the conversation. */
	readonly mode: TurnMode;
	/** A task gets nothing from an encrypted conversation. */
	readonly encrypted: boolean;
	/** Sentences that say why a mode cannot be used. */
	readonly refusedModes: Partial<Record<ComposerMode, string>>;
	/** The message was sent, and the host has not answered yet. */
	readonly waiting: boolean;
	/** True if the draft was sent and neither accepted nor refused, even before this page was loaded. */
	readonly isSent: boolean;
	/** True while the draft is being sent or is not complete yet. */
	readonly isPending: boolean;
	focusText(): void;
	/** Must be called when the field's text has changed. */
	textChanged(): void;
	/** Replaces the draft. */
	setText(text: string): void;
	/** Stores the draft, because its mode has changed. */
	keep(): void;
	/** Empties the draft, which the host has taken. */
	clear(): void;
	/** Does what Enter does when no list handles it. */
	enter(): void;
	/** Sends the message. */
	send(): void;
	/** Shows a hint that says why something was not done. */
	say(hint: string): void;
}
