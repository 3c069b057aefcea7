/** An event: the element that had the focus is gone, such as a button after its press. The composer takes the focus. */
export const FOCUS_LOST = 'errand-focus-lost';

/** Must be called after `element` has rendered, with the element in it that had the focus before. */
export function tellLostFocus(element: HTMLElement, before: Element | null | undefined): void {
	// A page without the focus must not take it.
	if (before && !before.isConnected && document.hasFocus()) {
		element.dispatchEvent(new CustomEvent(FOCUS_LOST, { bubbles: true, composed: true }));
	}
}
