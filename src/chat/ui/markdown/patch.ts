/** What stands for a node in the page: a node that is shown in a frame, and what to do with new ones. */
export interface NodeDecorator {
	/** Puts frames around a node and what is in it, in place where it has a parent; gives the node with its frame. */
	decorate(node: ChildNode): ChildNode;
	/** The node itself, where it stands in a frame of ours. */
	undecorated(node: ChildNode): ChildNode;
}

/**
 * Makes `old`, which are children of `parent` in a row, the same as `fresh`, and gives the nodes that are there then,
 * one for each of `fresh`. What is the same stays, so that a selection, a focus or a scroll position in it does too.
 */
export function patchNodes(
	parent: ParentNode,
	old: readonly ChildNode[],
	fresh: readonly ChildNode[],
	before: ChildNode | null,
	decorator: NodeDecorator,
): ChildNode[] {
	const rest = [...old];
	const result = fresh.map((node, index) => {
		const current = rest.shift();
		if (!current) {
			const decorated = decorator.decorate(node);
			parent.insertBefore(decorated, before);
			return decorated;
		}
		const bare = decorator.undecorated(current);
		if (isText(bare) && isText(node)) {
			if (
				fresh[index + 1] &&
				isText(fresh[index + 1]) &&
				bare.length > node.length &&
				bare.data.startsWith(node.data)
			) {
				// What was one text is two from now on.
				rest.unshift(bare.splitText(node.length));
			}
			patchText(bare, node.data);
			return current;
		}
		if (isElement(bare) && isElement(node) && bare.localName === node.localName) {
			patchAttributes(bare, node);
			patchNodes(bare, [...bare.childNodes], [...node.childNodes], null, decorator);
			return current;
		}
		const decorated = decorator.decorate(node);
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

/** Those that markdown gives. What is ours has other names. */
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
