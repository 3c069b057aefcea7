import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { COMPOSER_MODES, type ComposerMode, OWN_PROMPTS, offersName, slashName, slashWord } from '../../model/mode.ts';
import { MODE_ICONS, modeDescription, OWN_PROMPT_ICONS, ownPromptDescription } from '../../protocol/labels.ts';
import type { PromptView } from '../../protocol/protocol.ts';
import { type CodiconName, codicon } from '../codicon.ts';
import type { Composer } from '../components/composer.ts';
import { listTakesKey } from '../components/listKeys.ts';
import { isSendKey } from '../message.ts';

const LIST_ID = 'slash-commands';

/** The time for which Enter waits for the prompts of files, in milliseconds. */
const PROMPTS_MS = 2_000;

/** A row of the list: something that a message can begin with, or the command to edit the user's own prompts. */
interface SlashRow {
	group: 'modes' | 'own' | 'agent' | 'files';
	/** The name to type after the slash. */
	name: string;
	icon: CodiconName;
	/** Shown in place of the name. */
	label?: string;
	hint?: string | undefined;
	words: string;
	/** Notes on a prompt, shown once it is chosen and, before that, on hover. */
	notes?: string | undefined;
	/** Sentences that say why it cannot be used. */
	refusal?: string | undefined;
	isEdit?: true;
}

/**
 * The list of modes and prompts that `/` opens at the start of a message. The text field keeps the focus and controls the
 * list.
 */
export class SlashMenu {
	private readonly owner: Composer;
	/** The typed part of a name; undefined while the list is closed. */
	private typed: string | undefined;
	private selected = 0;
	/** Set when the user has closed the list. Typing does not open it again until the slash is gone. */
	private dismissed = false;
	/** The prompts of files when the list was last opened. */
	private prompts: readonly PromptView[] = [];
	private isAwaited = false;

	constructor(owner: Composer) {
		this.owner = owner;
	}

	/** Must be called when the text or the cursor has changed. */
	update(): void {
		const { value, selectionStart, selectionEnd } = this.owner.field;
		if (!value.startsWith('/')) {
			this.dismissed = false;
		}
		const typed = selectionStart === selectionEnd && !this.dismissed ? slashWord(value, selectionStart) : undefined;
		if (typed !== undefined && this.typed === undefined && !this.isAwaited) {
			void this.readPrompts();
		}
		if (typed !== this.typed) {
			this.typed = typed;
			this.selected = 0;
			this.owner.requestUpdate();
		}
	}

	close(): void {
		if (this.typed !== undefined) {
			this.typed = undefined;
			this.owner.requestUpdate();
		}
	}

	/** Returns whether the list has handled the key. */
	onKeyDown(event: KeyboardEvent): boolean {
		const { rows } = this;
		if (rows.length === 0) {
			// The typed name may be the beginning of a prompt that is still being loaded.
			const isHeld = this.typed !== undefined && this.isAwaited && isSendKey(event);
			if (isHeld) {
				event.preventDefault();
			} else if (isSendKey(event)) {
				this.close();
			}
			return isHeld;
		}
		return listTakesKey(event, {
			count: rows.length,
			selected: this.selected,
			select: index => this.select(index),
			take: index => this.take(rows[index]),
			close: () => this.close(),
			dismiss: () => {
				this.dismissed = true;
				this.close();
			},
		});
	}

	private async readPrompts(): Promise<void> {
		this.isAwaited = true;
		const prompts = await this.owner.page.requests.ask('prompts-request', {}, PROMPTS_MS).catch(() => []);
		const name = this.rows[this.selected]?.name;
		this.prompts = prompts;
		this.isAwaited = false;
		// The user may already have selected a row, and the prompts may be inserted above it.
		this.selected = Math.max(
			0,
			this.rows.findIndex(row => row.name === name),
		);
		this.owner.requestUpdate();
	}

	private select(index: number): void {
		this.selected = index;
		this.owner.requestUpdate();
	}

	/** The prompt that the message begins with, if it comes from a file. */
	private get chosen(): PromptView | undefined {
		// Prompts are known only after something was typed, so the field exists.
		return this.prompts.find(({ name }) => name === slashName(this.owner.field.value)?.name);
	}

	/** The id of the list for the text field's ARIA attributes. */
	get list(): string | undefined {
		return this.rows.length > 0 ? LIST_ID : undefined;
	}

	get active(): string | undefined {
		return this.rows.length > 0 ? `slash-${this.selected}` : undefined;
	}

