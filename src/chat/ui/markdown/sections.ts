/** The number of blocks in a section: about what a narrow chat shows at once. */
const SECTION_BLOCKS = 16;

/**
 * Keeps the blocks of a text in sections. Each frame of a text that grows costs the browser layout, paint and the walk
 * before paint for every block in the page, wherever it is. A settled section costs them only while it is near the
 * viewport.
 */
export class Sections {
	private readonly content: HTMLElement;
	private readonly sections: HTMLElement[] = [];
	private settled = 0;

	constructor(content: HTMLElement) {
		this.content = content;
	}

	/** Returns the section of a block, which is made with the first of its blocks. */
	of(index: number): HTMLElement {
		const number = Math.floor(index / SECTION_BLOCKS);
		let section = this.sections[number];
		if (!section) {
			section = document.createElement('div');
			section.className = 'section';
			this.content.append(section);
			this.sections[number] = section;
		}
		return section;
	}

	/** Settles the sections whose blocks are all among the first `done` ones, once they are laid out. */
	settle(done: number): void {
		const whole = Math.floor(done / SECTION_BLOCKS);
		if (whole > this.settled) {
			const sections = this.sections.slice(this.settled, whole);
			this.settled = whole;
			requestAnimationFrame(() => settleAtHeight(sections));
		}
	}

	clear(): void {
		this.content.replaceChildren();
		this.sections.length = 0;
		this.settled = 0;
	}
}

/** Keeps the current heights, because an element counts as out of view for a moment and a guess would move the reader. */
export function settleAtHeight(elements: readonly HTMLElement[]): void {
	const heights = elements.map(element => element.getBoundingClientRect().height);
	for (const [index, element] of elements.entries()) {
		const height = heights[index] ?? 0;
		if (height > 0) {
			element.style.setProperty('contain-intrinsic-block-size', `auto ${height}px`);
			element.classList.add('settled');
		}
	}
}
