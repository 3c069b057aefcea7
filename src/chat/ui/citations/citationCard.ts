import type { ShownSource } from '../../model/citations.ts';

/** The time after which the card is hidden once the pointer has left: long enough to move from the mark to the card. */
const HIDE_AFTER_MS = 250;

/** The distance between the card, the mark and the edge of the view, in pixels. */
const GAP = 4;

const CARD_ID = 'citation-card';

/** The name by which the style sheet knows the words that a source is cited for. */
const CITED = 'cited';

/** A box beside a mark with the title, host and excerpt of its source. */
export class CitationCard {
	private readonly element = document.createElement('div');
	private timer: ReturnType<typeof setTimeout> | undefined;
	private mark: HTMLElement | undefined;
	private readonly place = () => this.placeAtMark();

	/** The card follows `content` in the same tree, so that a mark can refer to it as its description. */
	constructor(content: HTMLElement) {
		const { element } = this;
		element.className = 'citation-card';
		element.id = CARD_ID;
		element.role = 'tooltip';
		// A popover is drawn on top of everything, even if an ancestor of the mark clips its content.
		element.popover = 'manual';
		element.addEventListener('pointerenter', () => clearTimeout(this.timer));
		element.addEventListener('pointerleave', () => this.hideSoon());
		content.after(element);
	}

	get isShown(): boolean {
		return this.mark !== undefined;
	}

	/** Shows the source beside its mark, and highlights the words that it is cited for. */
	show(mark: HTMLElement, { title, host, excerpt }: ShownSource, words: Range | undefined): void {
		clearTimeout(this.timer);
		if (mark === this.mark) {
			return;
		}
		this.hide();
		this.mark = mark;
		if (words) {
			CSS.highlights.set(CITED, new Highlight(words));
		}
		mark.setAttribute('aria-describedby', CARD_ID);
		this.element.replaceChildren(
			...[
				['title', title],
				['host', host === title ? undefined : host],
				['excerpt', excerpt],
			].flatMap(([name, words]) => (words === undefined ? [] : [line(name ?? '', words)])),
		);
		this.element.showPopover();
		this.placeAtMark();
		for (const target of scrollersOf(mark)) {
			target.addEventListener('scroll', this.place, { passive: true });
		}
	}

	hideSoon(): void {
		clearTimeout(this.timer);
		this.timer = setTimeout(() => {
			// A keyboard user still has the focus on the mark.
			if (!this.mark?.matches(':focus-visible')) {
				this.hide();
			}
		}, HIDE_AFTER_MS);
	}

	hide(): void {
		clearTimeout(this.timer);
		const { mark } = this;
		if (mark) {
			this.mark = undefined;
			CSS.highlights.delete(CITED);
			mark.removeAttribute('aria-describedby');
			for (const target of scrollersOf(mark)) {
				target.removeEventListener('scroll', this.place);
			}
			this.element.hidePopover();
		}
	}

	private placeAtMark(): void {
		const { element } = this;
		const mark = this.mark?.getBoundingClientRect();
		const { clientWidth, clientHeight } = document.documentElement;
		if (!mark || mark.bottom < 0 || mark.top > clientHeight) {
			this.hide();
			return;
		}
		const { width, height } = element.getBoundingClientRect();
		const left = Math.max(GAP, Math.min(mark.left, clientWidth - width - GAP));
		const below = mark.bottom + GAP;
		const top = below + height <= clientHeight - GAP ? below : Math.max(GAP, mark.top - height - GAP);
		element.style.setProperty('left', `${left}px`);
		element.style.setProperty('top', `${top}px`);
	}
}

function line(name: string, words: string): HTMLElement {
	const element = document.createElement('div');
	element.className = name;
	element.textContent = words;
	return element;
}

/** Returns all ancestors in which an element may scroll, across shadow boundaries. */
function scrollersOf(element: Element): Element[] {
	const found: Element[] = [];
	for (let node: Node | null = element; node; node = node instanceof ShadowRoot ? node.host : node.parentNode) {
		if (node instanceof Element && node.scrollHeight > node.clientHeight) {
			found.push(node);
		}
	}
	return found;
}
