/** What the field held when something was pasted. */
interface Place {
	value: string;
	start: number;
	end: number;
}

/** A text that was pasted and is not in the field yet: the host is asked whether it knows the text's place. */
export class PendingPaste {
	private readonly field: () => HTMLTextAreaElement;
	private readonly settled: (taken: string | undefined) => void;
	private held: { text: string; place: Place } | undefined;

	/** `settled`: the text is in the field, or, where it is taken, the host's under that name. */
	constructor(field: () => HTMLTextAreaElement, settled: (taken: string | undefined) => void) {
		this.field = field;
		this.settled = settled;
	}

	get isPending(): boolean {
		return this.held !== undefined;
	}

	/** Holds a text until the host has said by which name it takes it, if it does; without an answer it is text. */
	async hold(text: string, look: Promise<string | undefined>): Promise<void> {
		const { value, selectionStart: start, selectionEnd: end } = this.field();
		const held = { text, place: { value, start, end } };
		this.held = held;
		const taken = await look.catch(() => undefined);
		if (this.held === held) {
			this.settle(held, taken);
		}
	}

	/** Takes no answer any more: it is text. */
	end(): void {
		if (this.held) {
			this.settle(this.held, undefined);
		}
	}

	/** There is no field any more. */
	forget(): void {
		this.held = undefined;
	}

	/** What is not taken goes in where it was pasted, whatever was typed meanwhile. */
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
