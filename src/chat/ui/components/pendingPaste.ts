import { MAXIMUM_PASTE_LENGTH } from '../../protocol/protocol.ts';
import { postFiles } from '../transfer.ts';
import type { Composer } from './composer.ts';

/** The time for which pasted text waits for the host, which may turn it into a context chip, in milliseconds. */
const PASTE_MS = 1_000;

/** The field's text and selection when something was pasted. */
interface Place {
	value: string;
	start: number;
	end: number;
}

/**
 * Holds what was pasted or dropped and is not part of the message yet: text whose source the host is asked about, and
 * files that the host has not received. A message waits for both.
 */
export class PendingPaste {
	private readonly owner: Composer;
	private held: { text: string; place: Place } | undefined;
	/** The number of batches of files that the host has not fully received yet. */
	private readings = 0;
	/** Set if a message was to be sent meanwhile. */
	private isDue = false;

	constructor(owner: Composer) {
		this.owner = owner;
	}

	get isPending(): boolean {
		return this.held !== undefined || this.readings > 0;
	}

	/** Returns whether a message must wait. It is then sent as soon as everything is there. */
	delays(): boolean {
		this.isDue ||= this.isPending;
		return this.isPending;
	}

	/** Holds pasted text back until the host has said whether it knows the source, and takes pasted files. */
	take(event: ClipboardEvent): void {
		const { page, waiting } = this.owner;
		const text = event.clipboardData?.getData('text/plain') ?? '';
		const files = [...(event.clipboardData?.files ?? [])];
		if (text === '' && files.length > 0) {
			event.preventDefault();
			void this.addFiles(files);
			return;
		}
		// A single word is never context, so it is inserted at once.
		if (!/[\n/\\]/.test(text) || text.length > MAXIMUM_PASTE_LENGTH || waiting || this.held) {
			return;
		}
		event.preventDefault();
		void this.hold(text, page.requests.ask('paste-check', { text }, PASTE_MS));
	}

	/** Adds files without an address by their content. */
	async addFiles(files: readonly File[]): Promise<void> {
		const { owner } = this;
		this.readings++;
		const isComplete = await postFiles(files, owner.page.post, hint => owner.say(hint));
		this.readings--;
		if (!isComplete) {
			// The user has been told why; the message is not sent without the files.
			this.isDue = false;
		} else if (this.readings === 0) {
			this.sendDue();
		}
	}

	/** Ignores what is still to come: the text is inserted, and no message is due. */
	end(): void {
		this.isDue = false;
		if (this.held) {
			this.settle(this.held, undefined);
		}
	}

	/**
	 * Holds a text until `look` resolves to the name under which the host takes it, or to undefined. Without an answer in
	 * time, it is inserted as text.
	 */
	private async hold(text: string, look: Promise<string | undefined>): Promise<void> {
		const { value, selectionStart: start, selectionEnd: end } = this.owner.field;
		const held = { text, place: { value, start, end } };
		this.held = held;
		const taken = await look.catch(() => undefined);
		if (this.held === held) {
			this.settle(held, taken);
		}
	}

	private settle({ text, place }: NonNullable<typeof this.held>, taken: string | undefined): void {
		this.held = undefined;
		if (taken === undefined) {
			this.insert(text, place);
			this.sendDue();
		} else {
			// The chip comes later, or not at all if the user declines it, so the message must not be sent before that.
			this.isDue = false;
			this.owner.page.post({ kind: 'paste-take', paste: taken });
		}
	}

	private sendDue(): void {
		if (this.isDue) {
			this.isDue = false;
			this.owner.send();
		}
	}

	/** Inserts a text at the place of the paste, whatever was typed meanwhile. */
	private insert(text: string, { value, start, end }: Place): void {
		const { field } = this.owner;
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
