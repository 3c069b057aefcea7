import * as l10n from '@vscode/l10n';
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { AttachmentView, ChipView } from '../../protocol/protocol.ts';
import { type CodiconName, codicon } from '../codicon.ts';
import { PageElement, reactive } from '../pageElement.ts';
import { chatChipsStyles } from './chatChips.styles.ts';
import { sharedStyles } from './shared.styles.ts';

export const attachmentIcons: Record<AttachmentView['kind'], CodiconName> = {
	selection: 'selection',
	file: 'file',
	folder: 'folder',
	problems: 'warning',
	diff: 'diff',
	terminal: 'terminal',
	task: 'play',
	text: 'file-text',
	web: 'globe',
	image: 'file-media',
	instructions: 'book',
};

/** `problem` says in a sentence why the image is not shown. */
interface Preview {
	address?: string | undefined;
	problem?: string;
}

/**
 * Pieces of context as a row of chips. The row is one tab stop; arrow keys move within it, and Delete removes a chip.
 */
class ChatChips extends PageElement {
	static override styles = [sharedStyles, chatChipsStyles];
	static override properties = {
		...reactive('chips', 'label', 'openChip', 'removeChip', 'leave', 'loadPreview'),
		...reactive('previews', 'current'),
	};

	declare chips: readonly (AttachmentView & Partial<ChipView>)[];
	/** The label of the row for screen readers. */
	declare label: string;
	declare openChip: (index: number) => void;
	/** Absent if chips cannot be removed. */
	declare removeChip: ((index: number) => void) | undefined;
	/** Called when the last chip was removed, to move the focus. */
	declare leave: (() => void) | undefined;
	/** Loads an image by its file. Resolves to a `data:` URL, or undefined if it is gone. Rejects with a sentence. */
	declare loadPreview: (file: string) => Promise<string | undefined>;
	/** The previews that were requested, by file. */
	declare previews: ReadonlyMap<string, Preview>;
	declare current: number;

	/** The index of the chip that was removed while it had the focus. */
	private removed: number | undefined;

	constructor() {
		super();
		this.current = 0;
		this.previews = new Map();
	}

	override willUpdate(changed: PropertyValues<this>): void {
		if (changed.has('chips')) {
			this.current = Math.max(0, Math.min(this.current, this.chips.length - 1));
			const files = new Set(this.chips.flatMap(({ image }) => image?.file ?? []));
			// The composer's chips outlive every message, so previews that are no longer shown would pile up, megabytes each.
			this.previews = new Map([...this.previews].filter(([file]) => files.has(file)));
			for (const file of files) {
				if (!this.previews.has(file)) {
					void this.askForPreview(file);
				}
			}
		}
	}

	private async askForPreview(file: string): Promise<void> {
		this.previews = new Map(this.previews).set(file, {});
		const preview = await this.loadPreview(file).then(
			(address): Preview => ({ address }),
			(error: Error): Preview => ({ problem: error.message }),
		);
		if (this.previews.has(file)) {
			this.previews = new Map(this.previews).set(file, preview);
		}
	}

	override updated(changed: PropertyValues<this>): void {
		const before = changed.get('chips');
		if (this.removed !== undefined && before && before.length > this.chips.length) {
			const index = Math.min(this.removed, this.chips.length - 1);
			this.removed = undefined;
			if (index < 0) {
				this.leave?.();
			} else {
				this.focusChip(index);
			}
		}
	}

	override render(): TemplateResult {
		return html`<ul class="chips scrolls" aria-label=${this.label} @keydown=${this.onKeyDown}>
			${repeat(
				this.chips,
				(chip, index) => chip.id ?? index,
				(chip, index) => this.renderChip(chip, index),
			)}
		</ul>`;
	}

