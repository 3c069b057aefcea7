import * as l10n from '@vscode/l10n';
import { html, type PropertyValues } from 'lit';
import { defined } from '../../../base/defined.ts';
import type { Citations } from '../../model/citations.ts';
import { MAXIMUM_COPY_LENGTH, MAXIMUM_NAME_LENGTH } from '../../protocol/protocol.ts';
import { copyText } from '../announcer.ts';
import { CitationLayer } from '../citations/citationLayer.ts';
import { citationStyles } from '../citations/citations.styles.ts';
import { FileLinks } from '../markdown/fileLinks.ts';
import { type CodeButton, Frames } from '../markdown/frames.ts';
import { MarkdownView } from '../markdown/markdownView.ts';
import { fileOf, languageOf, ReplyHighlighter } from '../markdown/replyHighlighter.ts';
import { originalText } from '../markdown.ts';
import { PageElement, reactive } from '../pageElement.ts';
import { chatMarkdownStyles } from './chatMarkdown.styles.ts';
import { sharedStyles } from './shared.styles.ts';

/** The time for which a copy button shows that the code was copied, in milliseconds. */
const COPIED_MS = 2_000;

/** Shows the Markdown of a model's reply. */
export class ChatMarkdown extends PageElement {
	static override styles = [sharedStyles, chatMarkdownStyles, citationStyles];
	static override properties = reactive('text', 'growing', 'citations', 'turn');

	declare text: string;
	/** Set while more text will follow. */
	declare growing: boolean;
	/** The citations of a search answer, once it has ended. */
	declare citations: Citations | undefined;
	/** The id of the reply's turn. */
	declare turn: string;

	private frames: Frames | undefined;
	private files: FileLinks | undefined;
	private view: MarkdownView | undefined;
	private citationLayer: CitationLayer | undefined;
	/** The text that has been rendered to its end. */
	private settled: string | undefined;
	private replyHighlighter: ReplyHighlighter | undefined;

	override render() {
		return html`<div class="content" @click=${this.onClick} @keydown=${this.onKeyDown}></div>`;
	}

	override updated(changed: PropertyValues<this>): void {
		if (changed.has('text') || changed.has('growing')) {
			this.view ??= this.createView();
			if (this.growing || this.text !== this.settled) {
				this.settled = undefined;
			}
			this.view.update(this.text, this.growing);
			if (!this.growing && this.settled === undefined) {
				// A long text is shown in steps, which go on after the turn itself has ended.
				this.content.setAttribute('aria-busy', 'true');
			}
		}
		// Each message of the host brings new objects, which may be equal to the old ones.
		if (changed.has('citations') && JSON.stringify(changed.get('citations')) !== JSON.stringify(this.citations)) {
			this.markCitations();
		}
	}

	override disconnectedCallback(): void {
		super.disconnectedCallback();
		this.view?.dispose();
		this.frames?.dispose();
		this.replyHighlighter?.dispose();
		this.citationLayer?.dispose();
	}

	private get content(): HTMLElement {
		return this.renderRoot.querySelector('.content') as HTMLElement;
	}

	private createView(): MarkdownView {
		const frames = new Frames(this.renderRoot as ShadowRoot);
		this.frames = frames;
		this.files = new FileLinks(this.page.requests);
		const view = new MarkdownView(this.content, frames, nodes => {
			for (const node of nodes) {
				if (node instanceof Element) {
					this.finish(node, frames);
				}
			}
		});
		view.onSettled = () => {
			this.settled = this.text;
			this.content.removeAttribute('aria-busy');
			this.markCitations();
		};
		return view;
	}

	/** The marks are inserted into the rendered text, so they wait until all of it is there. */
	private markCitations(): void {
		if (this.settled === undefined || (!this.citations && !this.citationLayer)) {
			return;
		}
		this.citationLayer ??= new CitationLayer(this.content, this.page.post);
		this.citationLayer.mark(this.settled, this.citations);
	}

