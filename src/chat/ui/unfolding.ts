import type { LitElement } from 'lit';

/**
 * An event: the reader is about to unfold or fold something. The content in view must not move, so the page stops
 * following the end.
 */
export const UNFOLDED = 'errand-unfolded';

/** Must be called before `element` changes its height because the reader has asked for it. */
export function tellUnfolded(element: HTMLElement): void {
	element.dispatchEvent(new CustomEvent(UNFOLDED, { bubbles: true, composed: true }));
}

/** Folds or unfolds a component for the reader, and scrolls unfolded content into view. */
export async function toggle(host: LitElement & { open: boolean | undefined }): Promise<void> {
	tellUnfolded(host);
	host.open = host.open !== true;
	await host.updateComplete;
	if (host.open) {
		reveal(host);
	}
}

/** Scrolls as little as possible to show the unfolded content. */
export function reveal(element: HTMLElement): void {
	element.scrollIntoView({ block: 'nearest' });
}
