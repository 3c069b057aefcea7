import type { Frames } from './frames.ts';

/**
 * Makes `old`, which are consecutive children of `parent`, equal to `fresh`, and returns the resulting nodes, one for
 * each of `fresh`. Nodes that are equal stay, so that a selection, focus or scroll position in them is kept.
 */
export function patchNodes(
	parent: ParentNode,
	old: readonly ChildNode[],
	fresh: readonly ChildNode[],
	before: ChildNode | null,
	frames: Frames,
): ChildNode[] {
	const rest = [...old];
	const result = fresh.map((node, index) => {
		const current = rest.shift();
		if (!current) {
			const decorated = frames.decorate(node);
			parent.insertBefore(decorated, before);
			return decorated;
		}
		const bare = frames.undecorated(current);
		if (isText(bare) && isText(node)) {
			if (
				fresh[index + 1] &&
				isText(fresh[index + 1]) &&
				bare.length > node.length &&
				bare.data.startsWith(node.data)
			) {
				// One text node becomes two.
				rest.unshift(bare.splitText(node.length));
			}
			patchText(bare, node.data);
			return current;
		}
		if (isElement(bare) && isElement(node) && bare.localName === node.localName) {
			patchAttributes(bare, node);
			patchNodes(bare, [...bare.childNodes], [...node.childNodes], null, frames);
			return current;
		}
		const decorated = frames.decorate(node);
		current.replaceWith(decorated);
		return decorated;
	});
	for (const node of rest) {
		node.remove();
	}
	return result;
}

function patchText(text: Text, data: string): void {
	if (data.startsWith(text.data)) {
		if (data.length > text.length) {
			text.appendData(data.slice(text.length));
		}
		return;
	}
	let same = 0;
	while (text.data[same] === data[same]) {
		same++;
	}
	text.replaceData(same, text.length - same, data.slice(same));
}

/** The attributes that Markdown sets. The page's own attributes have other names. */
const ATTRIBUTES = ['href', 'title', 'class', 'start'];

function patchAttributes(element: Element, fresh: Element): void {
	if (element.localName === 'pre' || element.localName === 'table') {
		return;
	}
	for (const name of ATTRIBUTES) {
		const value = fresh.getAttribute(name);
		if (value === null) {
			element.removeAttribute(name);
		} else if (value !== element.getAttribute(name)) {
			element.setAttribute(name, value);
		}
	}
}

function isText(node: ChildNode | undefined): node is Text {
	return node?.nodeType === Node.TEXT_NODE;
}

function isElement(node: ChildNode): node is Element {
	return node.nodeType === Node.ELEMENT_NODE;
}
