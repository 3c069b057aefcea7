import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import * as vscode from 'vscode';
import { findLinks, type LinkCandidate } from './findLinks.ts';
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
