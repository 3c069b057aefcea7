/** The change to an output channel that makes it show the text, and the lines of that change. */
export interface ChannelEdit {
	kind: 'append' | 'replace';
	text: string;
	lines: readonly string[];
	indexes: readonly number[];
}

/**
 * The lines of a log, of which at least the last `limit` are kept. Older lines are dropped all at once when `limit`
 * more have accumulated, so that each line is written to the channel at most twice, however long the log is.
 */
export class LogText {
	private readonly limit: number;
	private readonly leftOut: (firstIndex: number) => string;
	private lines: string[] = [];
	/** The index of the entry that each line belongs to. */
	private indexes: number[] = [];
	/** How many of `lines` the channel already shows. */
	private shown = 0;

	/** `leftOut` returns the line that says that nothing before the entry `firstIndex` is shown. */
	constructor(limit: number, leftOut: (firstIndex: number) => string) {
		this.limit = limit;
		this.leftOut = leftOut;
	}

	get pending(): number {
		return this.lines.length - this.shown;
	}

	/** Returns all lines that are held. */
	all(): Pick<ChannelEdit, 'lines' | 'indexes'> {
		return { lines: [...this.lines], indexes: [...this.indexes] };
	}

	/** `index` is that of the entry, or of the next entry for a line that belongs to none. */
	push(lines: readonly string[], index: number): void {
		for (const line of lines) {
			this.lines.push(line);
			this.indexes.push(index);
		}
	}

	/** Returns what the channel still lacks. `exact` keeps no more lines than the limit, for the end of a log. */
	take(exact = false): ChannelEdit | undefined {
		if (this.lines.length > (exact ? this.limit : this.limit * 2)) {
			const from = this.lines.length - this.limit;
			this.lines = this.lines.slice(from);
			this.indexes = this.indexes.slice(from);
			this.shown = this.lines.length;
			const text = `${this.leftOut(this.indexes[0] ?? 0)}\n${this.lines.join('\n')}\n`;
			return { kind: 'replace', text, ...this.all() };
		}
		if (this.pending === 0) {
			return undefined;
		}
		const [lines, indexes] = [this.lines.slice(this.shown), this.indexes.slice(this.shown)];
		this.shown = this.lines.length;
		return { kind: 'append', text: `${lines.join('\n')}\n`, lines, indexes };
	}
}
