/** The time for which pasted text waits for the host, which may turn it into a context chip, in milliseconds. */
export const PASTE_MS = 1_000;

/** The field's text and selection when something was pasted. */
interface Place {
	value: string;
	start: number;
	end: number;
}

/** Pasted text that is not in the field yet, because the host has been asked whether it knows the source. */
export class PendingPaste {
	private readonly field: () => HTMLTextAreaElement;
	private readonly settled: (taken: string | undefined) => void;
	private held: { text: string; place: Place } | undefined;

	/** `settled` is called when the text is in the field, or with the name under which the host took it. */
	constructor(field: () => HTMLTextAreaElement, settled: (taken: string | undefined) => void) {
		this.field = field;
		this.settled = settled;
	}

	get isPending(): boolean {
		return this.held !== undefined;
	}

	/**
	 * Holds a text until `look` resolves to the name under which the host takes it, or to undefined. Without an answer in
	 * time, it is inserted as text.
	 */
	async hold(text: string, look: Promise<string | undefined>): Promise<void> {
		const { value, selectionStart: start, selectionEnd: end } = this.field();
		const held = { text, place: { value, start, end } };
		this.held = held;
		const taken = await look.catch(() => undefined);
		if (this.held === held) {
			this.settle(held, taken);
		}
	}

	/** Ignores the answer and inserts the text. */
	end(): void {
		if (this.held) {
			this.settle(this.held, undefined);
		}
	}

	/** Drops the text because the field is gone. */
	forget(): void {
		this.held = undefined;
	}

	/** Inserts a text that the host did not take at the place of the paste, whatever was typed meanwhile. */
	private settle({ text, place }: NonNullable<typeof this.held>, taken: string | undefined): void {
		this.held = undefined;
		if (taken === undefined) {
			this.insert(text, place);
		}
		this.settled(taken);
	}

	private insert(text: string, { value, start, end }: Place): void {
		const field = this.field();
		const { selectionStart, selectionEnd } = field;
		const { length } = field.value;
		const isSame = field.value === value;
		const isThere = field.value.startsWith(value.slice(0, start));
		const from = isThere ? start : selectionStart;
		field.setSelectionRange(from, isSame ? end : isThere ? from : selectionEnd);
		insertText(field, text);
		if (isThere && !isSame) {
			// The length of the pasted text cannot be used, because the field normalises line ends.
			const added = field.value.length - length;
			const moved = (position: number) => (position < from ? position : position + added);
			field.setSelectionRange(moved(selectionStart), moved(selectionEnd));
		}
	}
}

/** Inserts text as a browser does, so that it can be undone, and leaves the cursor where it is now. */
function insertText(field: HTMLTextAreaElement, text: string): void {
	if (!field.matches(':focus') || !document.execCommand('insertText', false, text)) {
		field.setRangeText(text, field.selectionStart, field.selectionEnd, 'end');
		field.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true }));
	}
}
