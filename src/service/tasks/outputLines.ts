/** The length to which a line is cut, in UTF-16 code units. */
const MAXIMUM_LINE_LENGTH = 16 * 1024;
const CUT_MARK = ' … (line cut)';

/**
 * Splits the output of a hostile program into lines: at LF, CR LF and a lone CR, which progress displays use to overwrite
 * a line. Bytes that are not UTF-8 become U+FFFD, and never more than one line of limited length is buffered.
 */
export class OutputLines {
	private readonly decoder = new TextDecoder('utf-8', { ignoreBOM: true });
	private held = '';
	private cut = false;
	private afterReturn = false;

	push(bytes: Uint8Array): string[] {
		return this.take(this.decoder.decode(bytes, { stream: true }));
	}

	/** Returns the last line if it was not terminated. */
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
