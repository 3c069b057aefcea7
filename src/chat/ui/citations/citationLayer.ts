import * as l10n from '@vscode/l10n';
import type { Citations, ShownSource } from '../../model/citations.ts';
import { sharedMarkdown } from '../markdown.ts';
import type { Post } from '../page.ts';
import { CitationCard } from './citationCard.ts';
import { type PlacedMark, placeMarks } from './placeMarks.ts';

/** A longer text gets no marks, only the list of sources, because finding the places would block the page. */
const MAXIMUM_TEXT = 100_000;

/** The page's own elements within the text. */
const OWN = '.code > :not(pre), button, .citation';

/** Elements that a mark is placed behind rather than inside. */
const WHOLE = 'a, code, .control';

/** The numbered marks in a reply's text, and the card that shows a mark's source. */
export class CitationLayer {
	private readonly content: HTMLElement;
	private readonly card: CitationCard;
	private sources: ReadonlyMap<string, ShownSource> = new Map();
	private readonly places = new WeakMap<HTMLElement, PlacedMark>();

	/** `content` is the rendered Markdown. */
	constructor(content: HTMLElement, post: Post) {
		this.content = content;
		this.card = new CitationCard(content);
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
				post({ kind: 'link-open', url });
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

	/** Must be called once the text in the page is final. */
	mark(text: string, citations: Citations | undefined): void {
		this.clear();
		if (!citations || text.length > MAXIMUM_TEXT) {
			return;
		}
		this.sources = new Map(citations.sources.map(source => [String(source.number), source]));
		const { marks, total } = placeMarks(text, citations.marks, source => sharedMarkdown().render(source));
		const texts = textsOf(this.content);
		const lengths = texts.map(({ data }) => data.replace(/\s+/g, '').length);
		// The page shows something other than the Markdown alone would give, so no place can be determined.
		if (lengths.reduce((sum, length) => sum + length, 0) !== total) {
			return;
		}
		let index = texts.length - 1;
		let before = total;
		// The marks are inserted from the end, so that a text that is split is not needed again.
		for (const place of marks.toReversed()) {
			const { visible } = place;
			while (index >= 0 && ((before - (lengths[index] ?? 0) >= visible && visible > 0) || lengths[index] === 0)) {
				before -= lengths[index] ?? 0;
				index--;
			}
			const node = texts[Math.max(index, 0)];
			if (node) {
				insertBehind(node, visible - (before - (lengths[Math.max(index, 0)] ?? 0)), this.markOf(place), this.content);
			}
		}
	}

	dispose(): void {
		this.card.hide();
	}

	private clear(): void {
		this.card.hide();
		const marks = this.content.querySelectorAll('.citation, .citations');
		for (const mark of marks) {
			mark.remove();
		}
		if (marks.length > 0) {
			this.content.normalize();
		}
	}

	private markOf(place: PlacedMark): HTMLElement {
		const { number } = place;
		// This is not a button element, because a line may break around one, and a full stop would then begin the next
		// line.
		const mark = document.createElement('span');
		mark.role = 'button';
		mark.tabIndex = 0;
		mark.className = 'citation';
		mark.dataset['source'] = String(number);
		mark.textContent = String(number);
		mark.setAttribute('aria-label', l10n.t('Source {0}: {1}', number, this.sources.get(String(number))?.title ?? ''));
		this.places.set(mark, place);
		return mark;
	}

	private show(mark: HTMLElement): void {
		const source = this.sources.get(mark.dataset['source'] ?? '');
		if (source) {
			const { start, visible = 0 } = this.places.get(mark) ?? {};
			const range = start === undefined ? undefined : rangeBetween(textsOf(this.content), start, visible);
			this.card.show(mark, source, range);
		}
	}
}

/** Returns the reply's text nodes in order, without those of the page's own elements. */
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

/** Returns the range between two numbers of visible characters, or undefined if it is empty. */
function rangeBetween(texts: readonly Text[], start: number, end: number): Range | undefined {
	const range = document.createRange();
	let count = 0;
	let hasBegun = false;
	for (const text of texts) {
		for (let index = 0; index < text.length; index++) {
			if (/\s/.test(text.data[index] ?? '')) {
				continue;
			}
			if (count === start) {
				range.setStart(text, index);
				hasBegun = true;
			}
			count++;
			if (count === end && hasBegun) {
				range.setEnd(text, index + 1);
				return range;
			}
		}
	}
	return undefined;
}

/**
 * Inserts the mark behind the visible character number `visible` of a text, or behind an element that cannot hold it.
 */
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
