/** A text that was pasted waits for so long for the host's word, which may have a better use for it. Milliseconds. */
const TIMEOUT_MS = 1_000;

/** What the field held when something was pasted. */
interface Place {
	value: string;
	start: number;
	end: number;
}

/** A text that was pasted and is not in the field yet: the host is asked whether it knows the text's place. */
export class PendingPaste {
	private readonly field: () => HTMLTextAreaElement;
	private readonly settled: (asked: number, taken: boolean) => void;
	private asked = 0;
	private held: { text: string; place: Place; timeout: ReturnType<typeof setTimeout> } | undefined;

	/** `settled`: the text is in the field, or, where it is taken, the host's. */
	constructor(field: () => HTMLTextAreaElement, settled: (asked: number, taken: boolean) => void) {
		this.field = field;
		this.settled = settled;
	}

	get isPending(): boolean {
		return this.held !== undefined;
	}

	/** Gives the number that the host's answer names. */
	hold(text: string): number {
		this.asked++;
		const { asked } = this;
		const { value, selectionStart: start, selectionEnd: end } = this.field();
		const timeout = setTimeout(() => this.answer(asked, false), TIMEOUT_MS);
		this.held = { text, place: { value, start, end }, timeout };
		return asked;
	}

	/** What is not taken goes in where it was pasted, whatever was typed meanwhile. */
	answer(asked: number, taken: boolean): void {
		const { held } = this;
		if (held === undefined || asked !== this.asked) {
			return;
		}
		this.forget();
		if (!taken) {
			this.insert(held.text, held.place);
		}
		this.settled(asked, taken);
	}

	/** Takes no answer any more: it is text. */
	end(): void {
		this.answer(this.asked, false);
	}

	/** There is no field any more. */
	forget(): void {
		clearTimeout(this.held?.timeout);
		this.held = undefined;
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
			// Not the length of what was pasted: the field has its own line ends.
			const added = field.value.length - length;
			const moved = (position: number) => (position < from ? position : position + added);
			field.setSelectionRange(moved(selectionStart), moved(selectionEnd));
		}
	}
}

/** As the editor does it, so that it can be undone; without taking the cursor from where it is by now. */
function insertText(field: HTMLTextAreaElement, text: string): void {
	if (!field.matches(':focus') || !document.execCommand('insertText', false, text)) {
		field.setRangeText(text, field.selectionStart, field.selectionEnd, 'end');
		field.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true }));
	}
}
