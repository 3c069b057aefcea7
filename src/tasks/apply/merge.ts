import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { GitError } from '../../base/gitError.ts';
import { runGit } from '../../platform/gitCommand.ts';

/** The result of a merge. Conflicts stand in the content, between the markers that the editor's own actions know. */
export interface Merged {
	content: Buffer;
	conflicts: number;
}

/** The result where both sides have changed the same lines: both of them between markers, the user's own alone, or none. */
export type ConflictRule = 'markers' | 'yours' | 'refuse';

/** The names of the two sides in conflict markers. */
const LABELS = ['-L', 'Yours', '-L', 'Base', '-L', 'Task'];

/** Git's exit status is the number of conflicts, up to this number; above it, git has failed. */
const MAXIMUM_CONFLICTS = 127;

/** Merges texts three ways with `git merge-file`, in a private folder of its own. */
export class Merger {
	private readonly gitPath: string;
	private folder: Promise<string> | undefined;
	private count = 0;

	constructor(gitPath: string) {
		this.gitPath = gitPath;
	}

	/**
	 * Returns `yours` with what `theirs` has changed since `base`. All three must be text. The conflicts are counted by
	 * either rule. Rejects when git fails.
	 */
	async merge(yours: Buffer, base: Buffer, theirs: Buffer, rule: ConflictRule): Promise<Merged> {
		if (yours.equals(base) || yours.equals(theirs)) {
			return { content: theirs, conflicts: 0 };
		}
		if (base.equals(theirs)) {
			return { content: yours, conflicts: 0 };
		}
		// The operating system makes the folder accessible to the user alone.
		this.folder ??= mkdtemp(path.join(os.tmpdir(), 'errand-merge-'));
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

	/** Removes the folder. Nothing may be merged afterwards. */
	async close(): Promise<void> {
		const folder = await this.folder?.catch(() => undefined);
		if (folder !== undefined) {
			await rm(folder, { recursive: true, force: true });
		}
	}

	/** Git replaces the first file by the result. Outside a repository, no configuration changes what it writes. */
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
