import * as l10n from '@vscode/l10n';
import type { CodeAction } from '../../protocol/protocol.ts';
import { type CodiconName, codiconText } from '../codicon.ts';
import { showControls } from '../markdown.ts';
import { fileOf, languageOf } from './replyHighlighter.ts';

/** The name of a button in the bar of a code block. */
export type CodeButton = CodeAction | 'copy';

/** Adds the page's own elements: a frame with a label and buttons around code, and a scrolling box around a table. */
export class Frames {
	/**
	 * Boxes that may scroll can be focused until they turn out to have nothing to scroll. A box out of view has no size
	 * to observe, so the other way round it could be focused too late.
	 */
	private readonly overflow: ResizeObserver;

	/** `root` contains the boxes. */
	constructor(root: DocumentOrShadowRoot) {
		this.overflow = new ResizeObserver(entries => {
			for (const { target } of entries) {
				if (target.scrollWidth > target.clientWidth) {
					target.setAttribute('tabindex', '0');
				} else if (root.activeElement !== target) {
					target.removeAttribute('tabindex');
				}
			}
		});
	}

	/** Puts frames around a node and its descendants, in place if it has a parent. Returns the node with its frame. */
	decorate(node: ChildNode): ChildNode {
		if (!(node instanceof HTMLElement)) {
			return node;
		}
		for (const inner of node.querySelectorAll<HTMLElement>('pre, table')) {
			this.frame(inner);
		}
		return node.localName === 'pre' || node.localName === 'table' ? this.frame(node) : node;
	}

	/** Returns the node itself, without its frame. */
	undecorated(node: ChildNode): ChildNode {
		return node instanceof HTMLElement && isFrame(node) ? (node.lastElementChild ?? node) : node;
	}

	/** Updates the label, because the language or the file name may have grown since the frame was made. */
	relabel(pre: HTMLElement): void {
		const code = pre.firstElementChild;
		const words = code ? showControls(fileOf(code) || languageOf(code)) : '';
		const label = pre.previousElementSibling?.firstElementChild;
		if (label instanceof HTMLElement && label.textContent !== words) {
			label.textContent = words;
			label.title = words;
		}
		pre.setAttribute('aria-label', words === '' ? l10n.t('Code') : l10n.t('Code, {0}', words));
	}

	showCopied(button: HTMLElement, copied: boolean): void {
		button.classList.toggle('copied', copied);
		label(button, copied ? 'check' : 'copy', copied ? l10n.t('Copied') : l10n.t('Copy'));
		if (copied) {
			// A screen reader is told of it once, and would read a name that changes with each change.
			button.setAttribute('aria-label', l10n.t('Copy'));
		} else {
			button.removeAttribute('aria-label');
		}
	}

	dispose(): void {
		this.overflow.disconnect();
	}

	private frame(element: HTMLElement): HTMLElement {
		const frame = document.createElement('div');
		element.replaceWith(frame);
		if (element.localName === 'pre') {
			frame.className = 'code';
			frame.dir = 'ltr';
			frame.append(this.codeBar(), element);
			this.makeScrollable(element);
			this.relabel(element);
		} else {
			frame.className = 'table';
			frame.append(element);
			this.makeScrollable(frame);
			frame.setAttribute('aria-label', l10n.t('Table'));
		}
		return frame;
	}

	private makeScrollable(element: HTMLElement): void {
		element.classList.add('scrolls');
		element.setAttribute('role', 'group');
		element.setAttribute('tabindex', '0');
		this.overflow.observe(element);
	}

	private codeBar(): HTMLElement {
		const bar = document.createElement('div');
		bar.className = 'code-bar';
		const words = document.createElement('span');
		words.className = 'code-label ellipsis';
		bar.append(
			words,
			this.button('copy', 'copy', l10n.t('Copy')),
			this.button('insert', 'insert', l10n.t('Insert at Cursor')),
			this.button('new-file', 'new-file', l10n.t('New File')),
			this.button('apply', 'git-compare', l10n.t('Apply…')),
		);
		return bar;
	}

	private button(name: CodeButton, icon: CodiconName, words: string): HTMLButtonElement {
		const button = document.createElement('button');
		button.className = 'icon-button';
		button.type = 'button';
		button.name = name;
		label(button, icon, words);
		return button;
	}
}

function label(button: HTMLElement, icon: CodiconName, words: string): void {
	const mark = document.createElement('span');
	mark.className = 'codicon';
	mark.setAttribute('aria-hidden', 'true');
	mark.textContent = codiconText(icon);
	button.replaceChildren(mark);
	button.title = words;
}

function isFrame(element: HTMLElement): boolean {
	return element.localName === 'div';
}
