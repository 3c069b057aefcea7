import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { GitError } from '../../base/gitError.ts';
import { newTemporaryFolder } from '../../base/temporaryFolder.ts';
import { runGit } from '../../platform/gitCommand.ts';

/** The result of a merge. Conflicts are in the content, between the markers that the editor's own actions know. */
export interface Merged {
	content: Buffer;
	conflicts: number;
}

/**
 * The treatment of lines that both sides have changed: both versions stand between markers, the user's own wins, or the
 * change is refused.
 */
export type ConflictRule = 'markers' | 'yours' | 'refuse';

/** The names of the two sides in conflict markers. */
const LABELS = ['-L', 'Yours', '-L', 'Base', '-L', 'Task'];

/** Git's exit status is the number of conflicts, up to this number; above it, git has failed. */
const MAXIMUM_CONFLICTS = 127;

const START = /^<{7} Yours\r?\n$/;
const MIDDLE = /^={7}\r?\n$/;
const END = /^>{7} Task(?:\r?\n)?$/;

/**
 * Returns two texts without the conflicts that an earlier merge has left in them, each with the lines of the user's own
 * side. `count` is the number of conflicts that `own` has but `base` has not. A conflict stays if its other side is not
 * in `base`, which means that somebody has edited it.
 */
export function withOwnSides(own: Buffer, base: Buffer): { own: Buffer; base: Buffer; count: number } {
	const known = base.toString('latin1');
	const [first, second] = [takeOwnSides(own.toString('latin1'), known), takeOwnSides(known, known)];
	if (first.count === 0) {
		return { own, base, count: 0 };
	}
	return {
		own: Buffer.from(first.text, 'latin1'),
		base: Buffer.from(second.text, 'latin1'),
		count: Math.max(0, first.count - second.count),
	};
}

function takeOwnSides(text: string, base: string): { text: string; count: number } {
	const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
	const known = `\n${withoutReturns(base)}\n`;
	const taken: string[] = [];
	let count = 0;
	/** The index in `taken` at which the last conflict starts. */
	let start: number | undefined;
	for (const [index, line] of lines.entries()) {
		taken.push(line);
		if (START.test(line)) {
			start = taken.length - 1;
		} else if (start !== undefined && END.test(line)) {
			const inside = taken.slice(start + 1, -1);
			const isKnown = (others: readonly string[]) => known.includes(`\n${withoutReturns(others.join(''))}`);
			// The user's own side may have such a line too, for example under a heading.
			const middle = inside.findIndex((other, at) => MIDDLE.test(other) && isKnown(inside.slice(at + 1)));
			if (middle >= 0) {
				const kept = inside.slice(0, middle).join('');
				// Git ends the last line of a conflict, whether or not it was ended before.
				const isOpen = index === lines.length - 1 && !base.endsWith('\n');
				taken.splice(start, taken.length, isOpen ? kept.replace(/\r?\n$/, '') : kept);
				count++;
			}
			start = undefined;
		}
	}
	return { text: taken.join(''), count };
}

const withoutReturns = (text: string) => text.replaceAll('\r\n', '\n');

/** Merges texts three ways with `git merge-file`, in a private folder of its own. */
export class Merger {
	private readonly gitPath: string;
	private folder: Promise<string> | undefined;
	private count = 0;

	constructor(gitPath: string) {
		this.gitPath = gitPath;
	}

	/**
	 * Returns `yours` with the changes of `theirs` since `base`. All three must be text. Conflicts are counted with
	 * either rule. Rejects when git fails.
	 */
	async merge(yours: Buffer, base: Buffer, theirs: Buffer, rule: ConflictRule): Promise<Merged> {
		if (yours.equals(base) || yours.equals(theirs)) {
			return { content: theirs, conflicts: 0 };
		}
		if (base.equals(theirs)) {
			return { content: yours, conflicts: 0 };
		}
		this.folder ??= newTemporaryFolder('merge');
		const folder = await this.folder;
		const name = String(this.count++);
		const names = ['yours', 'base', 'task'].map(side => `${name}.${side}`);
		const files = names.map(file => path.join(folder, file));
		try {
			await Promise.all([yours, base, theirs].map((content, index) => writeFile(files[index] ?? '', content)));
			const conflicts = await this.run(folder, names);
			if (conflicts > 0 && rule === 'yours') {
				await writeFile(files[0] ?? '', yours);
				await this.run(folder, names, '--ours');
			}
			return { content: await readFile(files[0] ?? ''), conflicts };
		} finally {
			await Promise.all(files.map(file => rm(file, { force: true })));
		}
	}

	/** Removes the folder. Must be the last call. */
	async close(): Promise<void> {
		const folder = await this.folder?.catch(() => undefined);
		if (folder !== undefined) {
			await rm(folder, { recursive: true, force: true });
		}
	}

	/** Git replaces the first file with the result. Outside a repository, no configuration changes the result. */
	private async run(folder: string, names: readonly string[], ...how: string[]): Promise<number> {
		const commandLine = ['merge-file', '-q', ...how, ...LABELS, '--', ...names];
		try {
			await runGit(this.gitPath, folder, commandLine, { stopAt: path.dirname(folder) });
			return 0;
		} catch (error) {
			const conflicts = error instanceof GitError ? (error.exitCode ?? 0) : 0;
			if (conflicts > 0 && conflicts <= MAXIMUM_CONFLICTS) {
				return conflicts;
			}
			throw error;
		}
	}
}
