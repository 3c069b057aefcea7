import { html, type TemplateResult } from 'lit';

/** Code points of the codicon font. A test compares them with the font's own list. */
export const codiconCodePoints = {
	add: 0xea60,
	'arrow-down': 0xea9a,
	check: 0xeab2,
	'chevron-down': 0xeab4,
	'chevron-left': 0xeab5,
	'chevron-right': 0xeab6,
	chip: 0xec19,
	close: 0xea76,
	comment: 0xea6b,
	compass: 0xebd5,
	copy: 0xebcc,
	'debug-stop': 0xead7,
	diff: 0xeae1,
	edit: 0xea73,
	error: 0xea87,
	file: 0xea7b,
	'file-media': 0xeaea,
	'file-text': 0xec5e,
	folder: 0xea83,
	'git-compare': 0xeafd,
	'link-external': 0xeb14,
	globe: 0xeb01,
	info: 0xea74,
	insert: 0xec11,
	lock: 0xea75,
	markdown: 0xeb1d,
	'new-file': 0xea7f,
	play: 0xeb2c,
	refresh: 0xeb37,
	save: 0xeb4b,
	selection: 0xeb85,
	send: 0xec0f,
	terminal: 0xea85,
	warning: 0xea6c,
} as const;

export type CodiconName = keyof typeof codiconCodePoints;

/** An icon is hidden from screen readers; the element that contains it has the label. */
export function codicon(name: CodiconName): TemplateResult {
	return html`<span class="codicon" aria-hidden="true">${codiconText(name)}</span>`;
}

export function codiconText(name: CodiconName): string {
	return String.fromCodePoint(codiconCodePoints[name]);
}
