/** An event of the page: what had the focus is gone, such as a button that has done its work. The composer takes it. */
export const FOCUS_LOST = 'errand-focus-lost';

/** To be called when what `element` renders has changed, with what had the focus in it before. */
export function tellLostFocus(element: HTMLElement, before: Element | null | undefined): void {
	// A page that has not the focus takes it from nobody.
	if (before && !before.isConnected && document.hasFocus()) {
		element.dispatchEvent(new CustomEvent(FOCUS_LOST, { bubbles: true, composed: true }));
	}
}
