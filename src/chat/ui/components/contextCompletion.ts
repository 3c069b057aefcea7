import * as l10n from '@vscode/l10n';
import { html, nothing, type ReactiveController, type ReactiveControllerHost, type TemplateResult } from 'lit';
import type { CompletionItem } from '../../protocol/protocol.ts';
import { codicon } from '../codicon.ts';
import type { HostRequests } from '../hostRequests.ts';
import { isSendKey } from '../message.ts';
import type { Post } from '../page.ts';
import { attachmentIcons } from './chatChips.ts';
import { listTakesKey } from './listKeys.ts';

/** A `#` at the start of a word before the cursor, and what was typed after it. */
const TOKEN = /(?:^|\s)#([^\s#]{0,100})$/;

const LIST_ID = 'completions';

export interface CompletionOwner extends ReactiveControllerHost {
	readonly field: HTMLTextAreaElement;
	readonly post: Post;
	readonly requests: HostRequests;
	/** The text has become another one. */
	textChanged(): void;
	/** Does what Enter does where no list has it. */
	enter(): void;
}

/** What `#` offers in the composer: a list above it, which the text field moves through while it keeps the focus. */
export class ContextCompletion implements ReactiveController {
	private readonly owner: CompletionOwner;
	/** The number of the last request: the answer to an earlier one comes too late. */
	private request = 0;
	/** There will be a list, or another one. */
	private isAwaited = false;
	/**
	 * Enter was pressed before there was a list: whether it was for that shows when that comes. With where the word is, what
	 * the field held, and whether the message is to be sent then.
	 */
	private due: { start: number; end: number; value: string; sends: boolean } | undefined;
	private items: readonly CompletionItem[] | undefined;
	/** Why there are none, where that is not because nothing matches: a sentence. */
	private problem: string | undefined;
	private selected = 0;
	/** The `#` that the user has closed the list of. */
	private dismissed: number | undefined;

	constructor(owner: CompletionOwner) {
		this.owner = owner;
		owner.addController(this);
	}

	hostConnected(): void {}

	hostUpdated(): void {
		const root = this.owner.field.getRootNode() as ShadowRoot;
		root.querySelector('.completion[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
	}

	/** To be called when the text or the cursor has moved. */
	update(): void {
		if (this.due && this.owner.field.value.startsWith(this.due.value.slice(0, this.due.end))) {
			// What is typed on comes after the chip.
			return;
		}
		const token = this.token();
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
		const answer = await this.owner.requests
			.ask('completion-request', { query })
			.catch((error: Error) => error.message);
		if (request !== this.request || !(this.due ?? this.token())) {
			return;
		}
		this.problem = typeof answer === 'string' ? answer : undefined;
		if (typeof answer === 'string') {
			// Nothing is sent without what Enter was meant for.
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

	/** The keyboard goes elsewhere. An Enter that waits goes on to: it may be for the list, and what is sent is sent. */
	leave(): void {
		if (!this.due) {
			this.close();
		}
	}

	/** Whether nothing was typed since Enter was pressed. */
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

	/** Whether the key was for the list. */
	onKeyDown(event: KeyboardEvent): boolean {
		const { items } = this;
		// What an earlier word had first, or had not, tells nothing of what this one has first.
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

	/** Whoever knows what comes first does not wait for the list. A second Enter is for the message; Escape takes it back. */
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

	/** What the text field says of the list. */
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
				<div class="nothing" role="status">${this.problem ?? l10n.t('Nothing matches.')}</div>
			</div>`;
		}
		// The text field keeps the focus: a press on the list must not take it.
		return html`<div
			class="completions scrolls"
			id=${LIST_ID}
			role="listbox"
			aria-label=${l10n.t('Context to add')}
			@mousedown=${(event: MouseEvent) => event.preventDefault()}
		>
			${items.map((item, index) => this.renderItem(item, index))}
		</div>`;
	}

	private renderItem(item: CompletionItem, index: number): TemplateResult {
		const { kind, label, description } = item;
		return html`<div
			class="completion"
			id="completion-${index}"
			role="option"
			aria-selected=${index === this.selected}
			title=${[label, description].filter(part => part !== undefined).join(' · ')}
			@click=${() => this.take(item)}
		>
			${codicon(attachmentIcons[kind])}<span class="name">${label}</span>
			${description === undefined ? nothing : html`<span class="where">${description}</span>`}
		</div>`;
	}

	/** The chip stands for the word, so the word goes. */
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
		this.owner.post({ kind: 'completion-take', item: item.id });
		if (!due) {
			// Who has gone elsewhere while Enter waited stays there.
			field.focus();
		}
	}

	private token(): { start: number; query: string } | undefined {
		const { field } = this.owner;
		const { selectionStart, selectionEnd } = field;
		if (selectionStart !== selectionEnd) {
			return undefined;
		}
		const [, query] = TOKEN.exec(field.value.slice(Math.max(0, selectionStart - 120), selectionStart)) ?? [];
		return query === undefined ? undefined : { start: selectionStart - query.length - 1, query };
	}
}
