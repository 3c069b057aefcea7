import { css, html, nothing, type ReactiveController, type TemplateResult } from 'lit';
import { type CodiconName, codicon } from '../codicon.ts';
import type { Composer } from './composer.ts';
import { listTakesKey } from './listKeys.ts';

const LIST_ID = 'composer-menu';

/** The description of a choice stands below its name, because it can be a sentence. */
export const composerMenuStyles = css`
	.menu:focus {
		outline: none;
	}

	.menu .completion {
		flex-wrap: wrap;
		row-gap: 0;
		padding-block: 3px;
	}

	.menu .completion .name {
		flex: 1;
		min-width: 0;
		max-width: none;
	}

	.menu .completion .where {
		flex-basis: 100%;
		padding-inline-start: 20px;
	}
`;

export interface MenuRow {
	id: string;
	icon: CodiconName;
	name: string;
	/** A line or a sentence that describes the row. */
	detail?: string;
	/** A sentence that says why the row cannot be chosen. */
	refusal?: string;
	isCurrent?: boolean;
}

/** The choices behind one button of the composer. */
export interface Menu {
	/** The label of the list for screen readers. */
	label: string;
	/** Rejects with an error whose message is a sentence. */
	rows: readonly MenuRow[] | Promise<readonly MenuRow[]>;
	take(id: string): void;
}

/** The list above the composer that a button of its bottom row opens to offer more than one choice. */
export class ComposerMenu implements ReactiveController {
	private readonly owner: Composer;
	private menu: Menu | undefined;
	private button: HTMLElement | undefined;
	/** Undefined until the rows are known. */
	private rows: readonly MenuRow[] | undefined;
	private problem: string | undefined;
	private selected = 0;
	private hasFocus = false;
	/** Set if the selection has moved since the list was last rendered. */
	private isMoved = false;

	constructor(owner: Composer) {
		this.owner = owner;
		owner.addController(this);
	}

	/** The list takes the keyboard focus once it is rendered. */
	hostUpdated(): void {
		if (this.menu && !this.hasFocus) {
			this.hasFocus = true;
			this.list?.focus({ preventScroll: true });
		}
		if (this.isMoved) {
			this.isMoved = false;
			this.list?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
		}
	}

	/** Opens the menu that `build` returns for a button, or closes it if it is already open. */
	toggle(button: HTMLElement, build: () => Menu): void {
		if (this.button === button) {
			this.close();
			return;
		}
		const menu = build();
		this.menu = menu;
		this.button = button;
		this.rows = undefined;
		this.problem = undefined;
		this.hasFocus = false;
		this.owner.requestUpdate();
		void this.load(menu);
	}

	/** Returns whether the menu with this label is open. */
	isOpenFor(label: string): boolean {
		return this.menu?.label === label;
	}

	render(): TemplateResult | typeof nothing {
		const { menu, rows } = this;
		return menu
			? html`<div
					class="completions menu scrolls"
					id=${LIST_ID}
					role=${this.problem === undefined ? 'listbox' : 'group'}
					tabindex="-1"
					aria-label=${menu.label}
					aria-busy=${rows || this.problem !== undefined ? nothing : 'true'}
					aria-activedescendant=${rows?.[this.selected] ? rowId(this.selected) : nothing}
					@keydown=${this.onKeyDown}
					@mousedown=${(event: MouseEvent) => event.preventDefault()}
					@blur=${this.onBlur}
				>
					${this.problem === undefined ? nothing : html`<p class="nothing" role="alert">${this.problem}</p>`}
					${rows?.map((row, index) => this.renderRow(row, index))}
				</div>`
			: nothing;
	}

	private renderRow({ icon, name, detail, refusal, isCurrent }: MenuRow, index: number): TemplateResult {
		const words = refusal ?? detail;
		return html`<div
			class="completion"
			id=${rowId(index)}
			role="option"
			aria-selected=${index === this.selected}
			aria-current=${isCurrent ? 'true' : nothing}
			aria-disabled=${refusal === undefined ? nothing : 'true'}
			@click=${() => this.take(index)}
		>
			${codicon(isCurrent ? 'check' : icon)}<span class="name ellipsis" title=${name}>${name}</span>${
				words === undefined ? nothing : html`<span class="where sentence ellipsis">${words}</span>`
			}
		</div>`;
	}

	private async load(menu: Menu): Promise<void> {
		try {
			const rows = await menu.rows;
			if (this.menu === menu) {
				this.rows = rows;
				this.select(
					Math.max(
						0,
						rows.findIndex(({ isCurrent }) => isCurrent),
					),
				);
			}
		} catch (error) {
			if (this.menu === menu) {
				this.problem = (error as Error).message;
			}
		}
		this.owner.requestUpdate();
	}

	private readonly onKeyDown = (event: KeyboardEvent): void => {
		const { rows = [] } = this;
		const handled = listTakesKey(event, {
			count: rows.length,
			selected: this.selected,
			select: index => this.select(index),
			take: index => this.take(index),
			close: () => this.close(),
			dismiss: () => this.close(),
		});
		if (!handled && rows.length > 0 && !event.ctrlKey && !event.metaKey && !event.altKey) {
			this.takeKey(event, rows);
		}
	};

	/** Handles the keys that, in a list with a text field, belong to the field. */
	private takeKey(event: KeyboardEvent, rows: readonly MenuRow[]): void {
		if (event.key === 'Home' || event.key === 'End') {
			this.select(event.key === 'Home' ? 0 : rows.length - 1);
		} else if (event.key === ' ') {
			this.take(this.selected);
		} else if (event.key.length === 1) {
			this.select(nextNamed(rows, this.selected, event.key));
		} else {
			return;
		}
		event.preventDefault();
	}

	/** A press on the button is excluded, because the button closes the menu itself. */
	private readonly onBlur = (event: FocusEvent): void => {
		if (event.relatedTarget !== this.button) {
			this.forget();
		}
	};

	private take(index: number): void {
		const { menu } = this;
		const row = this.rows?.[index];
		if (menu && row && row.refusal === undefined) {
			this.forget();
			this.owner.focusText();
			menu.take(row.id);
		}
	}

	private select(index: number): void {
		this.selected = index;
		this.isMoved = true;
		this.owner.requestUpdate();
	}

	close(): void {
		const { button } = this;
		this.forget();
		button?.focus();
	}

	private forget(): void {
		this.menu = undefined;
		this.button = undefined;
		this.owner.requestUpdate();
	}

	private get list(): HTMLElement | null {
		return this.owner.renderRoot.querySelector(`#${LIST_ID}`);
	}
}

const rowId = (index: number) => `${LIST_ID}-${index}`;

/** Returns the next row after the selected one whose name begins with `letter`; if there is none, `selected`. */
function nextNamed(rows: readonly MenuRow[], selected: number, letter: string): number {
	const order = rows.map((_, offset) => (selected + 1 + offset) % rows.length);
	const wanted = letter.toLocaleLowerCase();
	return order.find(index => rows[index]?.name.toLocaleLowerCase().startsWith(wanted)) ?? selected;
}
