// The comparison of several agents as lines of text, with what can be done at each place.
import { oneLine } from '../../base/plainText.ts';
import type { ChangedFile } from './changedFile.ts';
import type { ComparedFile, ComparedHunk, ComparedState } from './compareResults.ts';

/** What a part of a line does. Results are named by their positions. */
export type CompareAction =
	/** Shows what two results have made of a file. */
	| { kind: 'compare'; path: string; first: number; second: number }
	/** Shows what one result has changed in a file, at a line counted from 1 if there is one. */
	| { kind: 'open'; path: string; result: number; line?: number }
	/** Takes a file of a result. */
	| { kind: 'take'; path: string; result: number };

export interface CompareLink {
	line: number;
	start: number;
	end: number;
	action: CompareAction;
}

/** A part of a line that is coloured. */
export interface CompareMark {
	line: number;
	start: number;
	end: number;
	kind: 'heading' | 'aside' | 'common';
}

export interface CompareText {
	lines: string[];
	links: CompareLink[];
	marks: CompareMark[];
	/** Foldable lines: sections, and in them files with their hunks. Both ends are inclusive. */
	folds: { start: number; end: number }[];
}

/** One column. Every text is short. */
export interface CompareColumn {
	name: string;
	/** The values of the rows above the files, in their order. */
	facts: readonly string[];
}

export interface CompareWords {
	/** The label of the row with the names of the columns. */
	agent: string;
	/** The labels of the rows above the files, as many as each column has values. A row without values is left out. */
	facts: readonly string[];
	/** The heading of a section. `name` is the agent's, for files that only one has changed. */
	section(state: ComparedState, count: number, name: string): string;
	/** What an agent has done with a file that has no counts of lines. */
	change(file: ChangedFile): string;
	take: string;
	/** Stands for a file that an agent has left alone. */
	unchanged: string;
	/** The same as in another column. */
	sameAs(name: string): string;
	commonHunks(count: number): string;
	/** Where a hunk begins in a result and how many lines it removes and adds. */
	hunk(line: number, removed: number, added: number): string;
	nothing: string;
}

const MAXIMUM_PATH = 60;
const MAXIMUM_CELL = 30;
const MAXIMUM_QUOTE = 80;
const GAP = '  ';

/** Lays out the comparison. `hunks` has those of files that several agents have changed, as far as they were read. */
export function compareText(
	columns: readonly CompareColumn[],
	files: readonly ComparedFile[],
	hunks: ReadonlyMap<string, readonly ComparedHunk[]>,
	words: CompareWords,
): CompareText {
	return new Layout(columns, files, hunks, words).text;
}

class Layout {
	readonly text: CompareText = { lines: [], links: [], marks: [], folds: [] };
	private readonly columns: readonly CompareColumn[];
	private readonly hunks: ReadonlyMap<string, readonly ComparedHunk[]>;
	private readonly words: CompareWords;
	private readonly pathWidth: number;
	/** The widths of the cells of files in each column, without the word behind them, which stays close to them. */
	private readonly cellWidths: number[];
	/** The widths of the columns. */
	private readonly widths: number[];

	constructor(
		columns: readonly CompareColumn[],
		files: readonly ComparedFile[],
		hunks: ReadonlyMap<string, readonly ComparedHunk[]>,
		words: CompareWords,
	) {
		this.columns = columns;
		this.hunks = hunks;
		this.words = words;
		const paths = files.map(({ path }) => shortPath(path).length + GAP.length);
		const labels = [words.agent, ...words.facts].map(label => label.length);
		this.pathWidth = [...paths, ...labels].reduce((most, width) => Math.max(most, width), 0);
		const widest = (texts: readonly string[], maximum: number) =>
			texts.reduce((most, { length }) => Math.max(most, Math.min(length, maximum)), 0);
		this.cellWidths = columns.map((_, at) =>
			widest(
				files.map(file => this.cell(file, at).text),
				MAXIMUM_CELL,
			),
		);
		const beside = GAP.length + words.take.length;
		this.widths = columns.map(({ name, facts }, at) =>
			Math.max(widest([name, ...facts], MAXIMUM_CELL + beside), (this.cellWidths[at] ?? 0) + beside),
		);
		this.head();
		this.sections(files);
	}

	private head(): void {
		this.row(
			this.words.agent,
			this.columns.map(({ name }) => name),
		);
		this.mark(0, this.last.length, 'heading');
		for (const [at, label] of this.words.facts.entries()) {
			if (this.columns.every(({ facts }) => (facts[at] ?? '') === '')) {
				continue;
			}
			this.row(
				label,
				this.columns.map(({ facts }) => facts[at] ?? ''),
			);
			this.mark(0, label.length, 'aside');
		}
	}

	private sections(files: readonly ComparedFile[]): void {
		if (files.length === 0) {
			this.text.lines.push('', this.words.nothing);
		}
		for (const state of ['different', 'only', 'same'] as const) {
			const here = files.filter(file => file.state === state);
			if (state !== 'only') {
				this.section(state, here, '');
				continue;
			}
			for (const [at, { name }] of this.columns.entries()) {
				this.section(
					state,
					here.filter(file => file.files[at] !== undefined),
					name,
				);
			}
		}
	}

	private section(state: ComparedState, files: readonly ComparedFile[], name: string): void {
		if (files.length === 0) {
			return;
		}
		this.text.lines.push('', this.words.section(state, files.length, name));
		this.mark(0, this.last.length, 'heading');
		const start = this.text.lines.length - 1;
		for (const file of files) {
			this.file(file);
		}
		this.text.folds.push({ start, end: this.text.lines.length - 1 });
	}