	/** Says which parts of the prompt's file are ignored, and offers the files that it names. */
	renderNote(): TemplateResult | typeof nothing {
		const { notes, files } = this.chosen ?? {};
		if (this.typed !== undefined || notes === undefined) {
			return nothing;
		}
		const add = () => {
			if (files) {
				this.owner.field.focus();
				this.owner.page.post({ kind: 'completion-take', item: files.item });
			}
		};
		const label = files?.count === 1 ? l10n.t('Add 1 File') : l10n.t('Add {0} Files', files?.count ?? 0);
		return html`<span>${notes}</span>${files ? html` <button type="button" class="link" @click=${add}>${label}</button>` : nothing}`;
	}

	render(): TemplateResult | typeof nothing {
		const { rows } = this;
		const part = (group: SlashRow['group'], label: string) => {
			const own = rows.filter(row => row.group === group);
			return own.length === 0
				? nothing
				: html`<div role="group" aria-label=${label}>
						<div class="heading" aria-hidden="true">${label}</div>
						${own.map(row => this.renderRow(row, rows.indexOf(row)))}
					</div>`;
		};
		// The text field keeps the focus, so a press on the list must not take it. The list can be focused because it scrolls.
		return rows.length > 0
			? html`<div
					class="completions scrolls"
					id=${LIST_ID}
					role="listbox"
					tabindex="0"
					aria-label=${l10n.t('Commands')}
					@mousedown=${(event: MouseEvent) => event.preventDefault()}
				>
					${part('modes', l10n.t('Modes'))} ${part('own', l10n.t('Prompts'))} ${part('agent', l10n.t('Commands of the Agent'))} ${part('files', l10n.t('Prompt Files'))}
				</div>`
			: nothing;
	}

	private renderRow(row: SlashRow, index: number): TemplateResult {
		const { icon, name, label = `/${name}`, hint, words, notes, refusal } = row;
		return html`<div
			class="completion"
			id="slash-${index}"
			role="option"
			aria-selected=${index === this.selected}
			aria-disabled=${refusal === undefined ? nothing : 'true'}
			title=${refusal ?? [words, notes].filter(part => part !== undefined).join(' · ')}
			@click=${() => this.take(row)}
		>
			${codicon(icon)}<span class="name ellipsis">${label}${hint === undefined ? nothing : html` <span class="arguments">${hint}</span>`}</span
			><span class="where sentence ellipsis">${refusal ?? words}</span>
		</div>`;
	}

	/** The rows that match the typed text. */
	private get rows(): SlashRow[] {
		const { typed } = this;
		if (typed === undefined) {
			return [];
		}
		const { refusedModes } = this.owner;
		const rows: SlashRow[] = [
			...COMPOSER_MODES.map(name => ({
				group: 'modes' as const,
				name,
				icon: MODE_ICONS[name],
				words: modeDescription(name),
				refusal: refusedModes[name],
			})),
			...OWN_PROMPTS.map(name => ({
				group: 'own' as const,
				name,
				icon: OWN_PROMPT_ICONS[name],
				words: ownPromptDescription(name),
			})),
			...this.prompts.map(prompt => promptRow(prompt, refusedModes)),
			{
				group: 'files',
				name: 'prompts',
				icon: 'edit',
				label: l10n.t('My Prompts…'),
				words: l10n.t('Write prompts for all folders'),
				isEdit: true,
			},
		];
		return rows.filter(({ name }) => offersName(name, typed));
	}

	private take(row: SlashRow | undefined): void {
		const { field, page } = this.owner;
		if (!row || row.refusal !== undefined) {
			return;
		}
		const typed = /^\/[^\s/]*\s?/.exec(field.value)?.[0].length ?? 0;
		field.setRangeText(row.isEdit ? '' : `/${row.name} `, 0, typed, 'end');
		this.close();
		field.focus();
		this.owner.textChanged();
		if (row.isEdit) {
			page.post({ kind: 'prompts-edit' });
		}
	}
}

function promptRow(
	{ name, hint, description, where, mode, notes, refusal, isOfAgent }: PromptView,
	refusedModes: Partial<Record<ComposerMode, string>>,
): SlashRow {
	return {
		group: isOfAgent ? 'agent' : 'files',
		name,
		icon: isOfAgent ? MODE_ICONS.agent : mode === undefined ? 'file-text' : MODE_ICONS[mode],
		hint,
		words: [description, where].filter(Boolean).join(' · '),
		notes,
		refusal: refusal ?? (mode && refusedModes[mode]),
	};
}
