import { html, type TemplateResult } from 'lit';

/** The number of announcements in a live region: enough for a slow screen reader, and few enough to cost nothing. */
const KEPT_ANNOUNCEMENTS = 8;

/** The live regions. An announcement in the second one interrupts. */
export function announcementRegions(): TemplateResult {
	return html`<div class="announcements screen-reader" aria-live="polite"></div>
		<div class="urgent screen-reader" aria-live="assertive"></div>`;
}

/** Makes a screen reader say the words. */
export function announce(root: ParentNode, words: string, isUrgent = false): void {
	const region = root.querySelector(isUrgent ? '.urgent' : '.announcements');
	const line = document.createElement('div');
	line.textContent = words;
	region?.append(line);
	while (region && region.childElementCount > KEPT_ANNOUNCEMENTS) {
		region.firstElementChild?.remove();
	}
}
