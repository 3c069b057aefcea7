/** Longest line that is kept, in UTF-16 code units. */
const MAXIMUM_LINE_LENGTH = 16 * 1024;
const CUT_MARK = ' … (line cut)';

/**
 * Cuts the bytes of a hostile program into lines: at LF, CR LF and a lone CR, by which progress displays overwrite.
 * Bytes that are no UTF-8 become U+FFFD, a line over the limit is cut, and no more than one line is ever held.
 */
export class OutputLines {
	private readonly decoder = new TextDecoder('utf-8', { ignoreBOM: true });
	private held = '';
	private cut = false;
	private afterReturn = false;

	push(bytes: Uint8Array): string[] {
		return this.take(this.decoder.decode(bytes, { stream: true }));
	}

	/** The last line, when it had no end of its own. */
	end(): string[] {
		const lines = this.take(this.decoder.decode());
		if (this.held !== '') {
			lines.push(this.line());
		}
		return lines;
	}

	private take(text: string): string[] {
		const lines: string[] = [];
		let start = 0;
		if (this.afterReturn && text.startsWith('\n')) {
			start = 1;
		}
		if (text !== '') {
			this.afterReturn = text.endsWith('\r');
		}
		const ends = /\r\n|\n|\r/g;
		ends.lastIndex = start;
		for (let match = ends.exec(text); match !== null; match = ends.exec(text)) {
			this.hold(text.slice(start, match.index));
			lines.push(this.line());
			start = ends.lastIndex;
		}
		this.hold(text.slice(start));
		return lines;
	}

	private hold(text: string): void {
		const room = MAXIMUM_LINE_LENGTH - this.held.length;
		if (text.length > room) {
			this.cut = true;
		}
		this.held += text.slice(0, room);
	}

	private line(): string {
		const line = this.cut ? `${this.held.toWellFormed()}${CUT_MARK}` : this.held;
		this.held = '';
		this.cut = false;
		return line;
	}
}
