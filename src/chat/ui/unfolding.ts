import type { LitElement } from 'lit';

/**
 * An event: the reader is about to unfold or fold something. What is read stays where it is, so the page no longer
 * follows the end.
 */
export const UNFOLDED = 'errand-unfolded';

/** Must be called before `element` changes its height because the reader has asked for it. */
export function tellUnfolded(element: HTMLElement): void {
	element.dispatchEvent(new CustomEvent(UNFOLDED, { bubbles: true, composed: true }));
}

/** Folds or unfolds a component at the wish of the reader, and shows what was unfolded. */
export async function toggle(host: LitElement & { open: boolean | undefined }): Promise<void> {
	tellUnfolded(host);
	host.open = host.open !== true;
	await host.updateComplete;
	if (host.open) {
		reveal(host);
	}
}

/** Scrolls as little as it takes to show what was unfolded. */
export function reveal(element: HTMLElement): void {
	element.scrollIntoView({ block: 'nearest' });
}
