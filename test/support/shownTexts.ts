import type { Locator } from 'playwright-core';

export interface ShownText {
	text: string;
	/** The element that shows it, for the reader of a failed test. */
	where: string;
	/** True if the text is visible but too wide for its place. */
	isCut: boolean;
}

/** Resolves with every text below some elements, including texts for screen readers and hovers. */
export async function shownTexts(regions: Locator, without = '.nothing'): Promise<ShownText[]> {
	return (await regions.evaluateAll(collect, without)).flat();
}

/** Runs inside the page. */
function collect(regions: Element[], without: string): ShownText[] {
	const said = [
		'aria-label',
		'aria-description',
		'aria-roledescription',
		'aria-valuetext',
		'title',
		'placeholder',
		'alt',
	];
	const found: ShownText[] = [];
	const nameOf = (element: Element) => `${element.localName}.${element.getAttribute('class') ?? ''}`;
	/** The parts of a sentence may be in inline elements, such as links. */
	const blockOf = (element: Element, region: Element): Element =>
		element !== region && getComputedStyle(element).display === 'inline' && element.parentElement
			? blockOf(element.parentElement, region)
			: element;

	/** A text that is cut off still has its whole width, while an element around it ends earlier. */
	const isCut = (block: Element): boolean => {
		const range = document.createRange();
		range.selectNodeContents(block);
		const { left, right } = range.getBoundingClientRect();
		for (let one: Element | null = block; one; one = one.parentElement) {
			const { overflowX } = getComputedStyle(one);
			if (overflowX === 'auto' || overflowX === 'scroll') {
				return false;
			}
			const box = one.getBoundingClientRect();
			// Text that is only for screen readers is one pixel wide.
			if (overflowX !== 'visible' && box.width > 1 && (right > box.right + 1 || left < box.left - 1)) {
				return true;
			}
		}
		return false;
	};
	const isPlaceholderCut = (field: HTMLInputElement | HTMLTextAreaElement): boolean => {
		const context = document.createElement('canvas').getContext('2d');
		if (!context || field instanceof HTMLTextAreaElement) {
			return false;
		}
		const style = getComputedStyle(field);
		context.font = style.font;
		const room = field.clientWidth - Number.parseFloat(style.paddingLeft) - Number.parseFloat(style.paddingRight);
		return context.measureText(field.placeholder).width > room + 1;
	};

	const visit = (node: Node, region: Element, blocks: Map<Element, string>) => {
		if (node instanceof Text) {
			const parent = node.parentElement;
			if (parent && node.data.trim() !== '' && parent.getClientRects().length > 0) {
				const block = blockOf(parent, region);
				blocks.set(block, (blocks.get(block) ?? '') + node.data);
			}
			return;
		}
		if (!(node instanceof Element) || node.matches(`script, style, ${without}`)) {
			return;
		}
		for (const attribute of node.getClientRects().length > 0 ? said : []) {
			const text = node.getAttribute(attribute) ?? '';
			const isField = node instanceof HTMLInputElement || node instanceof HTMLTextAreaElement;
			if (text.trim() !== '') {
				const cut = attribute === 'placeholder' && isField && isPlaceholderCut(node);
				found.push({ text, where: `${nameOf(node)}[${attribute}]`, isCut: cut });
			}
		}
		for (const child of [...(node.shadowRoot?.childNodes ?? []), ...node.childNodes]) {
			visit(child, region, blocks);
		}
	};
	for (const region of regions) {
		const blocks = new Map<Element, string>();
		visit(region, region, blocks);
		for (const [block, text] of blocks) {
			found.push({ text, where: nameOf(block), isCut: isCut(block) });
		}
	}
	return found;
}
