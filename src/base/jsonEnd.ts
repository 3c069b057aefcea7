/** Finds the end of a JSON object that comes in pieces. It looks at each character once. */
export class JsonEnd {
	isFound = false;
	private depth = 0;
	private isInString = false;
	private isEscaped = false;

	search(piece: string): void {
		for (const character of piece) {
			if (this.isEscaped) {
				this.isEscaped = false;
			} else if (this.isInString) {
				this.isEscaped = character === '\\';
				this.isInString = character !== '"';
			} else if (character === '"') {
				this.isInString = true;
			} else if (character === '{' || character === '[') {
				this.depth++;
			} else if (character === '}' || character === ']') {
				this.depth--;
				this.isFound ||= this.depth === 0;
			}
		}
	}
}
