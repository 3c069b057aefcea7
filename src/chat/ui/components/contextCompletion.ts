import * as l10n from '@vscode/l10n';
import { html, nothing, type ReactiveController, type TemplateResult } from 'lit';
import type { CompletionItem } from '../../protocol/protocol.ts';
import { codicon } from '../codicon.ts';
import { isSendKey } from '../message.ts';
import { attachmentIcons } from './chatChips.ts';
import type { Composer } from './composer.ts';
import { listTakesKey } from './listKeys.ts';

/** A `#` or `@` at the start of a word before the cursor, and the word or address typed after it. */
const TOKEN = /(?:^|\s)[#@]((?:https?:\/\/\S{1,1900})|[^\s#]{0,100})$/i;

/** The length of the longest word that is examined, in UTF-16 code units. */
const MAXIMUM_TOKEN = 1_920;

const LIST_ID = 'completions';

/** The list of context that `#` or `@` opens above the composer. The text field keeps the focus and controls the list. */
export class ContextCompletion implements ReactiveController {
	private readonly owner: Composer;
	/** The number of the last request; answers to earlier ones are ignored. */
	private request = 0;
	/** Set while a list, or an updated one, is awaited. */
	private isAwaited = false;
	/**
	 * Set if Enter was pressed before the list arrived; it is then decided whether the key was meant for the list. Holds
	 * the position of the word, the field's text, and whether the message is to be sent.
	 */
	private due: { start: number; end: number; value: string; sends: boolean } | undefined;
	private items: readonly CompletionItem[] | undefined;
	/** A sentence that says why there are no items, unless the reason is that nothing matches. */
	private problem: string | undefined;
	private selected = 0;
	/** The position of the `#` or `@` whose list the user has closed, or that came with pasted text. */
	private dismissed: number | undefined;
	/** The field's text as it was before the last change. */
	private before = '';

	constructor(owner: Composer) {
		this.owner = owner;
		owner.addController(this);
	}

	hostUpdated(): void {
		const root = this.owner.field.getRootNode() as ShadowRoot;
		root
			.querySelector('.completions:not(.menu) .completion[aria-selected="true"]')
			?.scrollIntoView({ block: 'nearest' });
	}

	/** Must be called when the user has changed the text; `typed` is the text that was inserted at once. */
	update(typed: string | null | undefined): void {
		const { before } = this;
		this.before = this.owner.field.value;
		if (this.due && this.owner.field.value.startsWith(this.due.value.slice(0, this.due.end))) {
			// Further typing comes after the chip.
			return;
		}
		const token = this.token();
		if (token && typed?.length !== 1 && !before.startsWith(this.before.slice(0, token.start + 1))) {
			// The token came with pasted text, which may be code or an email address.
			this.dismissed = token.start;
		}
		if (!token || token.start === this.dismissed) {
			if (!token) {
				this.dismissed = undefined;
			}
			this.close();
			return;
		}
		this.request++;
		this.isAwaited = true;
		this.due = undefined;
		void this.ask(this.request, token.query);
	}

	private async ask(request: number, query: string): Promise<void> {
		const answer = await this.owner.page.requests
			.ask('completion-request', { query })
			.catch((error: Error) => error.message);
		if (request !== this.request || !(this.due ?? this.token())) {
			return;
		}
		this.problem = typeof answer === 'string' ? answer : undefined;
		if (typeof answer === 'string') {
			// The message is not sent without the item that Enter was meant for.
			this.due = undefined;
		}
		this.receive(typeof answer === 'string' ? [] : answer);
	}

	private receive(items: readonly CompletionItem[]): void {
		const { due } = this;
		const [first] = items;
		if (!due) {
			this.isAwaited = false;
			this.items = items;
			this.selected = 0;
			this.owner.requestUpdate();
			return;
		}
		const { sends } = due;
		const isUnchanged = this.isUnchanged();
		if (first) {
			this.take(first);
		} else {
			this.close();
		}
		if (sends || (!first && isUnchanged)) {
			this.owner.enter();
		}
	}

	/** Must be called when the field loses the focus. A pending Enter is kept, because it may be meant for the list. */
	leave(): void {
		if (!this.due) {
			this.close();
		}
	}

	/** Returns whether the text is unchanged since Enter was pressed. */
	private isUnchanged(): boolean {
		return this.owner.field.value === this.due?.value;
	}

	close(): void {
		this.request++;
		this.isAwaited = false;
		this.due = undefined;
		if (this.items) {
			this.items = undefined;
			this.owner.requestUpdate();
		}
	}

	/** Returns whether the list has handled the key. */
	onKeyDown(event: KeyboardEvent): boolean {
		const { items } = this;
		// The first item of an earlier word says nothing about the first item of this one.
		if (items === undefined || (this.isAwaited && this.selected === 0 && isSendKey(event))) {
			return this.holdsEnter(event);
		}
		return listTakesKey(event, {
			count: items.length,
			selected: this.selected,
			select: index => this.select(index),
			take: index => this.take(items[index]),
			close: () => this.close(),
			dismiss: () => {
				this.dismissed = this.token()?.start;
				this.close();
			},
		});
	}

	/**
	 * A user who knows the first item need not wait for the list. A second Enter is for the message; Escape cancels it.
	 */
	private holdsEnter(event: KeyboardEvent): boolean {
		if (event.key === 'Escape' && this.due) {
			this.dismissed = this.due.start;
			this.close();
			event.preventDefault();
			event.stopPropagation();
			return true;
		}
		const token = this.due ?? this.token();
		if (!isSendKey(event) || !this.isAwaited || !token) {
			return false;
		}
		if (this.due && event.repeat) {
			event.preventDefault();
			return true;
		}
		if (this.due && this.isUnchanged()) {
			this.close();
			return false;
		}
		const { value, selectionEnd } = this.owner.field;
		this.due = this.due ? { ...this.due, sends: true } : { start: token.start, end: selectionEnd, value, sends: false };
		event.preventDefault();
		return true;
	}

	private select(index: number): void {
		this.selected = index;
		this.owner.requestUpdate();
	}

	/** The id of the selected option for the text field's ARIA attributes. */
	get active(): string | undefined {
		return this.items?.[this.selected] ? `completion-${this.selected}` : undefined;
	}

	get list(): string | undefined {
		return this.items ? LIST_ID : undefined;
	}

	render(): TemplateResult | typeof nothing {
		const { items } = this;
		if (!items) {
			return nothing;
		}
		if (items.length === 0) {
			return html`<div class="completions" id=${LIST_ID}>
				<div class="nothing" role="status">${this.problem ?? l10n.t('No matching results')}</div>
			</div>`;
		}
		// The text field keeps the focus, so a press on the list must not take it. The list can be focused because it scrolls.
		return html`<div
			class="completions scrolls"
			id=${LIST_ID}
			role="listbox"
			tabindex="0"
			aria-label=${l10n.t('Context to add')}
			@mousedown=${(event: MouseEvent) => event.preventDefault()}
		>
			${items.map((item, index) => this.renderItem(item, index))}
		</div>`;
	}

	private renderItem(item: CompletionItem, index: number): TemplateResult {
		const { kind, icon = attachmentIcons[kind], label, description } = item;
		return html`<div
			class="completion"
			id="completion-${index}"
			role="option"
			aria-selected=${index === this.selected}
			title=${[label, description].filter(part => part !== undefined).join(' · ')}
			@click=${() => this.take(item)}
		>
			${codicon(icon)}<span class="name ellipsis">${label}</span>
			${description === undefined ? nothing : html`<span class="where ellipsis">${description}</span>`}
		</div>`;
	}

	/** Replaces the word by the item's chip. */
	private take(item: CompletionItem | undefined): void {
		if (!item) {
			return;
		}
		const { due } = this;
		const { field } = this.owner;
		const token = this.token();
		const word = due ?? (token && { ...token, end: field.selectionEnd });
		if (word) {
			field.setRangeText('', word.start, word.end, due ? 'preserve' : 'end');
			this.owner.textChanged();
		}
		this.close();
		this.owner.page.post({ kind: 'completion-take', item: item.id });
		if (!due) {
			// The focus stays where it is if the user has moved it while Enter was pending.
			field.focus();
		}
	}

	private token(): { start: number; query: string } | undefined {
		const { field } = this.owner;
		const { selectionStart, selectionEnd } = field;
		if (selectionStart !== selectionEnd) {
			return undefined;
		}
		const [, query] = TOKEN.exec(field.value.slice(Math.max(0, selectionStart - MAXIMUM_TOKEN), selectionStart)) ?? [];
		return query === undefined ? undefined : { start: selectionStart - query.length - 1, query };
	}
}
