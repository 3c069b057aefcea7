import * as l10n from '@vscode/l10n';
import type { Citations, ShownSource } from '../../model/citations.ts';
import { CitationCard } from './citationCard.ts';
import { placeMarks } from './placeMarks.ts';

/** A longer text has its sources in the list alone: finding their places would stop the page. */
const MAXIMUM_TEXT = 100_000;

/** What is ours between the words of the text. */
const OWN = '.code > :not(pre), button, .citation';

/** What a mark does not stand in, but behind. */
const WHOLE = 'a, code, .control';

export interface CitationOwner {
	/** What Markdown has made of the text. */
	readonly content: HTMLElement;
	render(text: string): string;
	/** Opens an address, as a link does. */
	open(url: string): void;
}

/** The numbered marks in a reply's text, and the card that shows what a mark stands for. */
export class CitationLayer {
	private readonly owner: CitationOwner;
	private readonly card: CitationCard;
	private sources: ReadonlyMap<string, ShownSource> = new Map();

	constructor(owner: CitationOwner) {
		this.owner = owner;
		this.card = new CitationCard(owner.content);
		const { content } = owner;
		const on = (type: string, listen: (mark: HTMLElement, event: Event) => void) =>
			content.addEventListener(type, event => {
				const mark = (event.target as Element).closest?.<HTMLElement>('.citation');
				if (mark) {
					listen(mark, event);
				}
			});
		on('pointerover', mark => this.show(mark));
		on('pointerout', () => this.card.hideSoon());
		on('focusin', mark => this.show(mark));
		on('focusout', () => this.card.hide());
		on('click', (mark, event) => {
			event.stopPropagation();
			const url = this.sources.get(mark.dataset['source'] ?? '')?.url;
			if (url !== undefined) {
				this.owner.open(url);
			}
		});
		content.addEventListener('keydown', event => {
			if (event.key === 'Escape' && this.card.isShown) {
				event.preventDefault();
				event.stopPropagation();
				this.card.hide();
			}
		});
		on('keydown', (mark, event) => {
			const { key } = event as KeyboardEvent;
			if (key === 'Enter' || key === ' ') {
				event.preventDefault();
				mark.click();
			}
		});
	}

	/** To be called when the text stands in the page as it is to stay. */
	mark(text: string, citations: Citations | undefined): void {
		this.clear();
		if (!citations || text.length > MAXIMUM_TEXT) {
			return;
		}
		this.sources = new Map(citations.sources.map(source => [String(source.number), source]));
		const { marks, total } = placeMarks(text, citations.marks, source => this.owner.render(source));
		const texts = textsOf(this.owner.content);
		const lengths = texts.map(({ data }) => data.replace(/\s+/g, '').length);
		// The page shows something else than Markdown alone would: then no place can be told.
		if (lengths.reduce((sum, length) => sum + length, 0) !== total) {
			return;
		}
		let index = texts.length - 1;
		let before = total;
		// From the end, so that a text that is split is not needed any more.
		for (const { visible, number } of marks.toReversed()) {
			while (index >= 0 && ((before - (lengths[index] ?? 0) >= visible && visible > 0) || lengths[index] === 0)) {
				before -= lengths[index] ?? 0;
				index--;
			}
			const node = texts[Math.max(index, 0)];
			if (node) {
				insertBehind(
					node,
					visible - (before - (lengths[Math.max(index, 0)] ?? 0)),
					this.markOf(number),
					this.owner.content,
				);
			}
		}
	}

	dispose(): void {
		this.card.dispose();
	}

	private clear(): void {
		this.card.hide();
		const marks = this.owner.content.querySelectorAll('.citation, .citations');
		for (const mark of marks) {
			mark.remove();
		}
		if (marks.length > 0) {
			this.owner.content.normalize();
		}
	}

	private markOf(number: number): HTMLElement {
		// No button: that is a box, at which a line may break, so that a full stop would begin the next line.
		const mark = document.createElement('span');
		mark.role = 'button';
		mark.tabIndex = 0;
		mark.className = 'citation';
		mark.dataset['source'] = String(number);
		mark.textContent = String(number);
		mark.setAttribute('aria-label', l10n.t('Source {0}: {1}', number, this.sources.get(String(number))?.title ?? ''));
		return mark;
	}

	private show(mark: HTMLElement): void {
		const source = this.sources.get(mark.dataset['source'] ?? '');
		if (source) {
			this.card.show(mark, source);
		}
	}
}

/** The texts of the reply, in order, without what the page puts around them. */
function textsOf(content: HTMLElement): Text[] {
	const walker = document.createTreeWalker(content, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT, node =>
		node instanceof Element
			? node.matches(OWN)
				? NodeFilter.FILTER_REJECT
				: NodeFilter.FILTER_SKIP
			: NodeFilter.FILTER_ACCEPT,
	);
	const texts: Text[] = [];
	while (walker.nextNode()) {
		texts.push(walker.currentNode as Text);
	}
	return texts;
}

/** Puts the mark behind the visible character number `visible` of a text, or behind what cannot hold it. */
function insertBehind(text: Text, visible: number, mark: HTMLElement, content: HTMLElement): void {
	const parent = text.parentElement as Element;
	const code = parent.closest('.code, pre');
	if (code && content.contains(code)) {
		const block = code.closest('.code') ?? code;
		let line = block.nextElementSibling;
		if (!line?.classList.contains('citations')) {
			line = document.createElement('p');
			line.className = 'citations';
			block.after(line);
		}
		line.prepend(mark);
		return;
	}
	let whole = parent.closest(WHOLE);
	if (whole && content.contains(whole)) {
		for (let outer = whole; outer; outer = outer.parentElement?.closest(WHOLE) as Element) {
			whole = outer;
		}
		whole.after(mark);
		return;
	}
	let position = 0;
	for (let left = visible; left > 0 && position < text.length; position++) {
		left -= /\s/.test(text.data[position] ?? '') ? 0 : 1;
	}
	if (position === 0) {
		text.before(mark);
	} else if (position === text.length) {
		text.after(mark);
	} else {
		text.splitText(position);
		text.after(mark);
	}
}