	private file(file: ComparedFile): void {
		const { path, files } = file;
		const hunks = file.state === 'different' ? (this.hunks.get(path) ?? []) : [];
		const common = hunks.filter(({ starts }) => starts.every((line, at) => line !== undefined || !files[at])).length;
		const shown = GAP + shortPath(path);
		const line = this.text.lines.length;
		let text = shown.padEnd(this.pathWidth);
		const changed = files.flatMap((entry, at) => (entry ? [at] : []));
		const [first = 0, second] = changed;
		this.link(line, GAP.length, shown.length, {
			...(second === undefined || file.state === 'same'
				? { kind: 'open', path, result: first }
				: { kind: 'compare', path, first, second: differing(file, first) ?? second }),
		});
		for (const at of files.keys()) {
			text += GAP;
			const cell = this.cell(file, at);
			const end = text.length + (this.widths[at] ?? 0);
			const cellWidth = this.cellWidths[at] ?? 0;
			const counts = cut(cell.text, cellWidth);
			if (files[at] && !cell.isSame) {
				this.link(line, text.length, text.length + counts.length, { kind: 'open', path, result: at });
			} else {
				this.text.marks.push({
					line,
					start: text.length,
					end: text.length + counts.length,
					kind: cell.isSame ? 'common' : 'aside',
				});
			}
			text += counts.padEnd(cellWidth) + GAP;
			if (files[at] && !cell.isSame) {
				this.link(line, text.length, text.length + this.words.take.length, { kind: 'take', path, result: at });
				text += this.words.take;
			}
			text = text.padEnd(end);
		}
		if (common > 0) {
			text = `${text}${GAP}`;
			const note = this.words.commonHunks(common);
			this.text.marks.push({ line, start: text.length, end: text.length + note.length, kind: 'common' });
			text += note;
		}
		this.text.lines.push(text.trimEnd());
		for (const hunk of hunks) {
			this.hunk(path, hunk);
		}
		if (hunks.length > 0) {
			this.text.folds.push({ start: line, end: this.text.lines.length - 1 });
		}
	}

	private hunk(path: string, { hunk, starts }: ComparedHunk): void {
		const line = this.text.lines.length;
		const quote = oneLine(Buffer.from(hunk.added[0] ?? hunk.removed[0] ?? '', 'latin1').toString(), MAXIMUM_QUOTE);
		let text = `${GAP}${GAP}`;
		const first = starts.findIndex(start => start !== undefined);
		const names = this.columns.filter((_, at) => starts[at] !== undefined).map(({ name }) => name);
		const place = this.words.hunk(starts[first] ?? 1, hunk.oldLines, hunk.newLines);
		const owners = names.join(', ');
		this.link(line, text.length, text.length + place.length, {
			kind: 'open',
			path,
			result: first,
			line: starts[first] ?? 1,
		});
		text += place + GAP;
		this.text.marks.push({
			line,
			start: text.length,
			end: text.length + owners.length,
			kind: names.length > 1 ? 'common' : 'aside',
		});
		this.text.lines.push(`${text}${owners}${GAP}${quote}`.trimEnd());
	}

	/** `isSame`: another column before it has the same. */
	private cell({ files, versions, state }: ComparedFile, at: number): { text: string; isSame: boolean } {
		const file = files[at];
		if (!file) {
			return { text: this.words.unchanged, isSame: false };
		}
		const version = versions[at];
		if (state !== 'only' && version !== undefined && version !== at) {
			return { text: this.words.sameAs(this.columns[version]?.name ?? ''), isSame: true };
		}
		return { text: this.words.change(file), isSame: false };
	}

	private row(label: string, cells: readonly string[]): void {
		let text = label.padEnd(this.pathWidth);
		for (const [at, cell] of cells.entries()) {
			const width = this.widths[at] ?? 0;
			text += GAP + (cell.includes(' ') ? cut(cell, width) : cutInside(cell, width)).padEnd(width);
		}
		this.text.lines.push(text.trimEnd());
	}

	private get last(): string {
		return this.text.lines.at(-1) ?? '';
	}

	private mark(start: number, end: number, kind: CompareMark['kind']): void {
		this.text.marks.push({ line: this.text.lines.length - 1, start, end, kind });
	}

	private link(line: number, start: number, end: number, action: CompareAction): void {
		this.text.links.push({ line, start, end, action });
	}
}

/** Returns the first result that has made something else of the file. */
function differing({ versions }: ComparedFile, first: number): number | undefined {
	const at = versions.findIndex(version => version !== undefined && version !== versions[first]);
	return at < 0 ? undefined : at;
}

/** Returns a path on one line. If it is long, the end is kept, because it has the name. */
function shortPath(path: string): string {
	const line = oneLine(path);
	return line.length <= MAXIMUM_PATH ? line : `…${line.slice(1 - MAXIMUM_PATH).toWellFormed()}`;
}

function cut(text: string, width: number): string {
	return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1)).toWellFormed()}…`;
}

/** A name keeps its end, because branches of one prompt differ there. */
function cutInside(name: string, width: number): string {
	const end = Math.floor(width / 2);
	return name.length <= width
		? name
		: `${name.slice(0, width - 1 - end).toWellFormed()}…${name.slice(-end).toWellFormed()}`;
}
