import { LitElement, type PropertyDeclarations } from 'lit';
import type { HostRequests } from './hostRequests.ts';
import type { CodeHighlighter } from './markdown/codeHighlighter.ts';
import type { Post } from './page.ts';

/** The parts of the page that its components share. They stay the same for as long as the page lives. */
export interface Page {
	/** The editor's language. */
	readonly language: string;
	/** Posts to the host. */
	readonly post: Post;
	readonly requests: HostRequests;
	readonly highlighter: CodeHighlighter;
}

/** A component of the page. */
export class PageElement extends LitElement {
	static override properties = reactive('page');

	declare page: Page;
}

/** Declares the members for whose changes a component is drawn again. None of them is an attribute. */
export function reactive(...names: readonly string[]): PropertyDeclarations {
	return Object.fromEntries(names.map(name => [name, { attribute: false }]));
}
