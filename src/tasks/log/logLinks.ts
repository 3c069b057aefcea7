import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { LogLine } from './logLine.ts';

/** The maximum number of file names that are looked up for one document, and of remembered results in total. */
const MAXIMUM_LOOKUPS = 1000;
const MAXIMUM_KNOWN = 4000;

/** The number of lines that are searched before the extension host may do something else. */
const LINES_AT_ONCE = 500;

/**
 * The time for which a result counts as current, in milliseconds, because agents create files while their log mentions
 * them.
 */
const KNOWN_MS = 30_000;

/** A part of a line that may be a link. Offsets are in UTF-16 code units; the end is exclusive. */
type LinkCandidate = { start: number; end: number } & (
	| { kind: 'address'; url: string }
	/** `line` and `column` count from 1. */
	| { kind: 'file'; path: string; line: number | undefined; column: number | undefined }
);

/** Each token is one character class, so that no text is scanned twice. */
const ADDRESS = /\bhttps?:\/\/[^\s<>"'`\u2400-\u2426⟨⟩]+/g;
const TOKEN = /[\p{L}\p{N}_.@+\-/\\:~]+/gu;
const PLACE = /^(.+?)(?::(\d{1,9}))?(?::(\d{1,9}))?:*$/s;
const MAXIMUM_TOKEN = 500;

/** Finds links in a log: to web pages, and to files that exist in one of the workspace's folders. */
export class LogLinks {
	private readonly known = new Map<string, { isFile: boolean; at: number }>();
	/** The candidates found in lines before, because a growing log is searched again and again. */
	private readonly candidates = new WeakMap<LogLine, LinkCandidate[]>();

	/** Begins at the end, so that the last lines have links to files even if there are too many names to look up. */
	async find(lines: readonly LogLine[], token: vscode.CancellationToken): Promise<vscode.DocumentLink[]> {
		const links: vscode.DocumentLink[] = [];
		let lookups = 0;
		for (let at = lines.length - 1; at >= 0 && !token.isCancellationRequested; at--) {
			if (at % LINES_AT_ONCE === 0) {
				await nextTurn();
			}
			for (const candidate of this.candidatesIn(lines[at])) {
				let target: vscode.Uri | undefined;
				if (candidate.kind === 'address') {
					target = vscode.Uri.parse(candidate.url, true);
				} else if (lookups < MAXIMUM_LOOKUPS) {
					target = await this.fileOf(candidate, () => lookups++);
				}
				if (target) {
					links.push(new vscode.DocumentLink(new vscode.Range(at, candidate.start, at, candidate.end), target));
				}
			}
		}
		return links;
	}

	private candidatesIn(line: LogLine | undefined): LinkCandidate[] {
		let candidates = line && this.candidates.get(line);
		if (line && !candidates) {
			candidates = findLinks(line.text);
			this.candidates.set(line, candidates);
		}
		return candidates ?? [];
	}

	private async fileOf(
		candidate: LinkCandidate & { kind: 'file' },
		onLookup: () => void,
	): Promise<vscode.Uri | undefined> {
		for (const { uri } of vscode.workspace.workspaceFolders ?? []) {
			const file = within(uri, candidate.path);
			if (file && (await this.isFile(file, onLookup))) {
				const { line, column } = candidate;
				return line === undefined
					? file
					: file.with({ fragment: column === undefined ? `L${line}` : `L${line},${column}` });
			}
		}
		return undefined;
	}

	private async isFile(file: vscode.Uri, onLookup: () => void): Promise<boolean> {
		const key = file.toString();
		const before = this.known.get(key);
		if (before && Date.now() - before.at < KNOWN_MS) {
			return before.isFile;
		}
		onLookup();
		const isFile = await vscode.workspace.fs.stat(file).then(
			({ type }) => (type & vscode.FileType.File) !== 0,
			() => false,
		);
		if (this.known.size >= MAXIMUM_KNOWN) {
			this.known.clear();
		}
		this.known.set(key, { isFile, at: Date.now() });
		return isFile;
	}
}

/** Returns the file in the folder that a path names, or undefined for a path that leads out of it. */
function within(folder: vscode.Uri, name: string): vscode.Uri | undefined {
	const relative = path.isAbsolute(name) ? path.relative(folder.fsPath, name) : path.normalize(name);
	return relative === '' || relative === '.' || relative.startsWith('..') || path.isAbsolute(relative)
		? undefined
		: vscode.Uri.joinPath(folder, relative);
}

/**
 * Finds the http(s) addresses of a line, and the words that look like a path to a file, including `path:line:column`.
 */
export function findLinks(text: string): LinkCandidate[] {
	const found: LinkCandidate[] = [];
	let rest = text;
	for (const match of text.matchAll(ADDRESS)) {
		const url = withoutPunctuation(match[0]);
		const end = match.index + url.length;
		if (URL.canParse(url)) {
			found.push({ kind: 'address', start: match.index, end, url });
		}
		rest = rest.slice(0, match.index) + ' '.repeat(match[0].length) + rest.slice(match.index + match[0].length);
	}
	for (const match of rest.matchAll(TOKEN)) {
		const candidate = match[0].length <= MAXIMUM_TOKEN ? fileIn(match[0], match.index) : undefined;
		if (candidate) {
			found.push(candidate);
		}
	}
	return found.sort((one, other) => one.start - other.start);
}

function fileIn(token: string, index: number): LinkCandidate | undefined {
	const trimmed = token.replace(/^[:@]+/, '');
	const start = index + token.length - trimmed.length;
	const [, place = '', line, column] = PLACE.exec(withoutPunctuation(trimmed)) ?? [];
	// A word, a number or a version is not a file; a name with an extension, or one with a folder before it, may be.
	if (!/[/\\]|\.[A-Za-z]/.test(place) || !/\p{L}/u.test(place) || place.endsWith('/')) {
		return undefined;
	}
	const length =
		place.length + (line === undefined ? 0 : line.length + 1) + (column === undefined ? 0 : column.length + 1);
	const numberOf = (text: string | undefined) => (text === undefined ? undefined : Number(text));
	return {
		kind: 'file',
		start,
		end: start + length,
		path: place,
		line: numberOf(line),
		column: numberOf(column),
	};
}

/** A full stop or a bracket after an address belongs to the sentence around it. */
function withoutPunctuation(text: string): string {
	let end = text.length;
	while (end > 0 && '.,;!?)]}'.includes(text[end - 1] ?? ' ')) {
		end--;
	}
	return text.slice(0, end);
}
