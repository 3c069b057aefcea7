import * as l10n from '@vscode/l10n';
import { html, nothing, type ReactiveController, type ReactiveControllerHost, type TemplateResult } from 'lit';
import { type ComposerMode, offeredCommands } from '../../model/mode.ts';
import { MODE_ICONS, modeDescription } from '../../protocol/labels.ts';
import { codicon } from '../codicon.ts';
import { listTakesKey } from '../components/listKeys.ts';

const LIST_ID = 'slash-commands';

export interface SlashOwner extends ReactiveControllerHost {
	readonly field: HTMLTextAreaElement;
	/** Why commands cannot be used, as sentences. */
	readonly refusedModes: Partial<Record<ComposerMode, string>>;
	/** Must be called when the text has changed. */
	textChanged(): void;
}

/**
 * The list of commands that `/` opens at the start of a message. The text field keeps the focus and controls the list.
 */
export class SlashMenu implements ReactiveController {
	private readonly owner: SlashOwner;
	private commands: readonly ComposerMode[] = [];
	private selected = 0;
	/** The user has closed the list. Typing does not open it again until the slash is gone. */
	private dismissed = false;

	constructor(owner: SlashOwner) {
		this.owner = owner;
		owner.addController(this);
	}

	hostConnected(): void {}

	/** Must be called when the text or the cursor has changed. */
	update(): void {
		const { value, selectionStart, selectionEnd } = this.owner.field;
		if (!value.startsWith('/')) {
			this.dismissed = false;
		}
		const offered = selectionStart === selectionEnd && !this.dismissed ? offeredCommands(value, selectionStart) : [];
		if (offered.join() !== this.commands.join()) {
			this.commands = offered;
			this.selected = 0;
			this.owner.requestUpdate();
		}
	}

	close(): void {
		if (this.isOpen) {
			this.commands = [];
			this.owner.requestUpdate();
		}
	}

	/** Returns whether the list has handled the key. */
	onKeyDown(event: KeyboardEvent): boolean {
		return (
			this.isOpen &&
			listTakesKey(event, {
				count: this.commands.length,
				selected: this.selected,
				select: index => this.select(index),
				take: index => this.take(this.commands[index]),
				close: () => this.close(),
				dismiss: () => {
					this.dismissed = true;
					this.close();
				},
			})
		);
	}

	private select(index: number): void {
		this.selected = index;
		this.owner.requestUpdate();
	}

	/** The id of the list for the text field's ARIA attributes. */
	get list(): string | undefined {
		return this.isOpen ? LIST_ID : undefined;
	}

	get active(): string | undefined {
		return this.isOpen ? `slash-${this.commands[this.selected]}` : undefined;
	}

	render(): TemplateResult | typeof nothing {
		// The text field keeps the focus, so a press on the list must not take it.
		return this.isOpen
			? html`<div
					class="completions scrolls"
					id=${LIST_ID}
					role="listbox"
					aria-label=${l10n.t('Commands')}
					@mousedown=${(event: MouseEvent) => event.preventDefault()}
				>
					${this.commands.map((command, index) => this.renderCommand(command, index))}
				</div>`
			: nothing;
	}

	private renderCommand(command: ComposerMode, index: number): TemplateResult {
		const { refusedModes } = this.owner;
		const refusal = refusedModes[command];
		const words = modeDescription(command);
		return html`<div
			class="completion"
			id="slash-${command}"
			role="option"
			aria-selected=${index === this.selected}
			aria-disabled=${refusal === undefined ? nothing : 'true'}
			title=${refusal ?? words}
			@click=${() => this.take(command)}
		>
			${codicon(MODE_ICONS[command])}<span class="name">/${command}</span><span class="where sentence">${refusal ?? words}</span>
		</div>`;
	}

	private get isOpen(): boolean {
		return this.commands.length > 0;
	}

	private take(command: ComposerMode | undefined): void {
		const { field, refusedModes } = this.owner;
		if (command === undefined || refusedModes[command] !== undefined) {
			return;
		}
		const typed = /^\/[a-z]*\s?/.exec(field.value)?.[0].length ?? 0;
		field.setRangeText(`/${command} `, 0, typed, 'end');
		this.close();
		field.focus();
		this.owner.textChanged();
	}
}
