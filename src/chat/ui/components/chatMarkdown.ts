import { html, LitElement, type PropertyValues } from 'lit';
import type { Citations } from '../../modes/model/sources.ts';
import { MAXIMUM_COPY_LENGTH, type PageStrings } from '../../protocol.ts';
import { CitationLayer } from '../citations/citationLayer.ts';
import { citationStyles } from '../citations/citations.styles.ts';
import { Frames } from '../markdown/frames.ts';
import { Highlighter, languageOf } from '../markdown/highlighter.ts';
import { MarkdownView } from '../markdown/markdownView.ts';
import { createMarkdown, originalText } from '../markdown.ts';
import type { Post } from '../page.ts';
import { chatMarkdownStyles } from './chatMarkdown.styles.ts';
import { sharedStyles } from './shared.styles.ts';

/** How long a copy button shows that it copied. */
const COPIED_MS = 2_000;

/** Shows a model's markdown. */
export class ChatMarkdown extends LitElement {
	static override styles = [sharedStyles, chatMarkdownStyles, citationStyles];
	static override properties = {
		text: { attribute: false },
		growing: { attribute: false },
		strings: { attribute: false },
		post: { attribute: false },
		citations: { attribute: false },
	};

	declare text: string;
	/** More text is to come. */
	declare growing: boolean;
	declare strings: PageStrings;
	declare post: Post;
	/** Of a searched answer, once it has ended. */
	declare citations: Citations | undefined;

	private frames: Frames | undefined;
	private view: MarkdownView | undefined;
	private citationLayer: CitationLayer | undefined;
	/** The text of which the page shows all that it will. */
	private settled: string | undefined;
	private readonly highlighter = new Highlighter();

	override render() {
		return html`<div class="content" @click=${this.onClick}></div>`;
	}

	override updated(changed: PropertyValues<this>): void {
		if (changed.has('text') || changed.has('growing')) {
			this.view ??= this.createView();
			if (this.growing || this.text !== this.settled) {
				this.settled = undefined;
			}
			this.view.update(this.text, this.growing);
		}
		// A message of the host brings new values that say the same.
		if (changed.has('citations') && JSON.stringify(changed.get('citations')) !== JSON.stringify(this.citations)) {
			this.markCitations();
		}
	}

	override disconnectedCallback(): void {
		super.disconnectedCallback();
		this.view?.dispose();
		this.frames?.dispose();
		this.highlighter.dispose();
		this.citationLayer?.dispose();
	}

	private createView(): MarkdownView {
		const content = this.renderRoot.querySelector('.content') as HTMLElement;
		const frames = new Frames(this.strings, this.renderRoot as ShadowRoot);
		this.frames = frames;
		const view = new MarkdownView(content, this.strings, frames, nodes => {
			for (const node of nodes) {
				if (node instanceof Element) {
					this.finish(node, frames);
				}
			}
		});
		view.onSettled = () => {
			this.settled = this.text;
			this.markCitations();
		};
		return view;
	}

	/** The marks stand in what is shown, so they come when that is all there. */
	private markCitations(): void {
		if (this.settled === undefined || (!this.citations && !this.citationLayer)) {
			return;
		}
		const markdown = createMarkdown(this.strings);
		this.citationLayer ??= new CitationLayer({
			content: this.renderRoot.querySelector('.content') as HTMLElement,
			strings: this.strings,
			render: text => markdown.render(text),
			open: url => this.post({ kind: 'link-open', url }),
		});
		this.citationLayer.mark(this.settled, this.citations);
	}

	/** What is only worth doing for code that will not change. */
	private finish(element: Element, frames: Frames): void {
		for (const code of element.querySelectorAll<HTMLElement>('pre > code')) {
			frames.relabel(code.parentElement as HTMLElement);
			if (code.childElementCount === 0 && languageOf(code) !== '') {
				this.highlighter.add(code);
			}
		}
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
		const pre = button?.closest('.code')?.querySelector('pre');
		const code = pre ? originalText(pre) : '';
		if (button && code !== '') {
			this.post({ kind: 'text-copy', text: code.slice(0, MAXIMUM_COPY_LENGTH) });
			this.frames?.showCopied(button, true);
			setTimeout(() => this.frames?.showCopied(button, false), COPIED_MS);
		}
	}
}

customElements.define('chat-markdown', ChatMarkdown);
