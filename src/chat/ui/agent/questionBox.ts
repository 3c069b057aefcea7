import { PageElement, reactive } from '../pageElement.ts';

/** A new question cannot be answered with yes for this long, in case a press was meant for what was there before. */
const GUARD_MS = 500;

/** A question of an agent in a `.box`. It takes the focus unless the user is typing. */
export class QuestionBox extends PageElement {
	static override properties = reactive('isGuarded');

	declare isGuarded: boolean;

	private timer: ReturnType<typeof setTimeout> | undefined;

	constructor() {
		super();
		this.isGuarded = true;
	}

	/** Focuses the box itself rather than a button or field in it, so that a key that is already down answers nothing. */
	takeFocus(): void {
		this.renderRoot.querySelector<HTMLElement>('.box')?.focus();
	}

	override connectedCallback(): void {
		super.connectedCallback();
		this.timer = setTimeout(() => {
			this.isGuarded = false;
		}, GUARD_MS);
	}

	override disconnectedCallback(): void {
		super.disconnectedCallback();
		clearTimeout(this.timer);
		this.isGuarded = true;
	}

	override firstUpdated(): void {
		if (questionGetsFocus()) {
			this.renderRoot.querySelector<HTMLElement>('.box')?.focus({ preventScroll: true });
		}
	}
}

/** Returns whether a question that comes now gets the focus. A screen reader then reads it. */
export function questionGetsFocus(): boolean {
	return document.hasFocus() && !isTyping();
}

/** Returns whether the user is typing: a field with text has the focus. */
function isTyping(): boolean {
	let active = document.activeElement;
	while (active?.shadowRoot?.activeElement) {
		active = active.shadowRoot.activeElement;
	}
	return active instanceof HTMLTextAreaElement && active.value !== '';
}
