import { html, nothing, type TemplateResult } from 'lit';

/** Code points of the codicon font. A test compares them with the font's own list. */
export const codiconCodePoints = {
	add: 0xea60,
	'arrow-down': 0xea9a,
	book: 0xeaa4,
	beaker: 0xea79,
	check: 0xeab2,
	checklist: 0xeab3,
	'chevron-down': 0xeab4,
	'chevron-left': 0xeab5,
	'chevron-right': 0xeab6,
	chip: 0xec19,
	'circle-large': 0xebb5,
	'circle-slash': 0xeabd,
	close: 0xea76,
	comment: 0xea6b,
	compass: 0xebd5,
	copy: 0xebcc,
	'credit-card': 0xeac9,
	'debug-stop': 0xead7,
	diff: 0xeae1,
	'diff-multiple': 0xec23,
	discard: 0xeae2,
	edit: 0xea73,
	error: 0xea87,
	file: 0xea7b,
	'file-media': 0xeaea,
	'file-text': 0xec5e,
	folder: 0xea83,
	'git-branch': 0xec6f,
	'git-compare': 0xeafd,
	'go-to-file': 0xea94,
	globe: 0xeb01,
	history: 0xea82,
	info: 0xea74,
	insert: 0xec11,
	lightbulb: 0xea61,
	'link-external': 0xeb14,
	lock: 0xea75,
	markdown: 0xeb1d,
	move: 0xeb22,
	'new-file': 0xea7f,
	pass: 0xeba4,
	play: 0xeb2c,
	record: 0xeba7,
	refresh: 0xeb37,
	repo: 0xea62,
	robot: 0xec20,
	save: 0xeb4b,
	search: 0xea6d,
	shield: 0xeb53,
	selection: 0xeb85,
	send: 0xec0f,
	'symbol-class': 0xeb5b,
	'symbol-constant': 0xeb5d,
	'symbol-enum': 0xea95,
	'symbol-field': 0xeb5f,
	'symbol-interface': 0xeb61,
	'symbol-method': 0xea8c,
	'symbol-misc': 0xeb63,
	'symbol-namespace': 0xea8b,
	'symbol-variable': 0xea88,
	terminal: 0xea85,
	tools: 0xeb6d,
	trash: 0xea81,
	warning: 0xea6c,
	wrench: 0xeb65,
} as const;

export type CodiconName = keyof typeof codiconCodePoints;

/** An icon is hidden from screen readers; the element that contains it has the label. */
export function codicon(name: CodiconName): TemplateResult {
	return html`<span class="codicon" aria-hidden="true">${codiconText(name)}</span>`;
}

export function codiconText(name: CodiconName): string {
	return String.fromCodePoint(codiconCodePoints[name]);
}

/**
 * An icon button. `name` identifies it. The title is its label for screen readers too, as nothing else in it is read: with
 * an equal label of its own, the title would be read once more as a description.
 */
export function iconButton(
	icon: CodiconName,
	label: string,
	press: (event: Event) => void,
	{ name, disabled = false }: { name?: string; disabled?: boolean } = {},
): TemplateResult {
	return html`<button
		type="button"
		class="icon-button"
		name=${name ?? nothing}
		title=${label}
		?disabled=${disabled}
		@click=${press}
	>
		${codicon(icon)}
	</button>`;
}
