/**
 * Shows the text of a reply that may have to be requested more than once. From a further try, a beginning equal to the
 * text that is already shown is left out; where it differs, that line is shown from its beginning.
 */
export class TextOnce {
	private readonly show: (text: string) => Promise<void>;
	/** The shown text, as far as the reply that it came with has it. */
	private shown = '';
	/** The text of this try. */
	private said = '';
	/** True if this try has said something that no earlier one had at its place. */
	private isNew = true;

	constructor(show: (text: string) => Promise<void>) {
		this.show = show;
	}

	/** Begins a further try. */
	beginAgain(): void {
		if (this.isNew) {
			this.shown = this.said;
		}
		this.said = '';
		this.isNew = this.shown === '';
	}

	async add(text: string): Promise<void> {
		const start = this.said.length;
		this.said += text;
		if (this.isNew) {
			return this.show(text);
		}
		const known = this.shown.slice(start, start + text.length);
		if (known === text) {
			return;
		}
		this.isNew = true;
		if (text.startsWith(known)) {
			return this.show(text.slice(known.length));
		}
		const same = known.split('').findIndex((character, index) => text[index] !== character);
		const line = this.said.lastIndexOf('\n', start + same - 1) + 1;
		return this.show(`\n\n${this.said.slice(line)}`);
	}
}