	/** Does the work that is only worthwhile for blocks that will not change any more. */
	private finish(element: Element, frames: Frames): void {
		this.files?.add(element);
		for (const link of element.querySelectorAll<HTMLElement>('a.image')) {
			link.dataset['state'] = l10n.t('Load Image');
		}
		for (const code of element.querySelectorAll<HTMLElement>('pre > code')) {
			frames.relabel(code.parentElement as HTMLElement);
			if (languageOf(code) !== '' && isPlain(code)) {
				this.replyHighlighter ??= new ReplyHighlighter(this.page.highlighter);
				this.replyHighlighter.add(code);
			}
		}
	}

	private onClick(event: MouseEvent): void {
		const target = event.target as Element;
		const link = target.closest<HTMLElement>('a[href]');
		if (link) {
			// The editor's own listener would open the link as well.
			event.preventDefault();
			event.stopPropagation();
			const url = link.getAttribute('href') ?? '';
			if (link.matches('.image:not(.loaded)')) {
				void this.loadImage(link, url);
			} else {
				this.page.post({ kind: 'link-open', url });
			}
			return;
		}
		const file = target.closest<HTMLElement>('[data-file]')?.dataset['file'];
		if (file !== undefined) {
			this.page.post({ kind: 'file-open', name: file });
			return;
		}
		const button = target.closest('button');
		const pre = button?.closest('.code')?.querySelector('pre');
		if (button && pre) {
			this.useCode(button, pre);
		}
	}

	private onKeyDown(event: KeyboardEvent): void {
		const file = event.key === 'Enter' ? (event.target as HTMLElement).dataset['file'] : undefined;
		if (file !== undefined) {
			event.preventDefault();
			this.page.post({ kind: 'file-open', name: file });
		}
	}

	private useCode(button: HTMLButtonElement, pre: Element): void {
		const code = originalText(pre).slice(0, MAXIMUM_COPY_LENGTH);
		const name = button.name as CodeButton;
		if (code === '') {
			return;
		}
		if (name === 'copy') {
			copyText(this.page.post, code, button);
			this.frames?.showCopied(button, true);
			setTimeout(() => this.frames?.showCopied(button, false), COPIED_MS);
			return;
		}
		const element = pre.firstElementChild;
		const language = element ? languageOf(element).slice(0, MAXIMUM_NAME_LENGTH) : '';
		const file = element ? fileOf(element).slice(0, MAXIMUM_NAME_LENGTH) : '';
		this.page.post({
			kind: 'code-use',
			action: name,
			turn: this.turn,
			code,
			...defined({ language: language || undefined, file: file || undefined }),
		});
	}

	/** Shows the image inside its link, which then opens it in the browser. Loads it only when the reader asks for it. */
	private async loadImage(link: HTMLElement, url: string): Promise<void> {
		if (link.getAttribute('aria-busy') === 'true') {
			return;
		}
		const words = link.textContent ?? '';
		link.setAttribute('aria-busy', 'true');
		link.dataset['state'] = l10n.t('Loading…');
		const image = await this.page.requests.ask('image-load', { url }).catch((error: Error) => error);
		link.removeAttribute('aria-busy');
		if (image instanceof Error) {
			// The host gave no answer about the image itself, so the next click asks again.
			link.dataset['state'] = image.message;
			return;
		}
		link.classList.add('loaded');
		if ('dataUrl' in image) {
			delete link.dataset['state'];
			const element = document.createElement('img');
			element.alt = words;
			element.src = image.dataUrl;
			link.replaceChildren(element);
		} else {
			link.dataset['state'] = image.problem;
		}
	}
}

/** Returns whether code is not highlighted yet and has no hidden characters, which are elements of their own. */
function isPlain(code: Element): boolean {
	return [...code.children].every(part => part.childElementCount === 0);
}

customElements.define('chat-markdown', ChatMarkdown);
