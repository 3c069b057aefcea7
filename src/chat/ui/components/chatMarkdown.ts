import { html, LitElement, type PropertyValues } from 'lit';
import { MAXIMUM_COPY_LENGTH, type PageStrings } from '../../protocol.ts';
import { codiconText } from '../codicon.ts';
import { fill } from '../format.ts';
import { createMarkdown, MarkdownBlocks } from '../markdown.ts';
import type { Post } from '../page.ts';
import { sanitise } from '../sanitise.ts';
import { chatMarkdownStyles } from './chatMarkdown.styles.ts';
import { sharedStyles } from './shared.styles.ts';

/** How long a copy button shows that it copied. */
const COPIED_MS = 2_000;

interface RenderedBlock {
	html: string;
	nodes: ChildNode[];
}

/**
 * Shows a model's markdown. What is rendered stays in the DOM while it does not change, so that a selection, a scroll
 * position or a focus inside it outlives the next words.
 */
export class ChatMarkdown extends LitElement {
	static override styles = [sharedStyles, chatMarkdownStyles];
	static override properties = {
		text: { attribute: false },
		growing: { attribute: false },
		strings: { attribute: false },
		post: { attribute: false },
	};

	declare text: string;
	/** More text is to come. */
	declare growing: boolean;
	declare strings: PageStrings;
	declare post: Post;

	private blocks: MarkdownBlocks | undefined;
	private rendered: RenderedBlock[] = [];
	/**
	 * Boxes that may scroll can be reached by keyboard, until they are seen to have nothing to scroll. What is out of
	 * view has no size to observe, so the other way round they could be reached too late.
	 */
	private readonly overflow = new ResizeObserver(entries => {
		for (const { target } of entries) {
			if (target.scrollWidth > target.clientWidth) {
				target.setAttribute('tabindex', '0');
			} else if (this.shadowRoot?.activeElement !== target) {
				target.removeAttribute('tabindex');
			}
		}
	});

	override render() {
		return html`<div class="content" @click=${this.onClick}></div>`;
	}

	override updated(changed: PropertyValues<this>): void {
		if (changed.has('text') || changed.has('growing')) {
			this.blocks ??= new MarkdownBlocks(createMarkdown(this.strings));
			this.show(this.blocks.update(this.text, !this.growing));
		}
	}

	override disconnectedCallback(): void {
		super.disconnectedCallback();
		this.overflow.disconnect();
	}

	private show(blocks: readonly string[]): void {
		const content = this.renderRoot.querySelector('.content');
		let same = 0;
		while (same < blocks.length && blocks[same] === this.rendered[same]?.html) {
			same++;
		}
		for (const block of this.rendered.splice(same)) {
			for (const node of block.nodes) {
				node.remove();
			}
		}
		for (const source of blocks.slice(same)) {
			const fragment = sanitise(source);
			this.furnish(fragment);
			const nodes = [...fragment.childNodes];
			content?.append(...nodes);
			this.rendered.push({ html: source, nodes });
		}
	}

	/** Adds what is ours: frames and labels for code, boxes for wide tables, the address of a link on hover. */
	private furnish(fragment: DocumentFragment): void {
		for (const pre of fragment.querySelectorAll('pre')) {
			const frame = document.createElement('div');
			frame.className = 'code';
			pre.replaceWith(frame);
			const language = /language-(\S+)/.exec(pre.firstElementChild?.className ?? '')?.[1] ?? '';
			const words = language === '' ? this.strings.code : fill(this.strings.codeIn, language);
			this.makeScrollable(pre, words);
			frame.append(this.codeBar(language), pre);
		}
		for (const table of fragment.querySelectorAll('table')) {
			const box = document.createElement('div');
			box.className = 'table';
			table.replaceWith(box);
			this.makeScrollable(box, this.strings.table);
			box.append(table);
		}
		for (const link of fragment.querySelectorAll('a[href]')) {
			link.setAttribute('title', link.getAttribute('href') ?? '');
		}
	}

	private makeScrollable(element: HTMLElement, words: string): void {
		element.classList.add('scrolls');
		element.setAttribute('role', 'group');
		element.setAttribute('tabindex', '0');
		element.setAttribute('aria-label', words);
		this.overflow.observe(element);
	}

	private codeBar(language: string): HTMLElement {
		const bar = document.createElement('div');
		bar.className = 'code-bar';
		const label = document.createElement('span');
		label.className = 'code-label';
		label.textContent = language;
		const copy = document.createElement('button');
		copy.className = 'icon-button';
		copy.type = 'button';
		showCopied(copy, false, this.strings);
		bar.append(label, copy);
		return bar;
	}

	private onClick(event: MouseEvent): void {
		const target = event.target as Element;
		const link = target.closest('a[href]');
		if (link) {
			// The editor would open the link too, were the click to get as far as its own listener.
			event.preventDefault();
			event.stopPropagation();
			this.post({ kind: 'link-open', url: link.getAttribute('href') ?? '' });
			return;
		}
		const button = target.closest('button');
		const code = button?.closest('.code')?.querySelector('pre')?.textContent ?? '';
		if (button && code !== '') {
			this.post({ kind: 'text-copy', text: code.slice(0, MAXIMUM_COPY_LENGTH) });
			showCopied(button, true, this.strings);
			setTimeout(() => showCopied(button, false, this.strings), COPIED_MS);
		}
	}
}

function showCopied(button: HTMLElement, copied: boolean, strings: PageStrings): void {
	const icon = document.createElement('span');
	icon.className = 'codicon';
	icon.setAttribute('aria-hidden', 'true');
	icon.textContent = codiconText(copied ? 'check' : 'copy');
	button.replaceChildren(icon);
	button.classList.toggle('copied', copied);
	button.title = copied ? strings.copied : strings.copy;
	button.setAttribute('aria-label', button.title);
}

customElements.define('chat-markdown', ChatMarkdown);
