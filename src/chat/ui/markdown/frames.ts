import type { PageStrings } from '../../protocol.ts';
import { codiconText } from '../codicon.ts';
import { fill } from '../format.ts';
import { showControls } from '../markdown.ts';
import { languageOf } from './highlighter.ts';
import type { Furnisher } from './patch.ts';

/** Adds what is ours: a frame with a label and a copy button around code, a box that scrolls around a table. */
export class Frames implements Furnisher {
	private readonly strings: PageStrings;
	/**
	 * Boxes that may scroll can be reached by keyboard, until they are seen to have nothing to scroll. What is out of
	 * view has no size to observe, so the other way round they could be reached too late.
	 */
	private readonly overflow: ResizeObserver;

	/** `root` is where the boxes are shown. */
	constructor(strings: PageStrings, root: DocumentOrShadowRoot) {
		this.strings = strings;
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

	furnish(node: ChildNode): ChildNode {
		if (!(node instanceof HTMLElement)) {
			return node;
		}
		for (const inner of node.querySelectorAll<HTMLElement>('pre, table')) {
			this.frame(inner);
		}
		return node.localName === 'pre' || node.localName === 'table' ? this.frame(node) : node;
	}

	bare(node: ChildNode): ChildNode {
		return node instanceof HTMLElement && isFrame(node) ? (node.lastElementChild ?? node) : node;
	}

	/** The language may have grown since the frame was made. */
	relabel(pre: HTMLElement): void {
		const language = pre.firstElementChild ? showControls(languageOf(pre.firstElementChild)) : '';
		const label = pre.previousElementSibling?.firstElementChild;
		if (label && label.textContent !== language) {
			label.textContent = language;
		}
		pre.setAttribute('aria-label', language === '' ? this.strings.code : fill(this.strings.codeIn, language));
	}

	showCopied(button: HTMLElement, copied: boolean): void {
		const icon = document.createElement('span');
		icon.className = 'codicon';
		icon.setAttribute('aria-hidden', 'true');
		icon.textContent = codiconText(copied ? 'check' : 'copy');
		button.replaceChildren(icon);
		button.classList.toggle('copied', copied);
		button.title = copied ? this.strings.copied : this.strings.copy;
		button.setAttribute('aria-label', button.title);
	}

	dispose(): void {
		this.overflow.disconnect();
	}

	private frame(element: HTMLElement): HTMLElement {
		const frame = document.createElement('div');
		element.replaceWith(frame);
		if (element.localName === 'pre') {
			frame.className = 'code';
			frame.append(this.codeBar(), element);
			this.makeScrollable(element);
			this.relabel(element);
		} else {
			frame.className = 'table';
			frame.append(element);
			this.makeScrollable(frame);
			frame.setAttribute('aria-label', this.strings.table);
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
		const label = document.createElement('span');
		label.className = 'code-label';
		const copy = document.createElement('button');
		copy.className = 'icon-button';
		copy.type = 'button';
		this.showCopied(copy, false);
		bar.append(label, copy);
		return bar;
	}
}

function isFrame(element: HTMLElement): boolean {
	return element.localName === 'div';
}
