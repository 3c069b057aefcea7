import type { LitElement } from 'lit';

/** An event: the element that had the focus is gone, such as a button after its press. The composer takes the focus. */
export const FOCUS_LOST = 'errand-focus-lost';

/** Makes a component dispatch `FOCUS_LOST` when an update has removed its focused element. */
export function watchFocus(host: LitElement): void {
	let before: Element | null | undefined;
	host.addController({
		hostUpdate() {
			before = host.shadowRoot?.activeElement;
		},
		hostUpdated() {
			// A page without the focus must not take it.
			if (before && !before.isConnected && document.hasFocus()) {
				host.dispatchEvent(new CustomEvent(FOCUS_LOST, { bubbles: true, composed: true }));
			}
		},
	});
}
