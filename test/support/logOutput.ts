/** An output channel that only stores its text. */
export class TextOutput {
	text = '';
	isVisible = false;

	append(text: string): void {
		this.text += text;
	}

	clear(): void {
		this.text = '';
	}

	show(): void {
		this.isVisible = true;
	}

	dispose(): void {}
}