	private renderChip(chip: AttachmentView & Partial<ChipView>, index: number): TemplateResult {
		const { removeChip } = this;
		const number = new Intl.NumberFormat(this.page.language);
		const { image } = chip;
		const tokens = number.format(chip.tokens);
		const size = image
			? l10n.t(
					'{0} × {1} pixels, {2} KB, about {3} tokens (estimate)',
					number.format(image.width),
					number.format(image.height),
					number.format(Math.ceil(image.bytes / 1000)),
					tokens,
				)
			: l10n.t('{0} characters, about {1} tokens (estimate)', number.format(chip.length), tokens);
		const whole =
			chip.omitted === undefined ? size : l10n.t('{0}, shortened by {1}', size, number.format(chip.omitted));
		// The spoken label contains the visible one, so that voice commands find it.
		const marks = [
			...(chip.omitted === undefined ? [] : [l10n.t('shortened')]),
			...(chip.isChanged ? [l10n.t('file changed')] : []),
		];
		const seen = [chip.label, ...marks].join(' ');
		const problem = image && this.previews.get(image.file)?.problem;
		const notes = [
			problem,
			chip.isChanged
				? l10n.t('{0} has changed since. The original selection is sent.', chip.path ?? chip.label)
				: undefined,
			...(chip.notes ?? []),
		].filter(note => note !== undefined);
		const known = notes.length === 0 ? whole : `${whole}. ${notes.join(' ')}`;
		const spoken = removeChip
			? l10n.t('{0}. {1}. Press Delete to remove it.', seen, known.replace(/\.$/, ''))
			: `${seen}. ${known}`;
		return html`<li class="chip">
			<button
				type="button"
				class="open"
				tabindex=${index === this.current ? 0 : -1}
				aria-label=${spoken}
				@click=${() => this.openChip(index)}
				@focus=${() => {
					this.current = index;
				}}
			>
				${this.renderIcon(chip)}
				${renderLabel(chip.label, [chip.path ?? chip.label, whole, ...notes].join('\n'))}
				${marks.map(mark => html`<span class="note">${mark}</span>`)}
			</button>
			${removeChip ? this.renderRemove(chip, index) : nothing}
		</li>`;
	}

	private renderIcon({ kind, image }: AttachmentView): TemplateResult {
		const address = image && this.previews.get(image.file)?.address;
		return address === undefined ? codicon(attachmentIcons[kind]) : html`<img class="preview" src=${address} alt="" />`;
	}

	private renderRemove({ label }: AttachmentView, index: number): TemplateResult {
		const words = l10n.t('Remove {0}', label);
		return html`<button
			type="button"
			class="icon-button remove"
			tabindex="-1"
			title=${words}
			@click=${() => this.take(index)}
		>
			${codicon('close')}
		</button>`;
	}

	private onKeyDown(event: KeyboardEvent): void {
		const last = this.chips.length - 1;
		switch (event.key) {
			case 'ArrowRight':
			case 'ArrowDown':
				this.focusChip(Math.min(this.current + 1, last));
				break;
			case 'ArrowLeft':
			case 'ArrowUp':
				this.focusChip(Math.max(this.current - 1, 0));
				break;
			case 'Home':
				this.focusChip(0);
				break;
			case 'End':
				this.focusChip(last);
				break;
			case 'Delete':
			case 'Backspace':
				if (!this.removeChip) {
					return;
				}
				this.take(this.current);
				break;
			default:
				return;
		}
		event.preventDefault();
	}

	private take(index: number): void {
		this.removed = index;
		this.removeChip?.(index);
	}

	private focusChip(index: number): void {
		this.current = index;
		this.renderRoot.querySelectorAll<HTMLElement>('.open')[index]?.focus();
	}
}

/** The lines at the end of a label stay visible where the name of the file before them has no room. */
function renderLabel(label: string, title: string): TemplateResult {
	const lines = /:\d+(?:-\d+)?$/.exec(label)?.[0] ?? '';
	return html`<span class="label" title=${title}><span class="name ellipsis">${label.slice(0, label.length - lines.length)}</span>${lines}</span>`;
}

customElements.define('chat-chips', ChatChips);
